/** Rooms before one origin: what all rooms of a site hold together is counted, and how much of the site they use. */

import { expect, test } from "vitest";
import { run } from "../sim/run.ts";
import { part } from "../sim/scenario.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import { ROOM_NAME, type SimNode } from "../sim/sim-node.ts";
import type { SimRoom } from "../sim/sim-room.ts";
import { World } from "../sim/world.ts";

/** In percent, of the slots that visitors in line could have. */
const USE_MIN = 97;
/** Of some 300 who wait. Lines of several localities hear of each other a moment late; by polls alone, ten are. */
const OVERTAKEN_MAX = 2;

test("each room of a site has all that the others leave, all have no more than the site, and go in as they came", () => {
  const limits = { totalActiveUsers: 60, newUsersPerMinute: 30, sessionDuration: 2, refreshIntervalSeconds: 20 };
  const member = { ...limits, site: ROOM_NAME };
  const { broken, oracle, overtakes } = run({
    scenario: {
      ...scenarioOf("site", 1),
      localities: ["sjc", "sjc", "lon"],
      minutes: 6,
      room: limits,
      more: [member, member],
      wanted: (minute) => (minute < 2 ? [1] : minute < 4 ? [2] : [1, 2]),
      rate: (_, locality) => 80 * part(locality),
      stayMinutes: 6,
    },
    seed: 1,
  });
  expect(broken).toBeUndefined();
  const { fullest, usedSeconds, usableSeconds } = oracle.counts;
  expect(fullest).toEqual({ inside: 60, limit: 60 });
  expect((100 * usedSeconds) / usableSeconds).toBeGreaterThan(USE_MIN);
  expect(overtakes.beyondInterval).toBeLessThanOrEqual(OVERTAKEN_MAX);
});

test("a cut lets the rooms of a site have no more than its limits, on all sides together", () => {
  const { broken, oracle } = run({ scenario: scenarioOf("site-cut", 1), seed: 1 });
  expect(broken).toBeUndefined();
  expect(oracle.counts.fullest).toEqual({ inside: 12, limit: 12 });
});

interface Stage {
  readonly world: World;
  readonly bar: SimRoom;
  readonly nodes: readonly [SimNode, SimNode, SimNode];
}

/** What is done, by ms after the slots of the site are taken. */
type Plan = (stage: Stage) => Readonly<Record<number, () => void>>;

/** The sessions of a room take all slots of its site, and last to the end. Visitors of the site come all the time. */
function fill(seed: number, plan: Plan): World {
  const limits = { totalActiveUsers: 12, newUsersPerMinute: 100, sessionDuration: 10, refreshIntervalSeconds: 2 };
  const more = [{ ...limits, site: ROOM_NAME }, limits];
  const world = new World({
    seed,
    localities: ["sjc", "lon", "del"],
    minuteMs: 6_000,
    leaseMs: 4_000,
    room: limits,
    more,
  });
  world.pass(12_000);
  const [all, bar] = world.rooms;
  const [first, second, third] = world.nodes;
  if (all === undefined || bar === undefined || first === undefined || second === undefined || third === undefined)
    throw new Error("unreachable");
  const come = (room: SimRoom, forMs: number): void => {
    for (let passedMs = 0; passedMs < forMs; passedMs += 250) {
      for (const locality of world.options.localities) world.arrive({ locality, staysMs: 600, room });
      world.pass(250);
    }
  };
  come(bar, 1_000);
  // Nobody of it waits: whom it lets in after it has left, its site does not count.
  world.pass(2_000);
  expect(bar.waiting).toBe(0);
  for (const [atMs, act] of Object.entries(plan({ world, bar, nodes: [first, second, third] })))
    world.time.after(Number(atMs), act);
  // To just before they end: whoever comes back to the room after that does not count in the site any more.
  come(all, 62_000);
  return world;
}

const move = ({ world, bar }: Stage, at: SimNode) => world.order(bar, { site: "" }, at);
const restart = (node: SimNode): void => {
  node.crash();
  node.start();
};

const PLANS: Readonly<Record<string, Plan>> = {
  "leaves it": (stage) => ({ 0: () => move(stage, stage.nodes[0]) }),
  "leaves it while a node is cut off until it is removed": (stage) => ({
    0: () => stage.world.cut(stage.nodes[2]),
    500: () => move(stage, stage.nodes[0]),
    25000: () => stage.world.network.heal(),
  }),
  "leaves it at a node that is cut off": (stage) => ({
    0: () => stage.world.cut(stage.nodes[2]),
    500: () => move(stage, stage.nodes[2]),
    6000: () => stage.world.network.heal(),
  }),
  "is deleted, nodes start again, and it is made again elsewhere": (stage) => {
    const [first, second, third] = stage.nodes;
    return {
      0: () => stage.world.deleteRoom(stage.bar, first),
      1500: () => restart(second),
      3000: () => restart(third),
      9000: () => move(stage, first),
      10500: () => restart(second),
    };
  },
  "is deleted, and a node that started without it leaves": ({ world, bar, nodes: [first, second] }) => ({
    0: () => world.deleteRoom(bar, first),
    1500: () => restart(second),
    8000: () => second.leave(),
  }),
  "leaves it, and a node with an old disk starts": (stage) => {
    const [first, second] = stage.nodes;
    second.backUp();
    return { 500: () => move(stage, first), 2500: () => second.rollBack({ isSameBoot: true }) };
  },
  "is deleted while a node is down": ({ world, bar, nodes: [first, second] }) => ({
    0: () => second.crash(),
    300: () => world.deleteRoom(bar, first),
    2000: () => second.start(),
  }),
};

test.each(Object.entries(PLANS))(
  "the sessions of a room count in its site until they end, also if the room %s",
  (_, plan) => {
    for (const seed of [1, 2]) fill(seed, plan);
  },
);
