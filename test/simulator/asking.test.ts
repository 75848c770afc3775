/**
 * Visitors who ask again before they are answered, at a gate that knows their room as deleted: what the first gate
 * answers is judged all the same.
 */

import { expect, test } from "vitest";
import { BrokenPromise } from "../sim/oracle.ts";
import { ROOM, type SimNode } from "../sim/sim-node.ts";
import { REFRESHER } from "../sim/visitor.ts";
import { World } from "../sim/world.ts";

const TIMES = { minuteMs: 6_000, leaseMs: 4_000 };
const VISITORS = 30;
const room = { totalActiveUsers: VISITORS, newUsersPerMinute: 100, sessionDuration: 5, refreshIntervalSeconds: 2 };
/** Longer than a visitor may go without being told. */
const WATCHED_MS = 10_000;

/**
 * Three gates of one locality, one of which is cut off and has just deleted the room. One of the others asks the ticket
 * counter, which takes longer than visitors wait before they ask again.
 */
function worldWithDeletedRoom(seed: number) {
  const world = new World({ seed, localities: ["sjc", "sjc", "sjc"], ...TIMES, room });
  world.pass(12_000);
  const [counter] = world.nodes[0]?.peer?.rooms.get(ROOM)?.counters() ?? [];
  const [deleted, gate] = world.nodes.filter(({ identity }) => identity !== counter) as [SimNode, SimNode];
  world.cut(deleted);
  for (const each of world.rooms) world.deleteRoom(each, deleted);
  world.network.faults = { ...world.network.faults, jitterMs: 400 };
  return { world, gate };
}

/** Visitors come; returns the promise that was broken, if any. */
function visit(world: World): string | undefined {
  for (let visitor = 0; visitor < VISITORS; visitor++)
    world.arrive({ locality: "sjc", staysMs: 60_000, behaviour: REFRESHER });
  try {
    world.pass(WATCHED_MS);
    return undefined;
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    return error.message;
  }
}

test.each([1, 2, 3])(
  "a visitor is told of a session though another gate let the next request pass: seed %i",
  (seed) => {
    const { world } = worldWithDeletedRoom(seed);
    expect(visit(world)).toBeUndefined();
    expect(world.oracle.counts.admitted).toBeGreaterThan(VISITORS / 3);
  },
);

test.each([1, 2, 3])(
  "a visitor with an ended session starts over, and the origin may end the new session with its first answer: seed %i",
  (seed) => {
    const world = new World({ seed, localities: ["sjc", "sjc", "sjc"], ...TIMES, room });
    world.pass(11_000);
    for (let visitor = 0; visitor < VISITORS / 2; visitor++) world.arrive({ locality: "sjc", staysMs: 60_000 });
    const [shop] = world.rooms;
    const [one, other] = world.nodes as [SimNode, SimNode];
    if (shop === undefined) throw new Error("Broken: there is a room");
    // Just before a minute ends, and just after that: then a check-in is due.
    world.pass(2 * TIMES.minuteMs - (world.time.nowMs % TIMES.minuteMs) - 300);
    world.revoke(shop, VISITORS, one);
    world.pass(400);
    world.revoke(shop, VISITORS, other);
    world.pass(5_000);
    // Each visitor's first session, and a second one of those who went on.
    expect(world.oracle.counts.endedByOrder).toBeGreaterThan(VISITORS / 2);
  },
);

test.each([1, 2, 3])("a gate that lets visitors in and does not tell them breaks a promise: seed %i", (seed) => {
  const { world, gate } = worldWithDeletedRoom(seed);
  const serve = gate.serve.bind(gate);
  gate.serve = (request, told) => serve(request, (outcome) => outcome.kind === "answer" && told(outcome));
  expect(visit(world)).toMatch(new RegExp(`never early: ${gate.identity} holds a slot for v\\d+, who was not told`));
});
