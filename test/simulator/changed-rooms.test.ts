/**
 * Whole nodes while a room is changed, deleted and created again, beside cuts, losses and leaving: sessions that were
 * admitted before such a change go on counting wherever they are handed.
 */

import { describe, expect, test } from "vitest";
import type { Room } from "../../node/config/room.ts";
import { BrokenPromise } from "../sim/oracle.ts";
import { ROOM, type SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const MINUTE_MS = 6_000;
const TIMES = { minuteMs: MINUTE_MS, leaseMs: 4_000 };
const ROOM_BEFORE = { newUsersPerMinute: 100, refreshIntervalSeconds: 2 };
const SEEDS = [1, 2, 3];
/** Nodes have found each other. */
const JOINED_MS = 12_000;
const STEP_MS = 250;

interface Play {
  readonly localities: readonly string[];
  readonly room: Partial<Room>;
  readonly forMs: number;
  readonly perMinute: number;
  readonly staysMinutes: number;
  /** What is done, by ms after the nodes have joined. */
  readonly plan: (world: World) => Readonly<Record<number, () => void>>;
  /** When that begins and visitors come. */
  readonly fromMs?: number;
  /** Between these two times nobody comes. */
  readonly closed?: readonly [fromMs: number, toMs: number];
}

/** Plays it; returns the promise that was broken, if any, and what the nodes logged. */
function play(
  seed: number,
  { localities, room, forMs, perMinute, staysMinutes, plan, fromMs = JOINED_MS, closed = [0, 0] }: Play,
) {
  const logs: string[] = [];
  const world = new World({
    seed,
    localities,
    ...TIMES,
    room: { ...ROOM_BEFORE, ...room },
    log: (_atMs, text) => logs.push(text),
  });
  const places = [...new Set(localities)];
  try {
    world.pass(fromMs);
    for (const [atMs, act] of Object.entries(plan(world))) world.time.after(Number(atMs), act);
    let owed = 0;
    for (let atMs = 0; atMs < forMs; atMs += STEP_MS) {
      if (atMs < closed[0] || atMs >= closed[1]) owed += (perMinute * STEP_MS) / MINUTE_MS;
      for (; owed >= 1; owed--) {
        const locality = places[Math.floor(world.random() * places.length)] ?? "";
        world.arrive({ locality, staysMs: staysMinutes * MINUTE_MS });
      }
      world.pass(STEP_MS);
    }
    return { broken: undefined, logs };
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    return { broken: error.message, logs };
  }
}

function nodesOf(world: World): [SimNode, SimNode, SimNode, SimNode] {
  const [first, second, third, fourth = third] = world.nodes;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined)
    throw new Error("Cannot play as there must be three nodes at least");
  return [first, second, third, fourth];
}

function setRoom(world: World, at: SimNode, document: string | undefined): void {
  at.do((peer) => {
    const createdMs = peer.replica.registers().get(ROOM)?.createdMs ?? 0;
    const nowMs = Math.floor(world.time.nowMs);
    const register = peer.replica.setRegister(ROOM, { firstName: "room", document, createdMs }, nowMs);
    at.rooms.putInForce(ROOM, register);
  });
}

/** Deletes the room at a node; what is returned creates it again as it was. */
function deleting(world: World, at: SimNode): { remove: () => void; create: () => void } {
  let document: string | undefined;
  return {
    remove: () => {
      document = at.peer?.replica.registers().get(ROOM)?.document;
      setRoom(world, at, undefined);
    },
    create: () => setRoom(world, at, document),
  };
}

describe("a room that is deleted and created again", () => {
  test.each(SEEDS)("has the sessions that a leaver held, which had started without the room: seed %i", (seed) => {
    const { broken, logs } = play(seed, {
      localities: ["sjc", "sjc", "lon"],
      room: { totalActiveUsers: 15, sessionDuration: 10 },
      forMs: 50_000,
      perMinute: 40,
      staysMinutes: 0.1,
      closed: [10_000, 18_000],
      plan: (world) => {
        const [first, second] = nodesOf(world);
        const { remove, create } = deleting(world, first);
        return {
          10000: remove,
          12000: () => {
            second.crash();
            second.start();
          },
          15000: () => second.leave(),
          18000: create,
        };
      },
    });
    expect(broken).toBeUndefined();
    expect(logs.filter((text) => text.includes("left to this node"))).toHaveLength(1);
  });

  test.each(SEEDS)("has the sessions that were handed on twice while it was unknown: seed %i", (seed) => {
    const { broken, logs } = play(seed, {
      localities: ["lon", "sjc", "sjc", "lon"],
      room: { totalActiveUsers: 16, sessionDuration: 10 },
      forMs: 50_000,
      perMinute: 40,
      staysMinutes: 0.1,
      closed: [10_000, 21_000],
      plan: (world) => {
        const [first, second, third] = nodesOf(world);
        const { remove, create } = deleting(world, first);
        return {
          10000: remove,
          // It knows no room any more.
          12000: () => {
            third.crash();
            third.start();
          },
          14500: () => second.leave(),
          17500: () => third.leave(),
          21000: create,
        };
      },
    });
    expect(broken).toBeUndefined();
    expect(logs.filter((text) => text.includes("left to this node"))).toHaveLength(2);
  });
});

