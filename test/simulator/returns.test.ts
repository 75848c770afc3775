/**
 * A removed node that comes back, in meshes of whole nodes: it says what it held, and all else of its share is of use
 * at once.
 */

import { describe, expect, test } from "vitest";
import { accountOf } from "../../mesh/core/ids.ts";
import { ROOM, type SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const TIMES = { minuteMs: 60_000, leaseMs: 30_000 };
const room = { totalActiveUsers: 60, newUsersPerMinute: 600, sessionDuration: 5, refreshIntervalSeconds: 5 };

/** Three nodes with `inside` visitors, and the one that has the most free slots. */
function busyWorld(inside: number) {
  const log: string[] = [];
  const world = new World({
    seed: 2,
    localities: ["sjc", "sjc", "sjc"],
    ...TIMES,
    room,
    log: (_at, text) => log.push(text),
  });
  world.pass(70_000);
  for (let count = 0; count < inside; count++) {
    world.arrive({ locality: "sjc", staysMs: 20 * TIMES.minuteMs });
    world.pass(200);
  }
  world.pass(5_000);
  const nodes = world.nodes as [SimNode, SimNode, SimNode];
  const [lost, ...others] = nodes.toSorted((one, other) => free(other) - free(one)) as [SimNode, SimNode, SimNode];
  return { world, lost, others, log };
}

function free({ peer }: SimNode): number {
  return peer?.rooms.get(ROOM)?.gauge(peer.roomMs).active ?? 0;
}

/** Slots held by anybody or free at a node that may use them; the lost one's pot is neither. */
function usable(nodes: readonly SimNode[]): number {
  return nodes.reduce((sum, node) => {
    const { peer } = node;
    const gauge = peer?.rooms.get(ROOM)?.gauge(peer.roomMs);
    return sum + (gauge?.mayAct ? gauge.active + gauge.inside : 0);
  }, 0);
}

describe("a node that was removed and is back", () => {
  test("as its cut is healed: all of the room is of use within seconds", () => {
    const { world, lost, others, log } = busyWorld(18);
    world.cut(lost);
    world.pass(120_000);
    expect(usable(others)).toBeLessThan(60);
    world.network.heal();
    world.pass(10_000);
    expect(log.filter((line) => line.includes("recovered"))).toHaveLength(1);
    expect(usable(world.nodes)).toBe(60);
  });

  test("as its host has started it again: the same, by the table of its disk", () => {
    const { world, lost, others, log } = busyWorld(18);
    const before = accountOf(lost.identity);
    lost.crash();
    world.pass(120_000);
    expect(usable(others)).toBeLessThan(60);
    lost.start();
    world.pass(10_000);
    expect(log.filter((line) => line.includes("recovered"))).toHaveLength(1);
    expect(usable(world.nodes)).toBe(60);
    expect(accountOf(lost.identity)).not.toBe(before);
  });

  test("as it stood still: the same", () => {
    const { world, lost, others, log } = busyWorld(40);
    lost.pause();
    world.pass(120_000);
    lost.resume();
    world.pass(10_000);
    expect(log.filter((line) => line.includes("recovered"))).toHaveLength(1);
    expect([usable(world.nodes), usable(others)].map((slots) => slots >= 58)).toEqual([true, true]);
  });
});
