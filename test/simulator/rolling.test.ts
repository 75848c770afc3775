/**
 * All nodes of a mesh replaced with empty disks, one after another, the next one as soon as the last is ready: as an
 * orchestrator does whose nodes have no volumes.
 */

import { describe, expect, test } from "vitest";
import type { SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const TIMES = { minuteMs: 60_000, leaseMs: 30_000 };
const room = { totalActiveUsers: 1_000, newUsersPerMinute: 1_000, sessionDuration: 5, refreshIntervalSeconds: 5 };
/** From the end of a node to the start of the one in its place. */
const DOWN_MS = 1_000;
/** A node that was silent for longer than a lease is removed; then there is place for one that joins. */
const READY_MS_MAX = 60_000;
const JOINED_MS_MAX = 10_000;

function worldOf(nodes: number, seed: number): World {
  const world = new World({ seed, localities: Array(nodes).fill("sjc"), ...TIMES, room });
  world.pass(20_000);
  return world;
}

function replace(world: World, node: SimNode): void {
  node.wipe();
  world.pass(DOWN_MS);
  node.start();
}

/** Ms until it is so, or `mostMs`. */
function passUntil(world: World, isSo: () => boolean, mostMs: number): number {
  let ms = 0;
  for (; ms < mostMs && !isSo(); ms += 100) world.pass(100);
  return ms;
}

const mayAct = ({ peer, now }: SimNode) => peer?.members.mayAct(now) === true;

describe.each([{ nodes: 3 }, { nodes: 5 }])("a mesh of $nodes nodes", ({ nodes }) => {
  test.each([0, 3_000, 20_000])("goes on if each is replaced %i ms after the last one was ready", (pauseMs) => {
    const world = worldOf(nodes, 1);
    for (const [index, node] of world.nodes.entries()) {
      replace(world, node);
      // For the first one nobody is to be removed before it can join.
      const mostMs = index === 0 ? JOINED_MS_MAX : READY_MS_MAX;
      expect(passUntil(world, () => node.isReady, mostMs)).toBeLessThan(mostMs);
      world.pass(pauseMs);
    }
    expect(passUntil(world, () => world.nodes.every(mayAct), TIMES.leaseMs)).toBeLessThan(TIMES.leaseMs);
  });
});

test("a node that has joined is not ready while just a majority of the voters answers it; the others are", () => {
  const world = worldOf(3, 1);
  const [unheard, other, joining] = world.nodes as [SimNode, SimNode, SimNode];
  joining.wipe();
  world.cut(unheard, [joining]);
  joining.start();
  expect(passUntil(world, () => joining.peer?.members.view !== undefined, 20_000)).toBeLessThan(20_000);
  world.pass(3_000);
  expect([unheard, other, joining].map(({ isReady }) => isReady)).toEqual([true, true, false]);
  world.network.heal();
  world.pass(5_000);
  expect(joining.isReady).toBe(true);
});

test.each([1, 2])("all of %i nodes are ready: such a mesh removes nobody", (nodes) => {
  expect(worldOf(nodes, 1).nodes.map(({ isReady }) => isReady)).toEqual(Array(nodes).fill(true));
});

test("the loss of one of two or three nodes does not make the others unready", () => {
  for (const nodes of [2, 3]) {
    const world = worldOf(nodes, 1);
    world.nodes[0]?.crash();
    for (let ms = 0; ms < 40_000; ms += 100) {
      world.pass(100);
      expect(world.nodes.slice(1).every(({ isReady }) => isReady)).toBe(true);
    }
  }
});
