/**
 * A mesh that is cut in two: a sale with a draw opens on both sides, in one order; and visitors who are blocked on either
 * side are in the end blocked at all nodes, by whichever order came later.
 */

import { expect, test } from "vitest";
import type { SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PREQUEUE_MS = 60_000;

/** Three nodes with a room, which `cut` parts from the last one of them. */
function twoSides() {
  const logged: string[] = [];
  const world = new World({
    log: (_, text) => logged.push(text),
    ...{ seed: 1, localities: ["sjc", "sjc", "lon"], minuteMs: MINUTE_MS, leaseMs: 30_000 },
    room: { totalActiveUsers: 30, newUsersPerMinute: 600, sessionDuration: 5, refreshIntervalSeconds: 2 },
  });
  world.pass(20_000);
  const [room] = world.rooms;
  const [one, other, lone] = world.nodes;
  if (room === undefined || one === undefined || other === undefined || lone === undefined)
    throw new Error("Broken: the world has a room and three nodes");
  const cut = (): void => {
    for (const near of [one, other]) {
      world.network.cut(near.identity, lone.identity);
      world.network.cut(lone.identity, near.identity);
    }
  };
  return { world, room, one, other, lone, cut, logged };
}

/** The same before a sale with a draw. */
function drawWorld(value: string) {
  const sides = twoSides();
  const { world, room, one } = sides;
  const startMs = world.time.nowMs + PREQUEUE_MS;
  const common = { description: "", suspended: false, shuffles: true, isDrawn: true, drawValue: value };
  const times = { startMs, endMs: startMs + 30 * MINUTE_MS, prequeueMs: world.time.nowMs };
  const inherited = { totalActiveUsers: undefined, newUsersPerMinute: undefined, sessionDuration: undefined };
  const methods = { disableSessionRenewal: undefined, queueingMethod: undefined, customPageHtml: "", ramp: undefined };
  const events = [{ name: "sale", ...common, ...times, ...inherited, ...methods }];
  one.rooms.set(room, { ...room.settings, events });
  room.change({ events });
  world.pass(5_000);
  const seeds = () => world.nodes.map((node) => node.rooms.of(room.id)?.draw?.seed);
  const declare = (node: SimNode, laterMs: number): void => {
    const moved = events.map((event) => ({ ...event, startMs: event.startMs + laterMs }));
    node.rooms.set(room, { ...room.settings, events: moved });
  };
  return { ...sides, startMs, seeds, declare };
}

test("each side of a cut knows the seed at the second of the start, and lets its visitors in", () => {
  const { world, startMs, seeds, cut } = drawWorld("");
  for (let count = 0; count < 40; count++)
    world.arrive({ locality: count % 2 === 0 ? "sjc" : "lon", staysMs: 20 * MINUTE_MS });
  world.pass(5_000);
  cut();
  world.pass(startMs - world.time.nowMs - 500);
  expect(seeds()).toEqual([undefined, undefined, undefined]);
  expect(world.oracle.counts.admitted).toBe(0);
  world.pass(1_500);
  const [seed] = seeds();
  expect(seed).toMatch(/^[0-9a-f]{64}$/);
  expect(seeds()).toEqual([seed, seed, seed]);
  world.pass(20_000);
  const inside = world.oracle.counts.admitted;
  expect(inside).toBeGreaterThan(0);
  // Only those count who were there at the close: each side knows that of its own visitors.
  const lists = world.nodes.map((node) =>
    node.peer?.draws.listOf(node.rooms.of(world.rooms[0]?.id ?? ("" as never))?.draw?.key ?? ""),
  );
  expect(lists.map((list) => list?.count)).toEqual([20, 20, 20]);
  expect(lists[1]).toEqual(lists[0]);
  expect(lists[2]).not.toEqual(lists[0]);
});

test("a draw that waits for its public value opens where that is given, and on the other side once it hears of it", () => {
  const { world, room, startMs, seeds, cut } = drawWorld("a lottery");
  cut();
  world.pass(startMs - world.time.nowMs + 10_000);
  expect(seeds()).toEqual([undefined, undefined, undefined]);
  world.nodes[0]?.rooms.giveDrawValue(room.id, "7");
  world.pass(5_000);
  const [seed] = seeds();
  expect(seed).toMatch(/^[0-9a-f]{64}$/);
  expect(seeds()).toEqual([seed, seed, undefined]);
  world.network.heal();
  world.pass(30_000);
  expect(seeds()).toEqual([seed, seed, seed]);
});

test("of two changes of the event on two sides of a cut the later one counts, and each node that showed another hash says so", () => {
  const { world, room, one, other, lone, cut, logged, declare } = drawWorld("");
  const keyNow = () => world.nodes.map((node) => node.rooms.declared(room.id)?.events?.[0]?.startMs);
  cut();
  declare(one, 1_000);
  world.pass(5_000);
  declare(lone, 2_000);
  world.pass(5_000);
  expect(new Set(keyNow()).size).toBe(2);
  logged.length = 0;
  world.network.heal();
  world.pass(30_000);
  const replaced = (node: SimNode) =>
    logged.filter((text) => text.startsWith(node.identity) && text.includes("its draw was published as"));
  expect(new Set(keyNow()).size).toBe(1);
  expect([one, other, lone].map((node) => replaced(node).length)).toEqual([1, 1, 0]);
  expect(replaced(one)[0]).toContain(`a change at node ${lone.identity} replaces it by`);
});

test("two sides of a cut block and free visitors: then all nodes have the orders of both", () => {
  const { world, room, one, lone, cut } = twoSides();
  const until = (number: string) => world.nodes.map((node) => node.rooms.blockedUntil(room.id, number));
  const block = (node: SimNode, number: string, untilMs: number) => node.rooms.block(room.id, number, untilMs);
  const untilMs = world.time.nowMs + HOUR_MS;
  block(one, "FREE-0000", untilMs);
  block(one, "BACK-0000", untilMs);
  world.pass(5_000);
  cut();
  block(one, "HERE-0000", untilMs);
  block(one, "BACK-0000", world.time.nowMs);
  world.pass(2_000);
  block(lone, "THER-0000", untilMs);
  block(lone, "FREE-0000", world.time.nowMs);
  world.pass(2_000);
  block(lone, "BACK-0000", untilMs + 1);
  world.pass(5_000);
  expect([until("HERE-0000"), until("THER-0000"), until("FREE-0000")]).toEqual([
    [untilMs, untilMs, undefined],
    [undefined, undefined, untilMs],
    [untilMs, untilMs, undefined],
  ]);
  world.network.heal();
  world.pass(30_000);
  const all = (end: number | undefined) => [end, end, end];
  expect(until("HERE-0000")).toEqual(all(untilMs));
  expect(until("THER-0000")).toEqual(all(untilMs));
  expect(until("FREE-0000")).toEqual(all(undefined));
  expect(until("BACK-0000")).toEqual(all(untilMs + 1));
});
