/**
 * Counts that a node forgot, as it had published them by a clock more than two hours behind and has started again: the
 * others keep a part that has them, and the node learns it from them within seconds.
 */

import { expect, test } from "vitest";
import { accountOf } from "../../mesh/core/ids.ts";
import type { SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const TIMES = { minuteMs: 6_000, leaseMs: 4_000 };
const room = { totalActiveUsers: 60, newUsersPerMinute: 600, sessionDuration: 2, refreshIntervalSeconds: 2 };
const MINUTES_BEHIND = 140;

/** Three nodes with visitors. */
function busyWorld(): World {
  const world = new World({ seed: 1, localities: ["sjc", "sjc", "sjc"], ...TIMES, room, more: [room] });
  world.pass(10_000);
  visitedFor(world, 60_000);
  return world;
}

function visitedFor(world: World, ms: number): void {
  for (let passedMs = 0; passedMs < ms; passedMs += 250) {
    world.arrive({ locality: "sjc", staysMs: 3 * TIMES.minuteMs });
    world.pass(250);
  }
}

/** Whether all nodes have the counts that this one has published. */
function areKnown(world: World, node: SimNode): boolean {
  const known = world.nodes.map(({ peer }) =>
    peer?.replica.digest().known.find(([account]) => account === accountOf(node.identity)),
  );
  return known[0] !== undefined && known.every((line) => JSON.stringify(line) === JSON.stringify(known[0]));
}

function restart(node: SimNode): void {
  node.crash();
  node.start();
}

function expectHealed(world: World, node: SimNode): void {
  visitedFor(world, 5_000);
  const rows = () => areKnown(world, node);
  for (let ms = 0; ms < 10_000 && !rows(); ms += 500) world.pass(500);
  expect(rows()).toBe(true);
  const refused = world.nodes.map(({ peer }) => peer?.replica.refused.takenBack ?? 0);
  expect(Math.max(...refused)).toBeGreaterThan(0);
  expect(world.nodes.every(({ peer }) => peer?.members.view?.members.length === 3)).toBe(true);
}

test.each([
  { whose: "of the only member that it heard", behind: 1 },
  { whose: "of its own, which was set back", behind: 0 },
])("after it started by the clock $whose", ({ behind }) => {
  const world = busyWorld();
  const [node, , other] = world.nodes as [SimNode, SimNode, SimNode];
  const clock = world.nodes[behind] as SimNode;
  clock.skewMs -= MINUTES_BEHIND * TIMES.minuteMs;
  node.crash();
  world.cut(node, [other]);
  node.start();
  visitedFor(world, 6_000);
  expect((node.peer?.roomMs ?? 0) - world.time.nowMs).toBeLessThan(-60_000);
  clock.skewMs += MINUTES_BEHIND * TIMES.minuteMs;
  world.network.heal();
  restart(node);
  expectHealed(world, node);
});