describe("sessions that are made longer", () => {
  /** The third node is cut off at 12 s, and its room has longer sessions from `atMs` on. */
  const cutOff = (atMs: number): Play => ({
    localities: ["sjc", "lon", "del"],
    room: { totalActiveUsers: 12, sessionDuration: 1 },
    forMs: 60_000,
    perMinute: 24,
    staysMinutes: 4,
    plan: (world) => {
      const [, , third] = nodesOf(world);
      return {
        [atMs]: () => world.configure({ sessionDuration: 20 }, third),
        12000: () => world.cut(third),
      };
    },
  });

  test.each(SEEDS)("at a node that is cut off do not outlive its share there: seed %i", (seed) => {
    expect(play(seed, cutOff(14_000)).broken).toBeUndefined();
  });

  test.each(SEEDS)("just before the cut do not either: seed %i", (seed) => {
    expect(play(seed, cutOff(11_800)).broken).toBeUndefined();
  });

  test("count everywhere a moment later where nobody is cut off", () => {
    const localities = ["sjc", "lon", "del"];
    const world = new World({ seed: 1, localities, ...TIMES, room: { ...ROOM_BEFORE, totalActiveUsers: 12 } });
    world.pass(JOINED_MS);
    world.configure({ sessionDuration: 20 }, nodesOf(world)[1]);
    world.pass(500);
    expect(world.nodes.map(({ peer }) => peer?.roomNode.sessionMinutesMost)).toEqual([20, 20, 20]);
  });
});

describe("sessions that are made shorter", () => {
  test.each(SEEDS)("end with none of the earlier ones, whose heir leaves to a newcomer: seed %i", (seed) => {
    const { broken, logs } = play(seed, {
      localities: ["sjc", "sjc", "lon", "del"],
      room: { totalActiveUsers: 16, sessionDuration: 20 },
      forMs: 70_000,
      perMinute: 30,
      staysMinutes: 0.3,
      plan: (world) => {
        const [first, second, , fourth] = nodesOf(world);
        return {
          12000: () => world.configure({ sessionDuration: 1 }, first),
          // Its sessions are good for twenty minutes.
          13000: () => fourth.crash(),
          22000: () => {
            second.wipe();
            second.start();
          },
          36000: () => first.leave(),
        };
      },
    });
    expect(broken).toBeUndefined();
    expect(logs.filter((text) => text.includes("left to this node"))).toHaveLength(1);
  });

  test.each(SEEDS)("end with none that a disk has lost: seed %i", (seed) => {
    const { broken, logs } = play(seed, {
      localities: ["sjc", "lon"],
      room: { totalActiveUsers: 10, newUsersPerMinute: 40, sessionDuration: 10 },
      forMs: 60_000,
      perMinute: 20,
      staysMinutes: 0.1,
      fromMs: 20_000,
      plan: (world) => {
        const [node = nodesOf(world)[0], other = node] = seed % 2 === 0 ? world.nodes : [...world.nodes].reverse();
        return {
          0: () => node.backUp(),
          6500: () => world.configure({ sessionDuration: 1 }, other),
          8000: () => node.rollBack({ isSameBoot: true }),
        };
      },
    });
    expect(broken).toBeUndefined();
    expect(logs.join()).toContain("lost admissions");
  });

  test("are known for what they were to a node that joined since", () => {
    const world = new World({
      seed: 1,
      localities: ["sjc", "lon", "del"],
      ...TIMES,
      room: { ...ROOM_BEFORE, totalActiveUsers: 12, sessionDuration: 20 },
    });
    world.pass(JOINED_MS);
    const [first, second] = nodesOf(world);
    world.configure({ sessionDuration: 1 }, first);
    world.pass(1_000);
    second.wipe();
    second.start();
    world.pass(20_000);
    expect(second.peer?.members.isMember()).toBe(true);
    expect(second.peer?.members.sessions.longest).toBe(20);
  });
});

test("a room that is created at a node that is cut off is held by its heir, who has not heard of it", () => {
  const localities = ["sjc", "sjc", "lon"];
  const world = new World({ seed: 1, localities, ...TIMES, room: { ...ROOM_BEFORE, totalActiveUsers: 10 } });
  world.pass(JOINED_MS);
  const [first, second, third] = nodesOf(world);
  // The founder owns nothing of the room that all know.
  first.do((peer) => peer.rooms.get(ROOM)?.giveAway(peer.roomMs));
  world.pass(100);
  world.cut(first);
  world.pass(10_000);
  const pots = [second, third].flatMap(({ peer, now }) => peer?.members.pot(now) ?? []);
  expect(pots.map(({ accounts }) => accounts)).toEqual([[first.identity]]);
});
