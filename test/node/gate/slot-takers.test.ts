/** A health check that asks for a page takes slot after slot: the operator hears of it, in log and status. */

import { describe, expect, test } from "vitest";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";

const FEW = { ...SHOP, total_active_users: 5 };
const from = "10.0.0.9";
const CHECK = { from, headers: { Accept: "text/html, */*", "User-Agent": "monitor/1.0" } };

async function checks(world: GateWorld, times: number, asked: object = CHECK): Promise<void> {
  for (let time = 0; time < times; time++) {
    await world.ask(asked);
    world.nowMs += MINUTE_MS / 2;
  }
}

const warned = (world: GateWorld) => world.logged.filter(({ level }) => level === "warn");
const said = (world: GateWorld): readonly string[] => world.gate.slotTakers.warnings(world.nowMs);

describe("an address that keeps taking slots without a cookie", () => {
  test("is named once in the log, and in the status until it has stopped", async () => {
    const world = new GateWorld({ rooms: [FEW] });
    await checks(world, 9);
    expect([said(world), warned(world)]).toEqual([[], []]);
    await checks(world, 3);
    expect(said(world)[0]).toMatch(/10\.0\.0\.9 \(12 in room shop\); .*\/\.anteroom\/health/);
    expect(warned(world)).toMatchObject([{ level: "warn", fields: { address: from, room: "shop" } }]);
    await checks(world, 20);
    expect([said(world).length, warned(world).length]).toEqual([1, 1]);
    world.nowMs += 21 * MINUTE_MS;
    expect(said(world)).toEqual([]);
  });

  test.each([
    [
      "of visitors who keep their cookies",
      async (world: GateWorld) => {
        const cookie = await world.comeIn({ from });
        await world.ask({ from, headers: { Cookie: cookie } });
        await checks(world, 12);
      },
    ],
    ["that asks the health path", (world: GateWorld) => checks(world, 30, { from, target: "/.anteroom/health" })],
    [
      "that accepts nothing",
      (world: GateWorld) => checks(world, 30, { from, headers: ["User-Agent", "Go-http-client/1.1"] }),
    ],
  ])("is not one %s", async (_, act) => {
    const world = new GateWorld({ rooms: [FEW] });
    await act(world);
    expect([said(world), warned(world)]).toEqual([[], []]);
  });

  test("is found in a crowd of others, each of whom comes once", async () => {
    const world = new GateWorld({ rooms: [{ ...FEW, total_active_users: 5_000, new_users_per_minute: 5_000 }] });
    await world.ask(CHECK);
    for (let visitor = 0; visitor < 1_500; visitor++)
      await world.ask({ from: `198.51.${visitor >> 8}.${visitor & 255}` });
    await checks(world, 10);
    expect(said(world)).toHaveLength(1);
    expect(said(world)[0]).not.toContain("198.51");
  });
});
