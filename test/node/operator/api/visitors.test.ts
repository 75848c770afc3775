/** A block of a visitor ends by the time that the gate goes by, which is read once. */

import { expect, test, vi } from "vitest";
import { START_MS } from "../../gate/gate-world.ts";
import { adminWorld } from "../admin-world.ts";

const PATH = "/v1/rooms/shop/visitors/4QK7-X2MD";

test("an end just ahead is taken or refused, whenever the time passes on", async () => {
  const { ask, world } = adminWorld();
  const statuses = new Set<number>();
  let nowMs = START_MS;
  Object.defineProperty(world, "nowMs", { get: () => (nowMs += 100) });
  for (let aheadMs = 1_000; aheadMs < 5_000; aheadMs += 100) {
    nowMs = START_MS - aheadMs;
    const { status } = await ask("POST", PATH, {
      action: "block",
      until: new Date(START_MS).toISOString().replace(".000", ""),
    });
    statuses.add(status);
  }
  expect([...statuses].sort()).toEqual([200, 422]);
});

test("a span counts from the room's time, and so does whether a block is in force", async () => {
  const { ask, world } = adminWorld();
  const roomMs = START_MS + 60_000;
  const room = world.room();
  const time = vi.spyOn(room, "nowMs", "get").mockReturnValue(roomMs);
  const order = async (body: object) => (await ask("POST", PATH, body)).json();
  const untilMs = roomMs + 3_600_000;
  expect(await order({ action: "block", until: "1h" })).toMatchObject({ since_ms: roomMs, until_ms: untilMs });
  time.mockReturnValue(untilMs - 1);
  expect(await order({})).toMatchObject({ state: "blocked", until_ms: untilMs });
  time.mockReturnValue(untilMs);
  expect(await order({})).toMatchObject({ state: "looking" });
});
