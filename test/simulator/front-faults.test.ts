/**
 * What goes wrong at the front of a node, one kind at a time in a world that is otherwise in order: the promises hold,
 * and the run shows that it happened.
 */

import { expect, test } from "vitest";
import type { Fault, FaultKind } from "../sim/fault-kinds.ts";
import { drawFront } from "../sim/front-faults.ts";
import { run } from "../sim/run.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import { ROOM, type SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const TIMES = { minuteMs: 6_000, leaseMs: 4_000 };
const room = { totalActiveUsers: 12, newUsersPerMinute: 100, sessionDuration: 5, refreshIntervalSeconds: 2 };

const KINDS: readonly FaultKind[] = [
  { what: "full disk", node: 0, forMs: 3_000 },
  { what: "bad origin", slowMs: 2_000, failing: 0.5, forMs: 9_000 },
  { what: "throw at a commit", node: 1, place: "take" },
  { what: "throw at a commit", node: 0, place: "send" },
  { what: "throw at a commit", node: 2, place: "answer" },
  { what: "hold room", node: 1, room: 0, forMs: 5_000 },
  { what: "rename room", node: 0, room: 1, number: 7 },
];

test.each(KINDS)("every ten seconds nothing but %o: all promises are kept", (kind) => {
  const faults: Fault[] = Array.from({ length: 10 }, (_, index) => ({ ...kind, atMs: 10_000 * (index + 1) }));
  const scenario = scenarioOf("harsh", 1);
  const happened: string[] = [];
  const log = (_atMs: number, text: string): void => {
    if (text.includes(kind.what)) happened.push(text);
  };
  expect(run({ scenario, seed: 1, plan: { clocks: [], faults }, log }).broken).toBeUndefined();
  expect(happened.length).toBeGreaterThan(3);
});

function worldOfThree() {
  const world = new World({ seed: 1, localities: ["sjc", "lon", "del"], ...TIMES, room });
  world.pass(12_000);
  return { world, first: world.nodes[0] as SimNode };
}

test("a full disk: a room is changed there whole or not at all, and again once the disk takes it", () => {
  const { world, first } = worldOfThree();
  first.disk.isFull = true;
  world.configure({ totalActiveUsers: 3 }, first);
  expect(first.rooms.of(ROOM)?.totalActiveUsers).toBe(12);
  first.disk.isFull = false;
  world.configure({ totalActiveUsers: 3 }, first);
  world.pass(3_000);
  for (const node of world.nodes) expect(node.rooms.of(ROOM)?.totalActiveUsers).toBe(3);
});

test("a room that is held at one node is held at all, also after a restart, until it may go on", () => {
  const { world, first } = worldOfThree();
  const [simRoom] = world.rooms;
  if (simRoom === undefined) throw new Error("unreachable");
  world.hold(simRoom, first, true);
  world.pass(3_000);
  first.crash();
  first.start();
  world.pass(3_000);
  for (const node of world.nodes) expect(node.rooms.isHeld(ROOM)).toBe(true);
  const before = world.oracle.counts.admitted;
  for (let visitor = 0; visitor < 10; visitor++) world.arrive({ locality: "sjc", staysMs: 60_000 });
  world.pass(6_000);
  expect(world.oracle.counts.admitted).toBe(before);
  world.hold(simRoom, first, false);
  world.pass(9_000);
  expect(world.oracle.counts.admitted).toBeGreaterThan(before);
});

test("all kinds are drawn, the same for a seed each time", () => {
  const draw = (seed: number) => drawFront({ seed, nodes: 3, rooms: 2, durationMs: 120_000 });
  expect(draw(3)).toEqual(draw(3));
  const kinds = new Set(Array.from({ length: 20 }, (_, seed) => draw(seed).map(({ what }) => what)).flat());
  expect(kinds).toEqual(new Set(KINDS.map(({ what }) => what)));
});
