/**
 * Operators' orders at nodes whose clocks are wrong, or which have just started: the stamp of an order must not lie ahead of what the
 * other nodes accept.
 */

import { expect, test } from "vitest";
import { Faults } from "../../cmd/sim/faults.ts";
import { ROOM, type SimNode } from "../../cmd/sim/sim-node.ts";
import type { SimRoom } from "../../cmd/sim/sim-room.ts";
import { World } from "../../cmd/sim/world.ts";

const TIMES = { minuteMs: 6_000, leaseMs: 4_000, islandMs: 18_000 };
const room = { totalActiveUsers: 12, newUsersPerMinute: 100, sessionDuration: 5, refreshIntervalSeconds: 2 };
const HOUR_MS = 3_600_000;
/** A node that starts has compared its clock by then. */
const STARTED_MS = 4_000;
/** What an operator orders is with all nodes by then. */
const HEARD_MS = 3_000;

function worldOf(localities: readonly string[]) {
  const world = new World({ seed: 1, localities, ...TIMES, room });
  world.pass(12_000);
  return {
    world,
    first: world.nodes[0] as SimNode,
    second: world.nodes[1] as SimNode,
    room: world.rooms[0] as SimRoom,
  };
}

const holding = (world: World): boolean[] => world.nodes.map((node) => node.isHolding(ROOM));

type Wrong = (node: SimNode, byMs: number, world: World) => void;

const step: Wrong = (node, byMs) => {
  node.skewMs += byMs;
};
const startAgain: Wrong = (node, byMs) => {
  node.crash();
  node.skewMs += byMs;
  node.start();
};
/** It believes its clock, as there is nobody to compare it with. */
const startCutOff: Wrong = (node, byMs, world) => {
  for (const other of world.nodes.slice(1)) {
    world.network.cut(node.identity, other.identity);
    world.network.cut(other.identity, node.identity);
  }
  startAgain(node, byMs, world);
  world.pass(STARTED_MS);
  world.network.heal();
};

test.each([
  { what: "has stepped an hour ahead", wrong: step, byMs: HOUR_MS, localities: ["sjc", "lon", "del"] },
  { what: "has stepped an hour ahead, of two", wrong: step, byMs: HOUR_MS, localities: ["sjc", "lon"] },
  { what: "was an hour ahead at its start", wrong: startAgain, byMs: HOUR_MS, localities: ["sjc", "lon", "del"] },
  { what: "was an hour ahead at its start, of two", wrong: startAgain, byMs: HOUR_MS, localities: ["sjc", "lon"] },
  {
    what: "was an hour ahead at its start, alone",
    wrong: startCutOff,
    byMs: HOUR_MS,
    localities: ["sjc", "lon", "del"],
  },
  {
    what: "was an hour ahead at its start, alone, of two",
    wrong: startCutOff,
    byMs: HOUR_MS,
    localities: ["sjc", "lon"],
  },
  { what: "has stepped an hour back", wrong: step, byMs: -HOUR_MS, localities: ["sjc", "lon", "del"] },
])(
  "orders at a node whose clock $what are with all nodes at once, and those after them",
  ({ wrong, byMs, localities }) => {
    const { world, first, second, room } = worldOf(localities);
    wrong(first, byMs, world);
    world.pass(STARTED_MS);
    world.hold(room, first, true);
    world.pass(HEARD_MS);
    expect(holding(world)).toEqual(localities.map(() => true));
    world.hold(room, second, false);
    world.pass(HEARD_MS);
    expect(holding(world)).toEqual(localities.map(() => false));
    first.skewMs = 0;
    world.pass(HEARD_MS);
    world.configure({ totalActiveUsers: 3 }, first);
    world.pass(HEARD_MS);
    expect(world.nodes.map((node) => node.room(ROOM)?.totalActiveUsers)).toEqual(localities.map(() => 3));
  },
);

test("an operator's order does not reach a node that is starting, as its admin API is not open, and reaches it afterwards", () => {
  const { world, first } = worldOf(["sjc", "lon", "del"]);
  const hold = { what: "hold room", node: 0, room: 0, forMs: 60_000 } as const;
  startAgain(first, HOUR_MS, world);
  new Faults(world, { clocks: [], faults: [100, STARTED_MS].map((atMs) => ({ ...hold, atMs })) });
  expect(first.takesOrders).toBe(false);
  world.pass(STARTED_MS - 1);
  expect(holding(world)).toEqual([false, false, false]);
  world.pass(HEARD_MS);
  expect(first.takesOrders).toBe(true);
  expect(holding(world)).toEqual([true, true, true]);
});
