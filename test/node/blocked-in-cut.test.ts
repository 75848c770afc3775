/** Visitors who are blocked at both sides of a cut: in the end at all nodes, by whichever order came later. */

import { expect, test } from "vitest";
import type { SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const HOUR_MS = 3_600_000;

function blockWorld(localities: readonly string[]) {
  const world = new World({
    ...{ seed: 1, localities, minuteMs: 60_000, leaseMs: 30_000 },
    room: { totalActiveUsers: 3, newUsersPerMinute: 60, sessionDuration: 5, refreshIntervalSeconds: 2 },
  });
  world.pass(20_000);
  const [room] = world.rooms;
  if (room === undefined) throw new Error("Broken: the world has a room");
  const until = (number: string) => world.nodes.map((node) => node.rooms.blockedUntil(room.id, number));
  const block = (node: SimNode | undefined, number: string, untilMs: number) =>
    node?.rooms.block(room.id, number, untilMs);
  return { world, until, block };
}

test("two sides of a cut block and free visitors: then all nodes have the orders of both", () => {
  const { world, until, block } = blockWorld(["sjc", "sjc", "lon"]);
  const [one, other, lone] = world.nodes;
  if (one === undefined || other === undefined || lone === undefined) throw new Error("Broken: there are three nodes");
  const untilMs = world.time.nowMs + HOUR_MS;
  block(one, "FREE-0000", untilMs);
  block(one, "BACK-0000", untilMs);
  world.pass(5_000);
  for (const near of [one, other]) {
    world.network.cut(near.identity, lone.identity);
    world.network.cut(lone.identity, near.identity);
  }
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
