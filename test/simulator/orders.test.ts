/**
 * Operators' orders at nodes whose clocks are wrong, or which have just started: the stamp of an order must not lie
 * ahead of what the other nodes accept. And at one that loses its power.
 */

import { describe, expect, test } from "vitest";
import { Faults } from "../sim/faults.ts";
import { ROOM, type SimNode } from "../sim/sim-node.ts";
import type { SimRoom } from "../sim/sim-room.ts";
import { World } from "../sim/world.ts";

/** A node that hears nobody is not removed before it has started and is connected again. */
const TIMES = { minuteMs: 6_000, leaseMs: 8_000 };
const room = { totalActiveUsers: 12, newUsersPerMinute: 100, sessionDuration: 5, refreshIntervalSeconds: 2 };
const THREE = ["sjc", "lon", "del"];
const TWO = ["sjc", "lon"];
const HOUR_MS = 3_600_000;
/** A node that starts has compared its clock by then. */
const STARTED_MS = 4_000;
/** What an operator orders is with all nodes by then. */
const HEARD_MS = 5_000;

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

const holding = (world: World): boolean[] => world.nodes.map((node) => node.rooms.isHolding(ROOM));

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
const startUnheard: Wrong = (node, byMs, world) => {
  world.cut(node);
  startAgain(node, byMs, world);
  world.pass(STARTED_MS);
};
const startCutOff: Wrong = (node, byMs, world) => {
  startUnheard(node, byMs, world);
  world.network.heal();
};

test.each([
  { what: "has stepped an hour ahead", wrong: step, byMs: HOUR_MS, localities: THREE },
  { what: "has stepped an hour ahead, of two", wrong: step, byMs: HOUR_MS, localities: TWO },
  { what: "was an hour ahead at its start", wrong: startAgain, byMs: HOUR_MS, localities: THREE },
  { what: "was an hour ahead at its start, of two", wrong: startAgain, byMs: HOUR_MS, localities: TWO },
  { what: "was an hour ahead at its start, alone", wrong: startCutOff, byMs: HOUR_MS, localities: THREE },
  { what: "was an hour ahead at its start, alone, of two", wrong: startCutOff, byMs: HOUR_MS, localities: TWO },
  { what: "was an hour behind at its start, alone", wrong: startCutOff, byMs: -HOUR_MS, localities: THREE },
  { what: "has stepped an hour back", wrong: step, byMs: -HOUR_MS, localities: THREE },
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
    expect(world.nodes.map((node) => node.rooms.of(ROOM)?.totalActiveUsers)).toEqual(localities.map(() => 3));
  },
);

describe("orders at a node that hears nobody, by a clock that is ahead", () => {
  const TWO_MINUTES_MS = 120_000;

  test.each([
    { what: "a minute and a half", byMs: 90_000 },
    { what: "an hour", byMs: HOUR_MS },
  ])("$what: are with all nodes once it hears them, as are those after them", ({ byMs }) => {
    const { world, first, second, room } = worldOf(THREE);
    startUnheard(first, byMs, world);
    world.hold(room, first, true);
    world.configure({ totalActiveUsers: 3 }, first);
    world.network.heal();
    world.pass(HEARD_MS);
    expect(holding(world)).toEqual([true, true, true]);
    expect(world.nodes.map((node) => node.rooms.of(ROOM)?.totalActiveUsers)).toEqual([3, 3, 3]);
    world.hold(room, second, false);
    world.pass(HEARD_MS);
    expect(holding(world)).toEqual([false, false, false]);
    world.hold(room, first, true);
    world.pass(HEARD_MS);
    expect(holding(world)).toEqual([true, true, true]);
  });

  test("do not undo what was decided elsewhere after them", () => {
    const { world, first, second, room } = worldOf(THREE);
    startUnheard(first, HOUR_MS, world);
    world.configure({ totalActiveUsers: 3 }, first);
    world.hold(room, first, true);
    world.pass(1_000);
    world.configure({ totalActiveUsers: 4 }, second);
    world.network.heal();
    world.pass(HEARD_MS);
    expect(world.nodes.map((node) => node.rooms.of(ROOM)?.totalActiveUsers)).toEqual([4, 4, 4]);
    expect(holding(world)).toEqual([true, true, true]);
  });

  test("are with all nodes also if it was restarted meanwhile with its clock set right", () => {
    const { world, first, room } = worldOf(THREE);
    startUnheard(first, HOUR_MS, world);
    world.hold(room, first, true);
    startAgain(first, -HOUR_MS, world);
    world.network.heal();
    world.pass(STARTED_MS);
    expect(holding(world)).toEqual([true, true, true]);
  });

  test("of two: are with the other once the clocks agree", () => {
    const { world, first, room } = worldOf(TWO);
    startUnheard(first, HOUR_MS, world);
    world.hold(room, first, true);
    world.network.heal();
    world.pass(HEARD_MS);
    first.skewMs = 0;
    world.pass(HEARD_MS);
    expect(holding(world)).toEqual([true, true]);
  });

  test("which waits to join: are with all nodes once it is a member", () => {
    const { world, first, second, room } = worldOf(THREE);
    second.wipe();
    second.skewMs = HOUR_MS;
    second.start();
    world.pass(100);
    expect(second.peer?.members.view).toBe(undefined);
    expect(second.takesOrders).toBe(true);
    world.order(room, { totalActiveUsers: 7 }, second);
    world.pass(TWO_MINUTES_MS);
    expect(second.peer?.members.isMember()).toBe(true);
    expect(world.nodes.map((node) => node.rooms.of(ROOM)?.totalActiveUsers)).toEqual([7, 7, 7]);
    world.hold(room, first, true);
    world.pass(HEARD_MS);
    expect(holding(world)).toEqual([true, true, true]);
  });

  test("in a mesh of one: are with those that join later", () => {
    const world = new World({ seed: 1, localities: TWO, ...TIMES, room });
    const [first, second] = world.nodes as [SimNode, SimNode];
    second.crash();
    first.skewMs = HOUR_MS;
    world.pass(STARTED_MS);
    world.hold(world.rooms[0] as SimRoom, first, true);
    first.skewMs = 0;
    world.pass(HEARD_MS);
    second.start();
    world.pass(STARTED_MS);
    expect(holding(world)).toEqual([true, true]);
  });
});

test("an operator's order does not reach a node that is starting, as its admin API is not open, and reaches it afterwards", () => {
  const { world, first } = worldOf(THREE);
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

test("an order that its operator was told of outlives a loss of power, though the disk took nothing after it", () => {
  const { world, first, room } = worldOf(["sjc"]);
  first.do(() => {
    first.rooms.hold(room.id, true);
    first.disk.isFull = true;
  });
  first.losePower(500);
  expect(holding(world)).toEqual([true]);
});
