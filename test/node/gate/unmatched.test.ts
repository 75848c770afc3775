/** Requests for hosts without a room: found by what a trusted proxy says of the host, or counted loudly. */

import { describe, expect, test } from "vitest";
import { fieldOf } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

const PROXY = { trustedProxies: ["10.0.0.0/8"] };
const from = "10.1.1.1";
const INNER = { from, host: "inner.azurewebsites.example" };

describe("a room is found by X-Forwarded-Host of a trusted proxy", () => {
  test("that replaces Host, with all that goes by the host", async () => {
    const world = new GateWorld({ ...PROXY, rooms: [{ ...SHOP, total_active_users: 1 }] });
    const headers = { "X-Forwarded-Host": "shop.example", "X-Forwarded-For": "198.51.100.1" };
    const { plan } = await world.forwarded({ ...INNER, headers });
    // The origin gets the Host that the proxy chose.
    expect(fieldOf(plan.headers, "Host")).toBe("inner.azurewebsites.example");
    expect(fieldOf(plan.headers, "X-Forwarded-Host")).toBe("shop.example");
    expect(world.gate.unmatched).toBe(0);
    expect(await world.outcome({ ...INNER, headers })).toBe("joined");
    // Its own site is the one that visitors see.
    const sent = {
      ...headers,
      Origin: "http://shop.example",
      "Sec-Fetch-Mode": "navigate",
      "Sec-Fetch-Dest": "document",
    };
    expect(await world.outcome({ ...INNER, method: "POST", headers: sent })).toBe("joined");
  });

  test.each([
    ["not what a stranger says", { from: "203.0.113.7" }, "shop.example"],
    ["not a host without a room", {}, "other.example"],
    ["not what is no host", {}, "shop example"],
  ])("but %s", async (_, asked, said) => {
    const world = new GateWorld(PROXY);
    await world.forwarded({ ...INNER, ...asked, headers: { "X-Forwarded-Host": said } });
    expect([world.gate.unmatched, world.room().admission.inside(world.nowMs)]).toEqual([1, 0]);
  });

  test("and leads nobody out of the room that Host leads to, nor out of a path beside it", async () => {
    const rooms = [
      { ...SHOP, path: "/tickets" },
      { ...SHOP, name: "open", host: "open.example" },
    ];
    const world = new GateWorld({ ...PROXY, rooms });
    const headers = { "X-Forwarded-Host": "open.example" };
    await world.forwarded({ from, target: "/tickets", headers });
    await world.forwarded({ from, target: "/about", headers });
    expect(world.room("shop").admission.inside(world.nowMs)).toBe(1);
    expect(world.room("open").admission.inside(world.nowMs)).toBe(0);
  });
});

describe("requests for hosts without a room", () => {
  const ask = async (world: GateWorld, times: number, host = "inner.example", target = "/"): Promise<void> => {
    for (let time = 0; time < times; time++) await world.ask({ host, target });
  };

  test("are said in log and status once they are many, and no longer after they stopped", async () => {
    const world = new GateWorld();
    await ask(world, 99);
    expect([world.logged, world.gate.unmatchedHosts.warnings(world.nowMs)]).toEqual([[], []]);
    await ask(world, 2);
    expect(world.logged).toMatchObject([{ level: "warn", fields: { host: "inner.example" } }]);
    expect(world.gate.unmatchedHosts.warnings(world.nowMs)[0]).toMatch(
      /^requests .* and passed without a limit: inner\.example \(101\);/,
    );
    world.nowMs += 11 * 60_000;
    expect(world.gate.unmatchedHosts.warnings(world.nowMs)).toHaveLength(1);
    world.nowMs += 11 * 60_000;
    expect(world.gate.unmatchedHosts.warnings(world.nowMs)).toEqual([]);
    expect(world.logged).toHaveLength(1);
  });

  test("do not matter on paths beside a room, nor where they are refused", async () => {
    const beside = new GateWorld({ rooms: [{ ...SHOP, path: "/tickets" }] });
    await ask(beside, 150, "shop.example", "/about");
    const refused = new GateWorld({ origin: null, rooms: [{ ...SHOP, origin: "http://origin.internal:3000" }] });
    await ask(refused, 150);
    expect([beside.gate.unmatched, refused.gate.unmatched]).toEqual([150, 150]);
    for (const world of [beside, refused]) expect(world.gate.unmatchedHosts.warnings(world.nowMs)).toEqual([]);
  });
});
