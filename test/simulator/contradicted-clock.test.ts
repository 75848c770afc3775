/**
 * A node that starts by a clock which the first members to answer contradict, and then hears nobody for a while: it
 * must act by no clock of its own until a majority of the members has confirmed one.
 */

import { describe, expect, test } from "vitest";
import type { SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const TIMES = { minuteMs: 60_000, leaseMs: 30_000 };
const room = { totalActiveUsers: 30, newUsersPerMinute: 600, sessionDuration: 5, refreshIntervalSeconds: 2 };
/** Longer than a start waits for a member to compare its clock with, and shorter than a lease. */
const SILENCES_MS = [3_300, 9_000];

/** By the number of nodes: how many others answer before the silence. With the node itself they are no majority. */
const MESHES = [
  { nodes: 3, answering: 1 },
  { nodes: 4, answering: 2 },
  { nodes: 5, answering: 2 },
];

/** A full room with more visitors than it has slots, at every node. */
function fullWorld(nodes: number, seed: number): World {
  const world = new World({ seed, localities: Array(nodes).fill("sjc"), ...TIMES, room });
  world.pass(20_000);
  for (let count = 0; count < 2 * room.totalActiveUsers; count++) {
    world.arrive({ locality: "sjc", staysMs: 20 * TIMES.minuteMs });
    world.pass(100);
  }
  world.pass(45_000);
  return world;
}

/** The last node starts again; returns it once some members have answered. */
function started(world: World, { answering, byMs }: { answering: number; byMs: number }): SimNode {
  const node = world.nodes.at(-1) as SimNode;
  const others = world.nodes.slice(0, -1);
  node.crash();
  node.skewMs += byMs;
  world.cut(node, others.slice(answering));
  node.start();
  const heard = () => others.filter((other) => node.peer?.members.roundTripMs(other.identity) !== undefined);
  for (let ms = 0; ms < 2_500 && heard().length < answering; ms += 10) world.pass(10);
  expect(heard()).toHaveLength(answering);
  return node;
}

describe.each(MESHES)("in a mesh of $nodes, where $answering of the others answer before a silence", (mesh) => {
  const cases = SILENCES_MS.flatMap((silenceMs) => [600_000, -600_000].map((byMs) => ({ silenceMs, byMs })));
  test.each(cases)(
    "a clock that is $byMs ms off gives no slot after $silenceMs ms of silence",
    ({ silenceMs, byMs }) => {
      for (const seed of [1, 2]) {
        const world = fullWorld(mesh.nodes, seed);
        const node = started(world, { ...mesh, byMs });
        const mayAct = () => node.peer?.members.mayAct(node.now) === true;
        world.cut(node);
        for (let ms = 0; ms < silenceMs; ms += 100) {
          world.pass(100);
          expect(mayAct()).toBe(false);
        }
        // By the earliest clock heard: no session of its visitors ends too early.
        expect(node.peer?.isClockTrusted).toBe(true);
        expect((node.peer?.roomMs ?? 0) - world.time.nowMs).toBeLessThan(100);
        world.network.heal();
        for (let ms = 0; ms < 10_000; ms += 10) {
          world.pass(10);
          expect(mayAct()).toBe(false);
        }
        node.skewMs -= byMs;
        world.pass(10_000);
        expect(mayAct()).toBe(true);
      }
    },
  );

  test("a right clock is followed after the silence", () => {
    const world = fullWorld(mesh.nodes, 1);
    const node = started(world, { ...mesh, byMs: 0 });
    world.cut(node);
    world.pass(3_300);
    expect(node.peer?.isClockTrusted).toBe(true);
    world.network.heal();
    world.pass(5_000);
    expect(node.peer?.members.mayAct(node.now)).toBe(true);
  });
});

test("the answer that gives a lease to a node whose clock is off gives no slot", () => {
  const world = fullWorld(3, 1);
  const node = world.nodes.at(-1) as SimNode;
  node.crash();
  node.skewMs += 600_000;
  node.start();
  for (let ms = 0; ms < 5_000; ms += 1) {
    world.pass(1);
    expect(node.peer?.members.mayAct(node.now)).toBe(false);
  }
});

test("while the disk of a node that starts refuses commits, it does not take the others for silent", () => {
  const world = fullWorld(3, 1);
  const node = world.nodes.at(-1) as SimNode;
  node.crash();
  node.skewMs += 600_000;
  // Its start is the first thing it must store, so nothing is sent before.
  node.disk.isFull = true;
  node.start();
  world.pass(6_000);
  expect(node.peer?.isClockTrusted).toBe(false);
  node.disk.isFull = false;
  world.pass(4_000);
  expect(node.peer?.isClockTrusted).toBe(true);
  expect((node.peer?.roomMs ?? 0) - world.time.nowMs).toBeLessThan(100);
  expect(node.peer?.members.mayAct(node.now)).toBe(false);
});

/** Longer than a session. */
const AHEAD_MS = 600_000;

/** The node's host has a wrong clock when it starts, and nobody answers it until it believes that. */
function startedAlone(world: World, node: SimNode): void {
  world.cut(node);
  node.crash();
  node.skewMs += AHEAD_MS;
  node.start();
  world.pass(4_000);
  expect(node.peer?.isClockTrusted).toBe(true);
  world.network.heal();
  world.pass(5_000);
}

test("a node whose clock is ahead takes nobody over", () => {
  const world = fullWorld(3, 1);
  const [leaver, other, node] = world.nodes as [SimNode, SimNode, SimNode];
  startedAlone(world, node);
  other.crash();
  const { identity } = leaver;
  leaver.leave();
  world.pass(20_000);
  // No node could take over: it was only a stop.
  expect(leaver.identity).toBe(identity);
  expect(node.peer?.members.view?.members).toHaveLength(3);
});

/**
 * Those inside once the room may be full again: a minute of the node never goes back, so its slots are held by the time
 * that was ahead. The judge ends the run if one is used while the cookie of a session on it is good.
 */
function filledAgain(world: World): number | undefined {
  world.pass(AHEAD_MS + 7 * TIMES.minuteMs);
  for (let count = 0; count < room.totalActiveUsers; count++)
    world.arrive({ locality: "sjc", staysMs: TIMES.minuteMs });
  world.pass(30_000);
  return world.oracle.samples.at(-1)?.inside;
}

describe("slots of sessions that a time ended that was ahead stay held", () => {
  const started = () => {
    const world = fullWorld(2, 1);
    const [other, node] = world.nodes as [SimNode, SimNode];
    startedAlone(world, node);
    return { world, other, node };
  };

  test("when the clock is set right", () => {
    const { world, node } = started();
    node.skewMs -= AHEAD_MS;
    expect(filledAgain(world)).toBe(room.totalActiveUsers);
  });

  test("at the node to which this one leaves", () => {
    const { world, other, node } = started();
    node.leave();
    world.pass(2_000);
    // The node that comes in its place has the host's clock.
    node.skewMs -= AHEAD_MS;
    expect(other.peer?.members.view?.members).toHaveLength(1);
    expect(filledAgain(world)).toBe(room.totalActiveUsers);
  });

  test("where the other node is forgotten", () => {
    const { world, other, node } = started();
    other.crash();
    world.pass(2_000);
    node.do(() => node.peer?.members.forget([other.identity], node.now));
    world.pass(60_000);
    expect(node.peer?.members.view?.members).toHaveLength(1);
    expect(filledAgain(world)).toBe(room.totalActiveUsers);
  });
});
