/**
 * What can be simulated: a mesh, a room, visitors and faults, each with a name.
 *
 * Sizes and rates are of one run; a seed varies what is left to chance. Minutes are short where nothing depends on their length.
 */

import { ISLAND_MS } from "../../mesh/core/members/longest-island.ts";
import type { Sizes } from "../../mesh/core/members/tiers.ts";
import type { Room } from "../../node/config/room.ts";
import { harshDoors, INVITED_ROOM, LANES_ROOM, PROOF_ROOM } from "./doors.ts";
import { drawOf } from "./draw-scenario.ts";
import { saleOf } from "./event-scenarios.ts";
import { eventScript } from "./event-script.ts";
import type { FaultPlan } from "./fault-kinds.ts";
import { DRIFT_MINUTE_MS } from "./fault-scenes.ts";
import type { OriginOptions } from "./origin-model.ts";
import { cameInTwoDays, TWO_DAYS_FROM_MS, TWO_DAYS_MINUTES } from "./two-days.ts";
import { ABANDONER, type Behaviour, BOT, HASTY, LIGHT, MOVER, PATIENT, REFRESHER, SPRAYED } from "./visitor.ts";
import type { World } from "./world.ts";

export interface Scenario {
  readonly name: string;
  /** One line for help. */
  readonly summary: string;
  readonly localities: readonly string[];
  readonly minuteMs: number;
  readonly minutes: number;
  readonly leaseMs: number;
  readonly islandMs: number;
  readonly room: Partial<Room>;
  /** Rooms beside that one: each visitor wants one of all. */
  readonly more?: readonly Partial<Room>[];
  /** The same, made by the plan's hand only. */
  readonly late?: readonly Partial<Room>[];
  /** New visitors per minute in a locality, `minute` minutes after the start. */
  readonly rate: (minute: number, locality: string) => number;
  /** Minutes that visitors stay inside, on average. */
  readonly stayMinutes: number;
  /** Kinds of visitors, each as often as it stands here. */
  readonly crowd: readonly Behaviour[];
  /**
   * `hasScenes`: what one follows from another, what operators do (fault-scenes.ts), and what goes wrong at the front of nodes
   * (front-faults.ts), as well.
   */
  readonly faults?: { readonly everyMs: number; readonly disks: boolean; readonly hasScenes?: boolean };
  /** Certain faults instead of drawn ones, shorter or rarer than what a promise allows for: nobody may be thrown out by them. */
  readonly plan?: (seed: number) => FaultPlan;
  /** What visitors inside ask. */
  readonly origin?: OriginOptions;
  /** Called four times a second, with the minutes since the start. */
  readonly script?: (world: World, minute: number) => void;
  /** How many visitors the first gate of a locality meets for each one at any other; 1 unless given. */
  readonly skew?: number;
  /** Has the mesh founded long ago, and visitors come when free slots have had so long to find their places, in ms. */
  readonly foundedMs?: number;
  /** Other limits than elsewhere, in percent: of visitor-seconds in line beside a free slot, and of slots used while visitors wait, within reach and of all. */
  readonly earlyMax?: number;
  readonly useMin?: number;
  /**
   * Whether no visitor may be overtaken for longer than a poll interval. Where localities lend each other a whole
   * minute's slots, it happens.
   */
  readonly keepsOrder?: boolean;
  /** From which size on the mesh works in which way; as the product has it if left out. */
  readonly sizes?: Sizes;
  /** Whether the room's limits change at random. */
  readonly limitsChange?: boolean;
  /** Whether visitors bring passes, proofs and the like (doors.ts). */
  readonly hasDoors?: boolean;
  /** For what plays on a certain day: Unix ms at which visitors begin to come. */
  readonly startsAtMs?: number;
}

const THREE = ["sjc", "sjc", "sjc", "sjc", "lon", "lon", "lon", "lon", "del", "del", "del", "del"];
const MINUTE_MS = 60_000;

/** As a node has them by default. */
export const DEFAULT_TIMES = { minuteMs: MINUTE_MS, leaseMs: 30_000, islandMs: ISLAND_MS };

/** Short ones, so that much happens in little time. */
const SHORT_TIMES = { minuteMs: 6_000, leaseMs: 4_000, islandMs: 18_000 };

const CALM: Omit<Scenario, "name" | "summary" | "rate"> = {
  localities: ["sjc", "sjc", "lon", "lon", "del"],
  ...DEFAULT_TIMES,
  minutes: 15,
  room: { totalActiveUsers: 600, newUsersPerMinute: 200, sessionDuration: 2, refreshIntervalSeconds: 20 },
  stayMinutes: 3,
  crowd: [PATIENT],
};

/** Long enough for a clock that walks away and comes back. One seed in so many has them, as they take more time. */
const LONG_TIMES = { minuteMs: DRIFT_MINUTE_MS, leaseMs: 8_000, islandMs: 18_000, minutes: 3 };
const LONG_MINUTES_EVERY = 7;

const DOORS_ROOM = { totalActiveUsers: 40, newUsersPerMinute: 30, sessionDuration: 1, refreshIntervalSeconds: 2 };

/** One room for each kind of door, and as many visitors as keep all of them full. */
const DOORS = {
  localities: ["sjc", "sjc", "lon", "lon"],
  ...SHORT_TIMES,
  minutes: 30,
  room: { ...DOORS_ROOM, ...LANES_ROOM },
  more: [INVITED_ROOM, PROOF_ROOM].map((door) => ({ ...DOORS_ROOM, ...door })),
  rate: () => 30,
  stayMinutes: 2,
  // Visitors who owe a proof, or whose pass is refused, leave their slots to others a moment later.
  useMin: 95,
  crowd: [PATIENT, PATIENT, PATIENT, ABANDONER],
  hasDoors: true,
};

const PARTS: Readonly<Record<string, number>> = { sjc: 0.5, lon: 0.35, del: 0.15 };
const part = (locality: string): number => PARTS[locality] ?? 0;

/** Small and harsh: few slots and short minutes, so that much happens in little time. Varied by the seed. */
function harsh(seed: number): Scenario {
  const localities = HARSH_LOCALITIES[seed % HARSH_LOCALITIES.length] ?? [];
  const room = (index: number): Partial<Room> => ({
    totalActiveUsers: 4 + ((seed + 7 * index) % 17),
    // What is used twice is found out where many come in at once; the limit on arrivals where few may.
    newUsersPerMinute: (seed + index) % 2 === 0 ? 2 + ((seed + 3 * index) % 7) : 40,
    sessionDuration: 1 + ((seed + index) % 3),
    refreshIntervalSeconds: 2,
  });
  return {
    name: "harsh",
    summary: HARSH,
    localities,
    ...(seed % LONG_MINUTES_EVERY === 0 ? LONG_TIMES : { ...SHORT_TIMES, minutes: 20 }),
    room: room(0),
    more: [room(1)],
    // A third room costs a quarter more time.
    late: seed % 3 === 0 ? [room(2)] : [],
    rate: harshRate(localities),
    stayMinutes: 7,
    crowd: [PATIENT, PATIENT, ABANDONER, ABANDONER, SPRAYED, REFRESHER, MOVER, BOT],
    faults: { everyMs: 2_000 * 2 ** (seed % 3), disks: true, hasScenes: true },
    limitsChange: seed % 5 === 0,
  };
}

/** The same, with rooms that ask for passes and proofs. */
function harshWithDoors(seed: number): Scenario {
  const { room, more = [], late = [], ...scenario } = harsh(seed);
  const doors = harshDoors(seed, 1 + more.length + late.length);
  const withDoor = (one: Partial<Room>, index: number): Partial<Room> => ({ ...one, ...doors[index] });
  return {
    ...scenario,
    name: "harsh-doors",
    summary: HARSH_DOORS,
    room: withDoor(room, 0),
    more: more.map((one, index) => withDoor(one, 1 + index)),
    late: late.map((one, index) => withDoor(one, 1 + more.length + index)),
    hasDoors: true,
  };
}

/** The same, and what an operator does with methods and events. */
function harshEvents(seed: number): Scenario {
  return { ...harsh(seed), name: "harsh-events", summary: HARSH_EVENTS, script: eventScript(seed) };
}

/** A crowd that fills all rooms before much has happened, then as many as keep them full: a slot that is used twice is not seen while one is free. */
function harshRate(localities: readonly string[]): Scenario["rate"] {
  const places = new Set(localities).size;
  return (minute) => (minute < 2 ? 36 : 10) / places;
}

/** The same with a mesh that works as a large one does, with and without banks. */
function harshTiers(seed: number): Scenario {
  const localities = TIER_LOCALITIES[seed % TIER_LOCALITIES.length] ?? [];
  const scenario = harsh(seed);
  return {
    ...scenario,
    name: "harsh-tiers",
    summary: HARSH_TIERS,
    localities,
    rate: harshRate(localities),
    sizes: { twoTiersFrom: 2, bankFrom: seed % 2 === 0 ? 2 : 100 },
  };
}

/** A rate that holds a line back, in ways that the seed draws: paced or along a ramp, in one locality or several, few or many at once. */
function paced(seed: number): Scenario {
  const localities = PACED_LOCALITIES[seed % PACED_LOCALITIES.length] ?? [];
  const perMinute = PACED_RATES[Math.floor(seed / PACED_LOCALITIES.length) % PACED_RATES.length] ?? 0;
  const isRamp = seed % 2 === 0;
  const places = new Set(localities).size;
  return {
    ...CALM,
    name: "paced",
    summary: PACED,
    localities,
    minutes: 6,
    room: {
      totalActiveUsers: 100_000,
      newUsersPerMinute: isRamp ? 100_000 : perMinute,
      pace: !isRamp,
      ...(isRamp && { ramp: { start: perMinute / 2, percent: 50, minutes: 2 } }),
      sessionDuration: 5,
      refreshIntervalSeconds: 20,
    },
    // Two and a half minutes' worth come at once, then as many as may.
    rate: (minute) => (perMinute * (minute < 0.5 ? 5 : 0.8)) / places,
    crowd: [PATIENT, PATIENT, PATIENT, HASTY],
    keepsOrder: true,
    // Of a ramp's limit most is not released yet. What a ramp uses is tested in ramp.test.ts.
    useMin: isRamp ? 0 : PACED_USE,
  };
}

/** Of slots that are released one by one, in percent; an odd locality's last ones are too few for a slot. */
const PACED_USE = 85;
const PACED = "a line that is let in at a held-back rate, of 60 to 1,200 a minute: nobody may be overtaken; no faults";
const PACED_LOCALITIES = [
  ["sjc"],
  ["sjc", "sjc", "sjc"],
  ["sjc", "sjc", "lon"],
  ["sjc", "sjc", "sjc", "lon", "lon", "del"],
];
const PACED_RATES = [60, 240, 1_200, 12];

const HARSH_TIERS = "the same with 3 to 7 nodes that hear of other localities as in a large mesh, by one digest";
const HARSH_DOORS =
  "harsh, with lanes, invite-only rooms, proofs of work, slots kept for visitors to enter, and receipts";
/** A sale whose order is drawn, while nodes die between commitment and outcome, or are cut off. */
function drawnSale(seed: number): Scenario {
  return { ...CALM, ...drawOf(seed), name: "draw", summary: DRAW };
}

const DRAW =
  "a sale with a draw that anybody can check; a node dies between its commitment and the outcome, or is cut off";
const HARSH_EVENTS = "harsh, with rooms that change their method while visitors wait, and events that begin and end";
const TIER_LOCALITIES = [
  ["sjc", "sjc", "lon", "lon"],
  ["sjc", "lon", "del"],
  ["sjc", "sjc", "lon", "lon", "del"],
  ["sjc", "sjc", "sjc", "lon", "lon", "del", "del"],
  ["sjc", "sjc", "sjc", "lon"],
];

const HARSH =
  "3 to 5 nodes, two rooms of few slots, faults of all kinds, and what people do to rooms and nodes meanwhile; the default";
const HARSH_LOCALITIES = [
  ["sjc", "sjc", "lon"],
  ["sjc", "lon", "del"],
  ["sjc", "sjc", "sjc", "lon"],
  ["sjc", "sjc", "lon", "lon", "del"],
];

const FIXED: readonly Scenario[] = [
  {
    ...CALM,
    name: "steady",
    summary: "twice as many visitors as fit, evenly; no faults",
    rate: (_, locality) => 400 * part(locality),
  },
  {
    ...CALM,
    name: "wave",
    summary: "a day's wave of visitors in 24 minutes, each locality in its own daytime; no faults",
    minutes: 24,
    rate: (minute, locality) =>
      450 * part(locality) * Math.max(0, Math.sin((2 * Math.PI * (minute - (OFFSET[locality] ?? 0))) / 24)) ** 2,
  },
  {
    ...CALM,
    name: "flash",
    summary: "3,000 visitors within a minute on an empty room of 600; no faults",
    rate: (minute, locality) => (minute >= 2 && minute < 3 ? 3_000 : 20) * part(locality),
  },
  {
    ...CALM,
    name: "ramp",
    summary: "visitors grow slowly from none to twice what fits; no faults",
    rate: (minute, locality) => (400 * minute * part(locality)) / 15,
  },
  {
    ...CALM,
    name: "drawn",
    summary: "one locality, 400 visitors who come at once and draw their places; slots come one by one; no faults",
    localities: ["sjc", "sjc", "sjc"],
    minutes: 6,
    room: {
      totalActiveUsers: 100_000,
      newUsersPerMinute: 120,
      pace: true,
      sessionDuration: 2,
      refreshIntervalSeconds: 20,
      queueingMethod: "random",
    },
    // All before the first is let in: a later visitor may stand in front of those who wait.
    rate: (minute) => (minute < 0.1 ? 4_000 : 0),
    keepsOrder: true,
  },
  {
    ...CALM,
    name: "event",
    summary: "a sale: 2,000 visitors in a pre-queue of 3 minutes, drawn at its start, which begins a ramp; no faults",
    ...saleOf({
      before: 2_000,
      after: 200,
      prequeueMinutes: 3,
      minutes: 17,
      localities: ["sjc", "sjc", "lon", "lon", "del"],
      active: 600,
      perMinute: 200,
      ramp: { start: 60, percent: 50, minutes: 1 },
      refreshSeconds: 20,
    }),
    stayMinutes: 1,
    useMin: 0,
  },
  {
    ...CALM,
    name: "sale",
    summary:
      "a sale with a pre-queue of 100,000 visitors on 5 nodes, drawn at its start; takes some minutes; no faults",
    ...saleOf({
      before: 100_000,
      after: 0,
      prequeueMinutes: 5,
      minutes: 15,
      localities: ["sjc", "sjc", "lon", "lon", "del"],
      active: 30_000,
      perMinute: 10_000,
      refreshSeconds: 60,
    }),
    stayMinutes: 0.5,
  },
  {
    ...CALM,
    ...DOORS,
    name: "doors",
    summary: "rooms with lanes, invitations and proofs of work, at double demand: passes, shares, receipts; no faults",
  },
  {
    ...CALM,
    ...DOORS,
    name: "doors-cut",
    summary:
      "the same, and one of 3 nodes is cut off to the end: a pass that was used on both sides is the earlier visitor's",
    localities: ["sjc", "sjc", "lon"],
    minutes: 15,
    // Visitors of the side that is cut off wait at gates of the other one.
    earlyMax: 25,
    faults: { everyMs: 1, disks: false },
    plan: (seed) => ({
      clocks: [],
      faults: [{ atMs: 30_000 + ((997 * seed) % 6_000), what: "split", groups: [[0, 1], [2]] }],
    }),
  },
  {
    ...CALM,
    name: "draw-100000",
    summary: "a sale with a draw that anybody can check and 100,000 in its pre-queue; takes some minutes; no faults",
    ...saleOf({
      before: 100_000,
      after: 0,
      prequeueMinutes: 5,
      minutes: 15,
      localities: ["sjc", "sjc", "lon", "lon", "del"],
      active: 30_000,
      perMinute: 10_000,
      refreshSeconds: 60,
      isDrawn: true,
    }),
    stayMinutes: 0.5,
  },
  {
    ...CALM,
    name: "one-locality",
    summary: "all visitors come to the smallest locality; no faults",
    keepsOrder: true,
    rate: (_, locality) => (locality === "del" ? 400 : 0),
  },
  {
    ...CALM,
    name: "moving",
    summary: "demand moves from one locality to the next every 5 minutes, and visitors move with it; no faults",
    crowd: [PATIENT, MOVER],
    rate: (minute, locality) => (locality === MOVING[Math.floor(minute / 5) % MOVING.length] ? 300 : 10),
  },
  {
    ...CALM,
    name: "crowd",
    summary: "refreshers, people who give up, bots without cookies, movers, many requests at once; no faults",
    crowd: [PATIENT, PATIENT, REFRESHER, ABANDONER, BOT, MOVER, SPRAYED],
    rate: (_, locality) => 300 * part(locality),
  },
  {
    ...CALM,
    name: "two-days",
    summary:
      "9 to 11 September of Cloudflare's example: both limits 200, queueing at 11:45 and 15:00 on the 11th; no faults",
    localities: ["sjc", "lon", "del"],
    startsAtMs: TWO_DAYS_FROM_MS,
    minuteMs: 3_000,
    minutes: TWO_DAYS_MINUTES,
    room: { totalActiveUsers: 200, newUsersPerMinute: 200, sessionDuration: 5, refreshIntervalSeconds: 1 },
    rate: (minute, locality) => cameInTwoDays(minute) * part(locality),
    stayMinutes: 4,
  },
  {
    ...CALM,
    name: "restarts",
    summary: "3 nodes, double demand, one of them restarted every 25 s: nobody inside may notice",
    localities: ["sjc", "sjc", "lon"],
    minutes: 8,
    room: { totalActiveUsers: 45, newUsersPerMinute: 30, sessionDuration: 2, refreshIntervalSeconds: 20 },
    rate: () => 20,
    stayMinutes: 4,
    plan: (seed) => ({
      clocks: [],
      faults: Array.from({ length: 16 }, (_, index) => ({
        atMs: 60_000 + 25_000 * index,
        what: "crash" as const,
        node: (seed + index) % 3,
        at: "now" as const,
        forMs: 2_000,
      })),
    }),
  },
  {
    ...CALM,
    name: "cut-off",
    summary:
      "one of 3 nodes is cut off for longer than its island time, and the others restart meanwhile, some with a shorter one",
    localities: ["sjc", "lon", "del"],
    ...SHORT_TIMES,
    minutes: 22,
    room: { totalActiveUsers: 9, newUsersPerMinute: 9, sessionDuration: 2, refreshIntervalSeconds: 2 },
    rate: () => 3,
    stayMinutes: 30,
    faults: { everyMs: 1, disks: false },
    plan: (seed) => {
      const node = seed % 3;
      const cutMs = 30_000 + ((997 * seed) % 6_000);
      // In every other run before they remove it, with an island time that is over long before its own.
      const isShorter = seed % 2 === 0;
      const restart = { what: "crash", at: "now", forMs: 200, ...(isShorter && { islandMs: 1_000 }) } as const;
      const restartMs = cutMs + (isShorter ? 500 : 16_000);
      return {
        clocks: [],
        faults: [
          {
            atMs: cutMs,
            what: "cut",
            node,
            others: [0, 1, 2].filter((other) => other !== node),
            isOneWay: seed % 4 === 3,
          },
          { atMs: restartMs, ...restart, node: (node + 1) % 3 },
          { atMs: restartMs + (isShorter ? 1_500 : 4_000), ...restart, node: (node + 2) % 3 },
          { atMs: cutMs + 80_000, what: "heal links" },
        ],
      };
    },
  },
  {
    ...CALM,
    name: "old-disks",
    summary: "one of 2 nodes is started from an old copy of its disk",
    localities: ["sjc", "lon"],
    ...SHORT_TIMES,
    minutes: 10,
    room: { totalActiveUsers: 10, newUsersPerMinute: 6, sessionDuration: 3, refreshIntervalSeconds: 2 },
    rate: () => 6,
    stayMinutes: 30,
    faults: { everyMs: 1, disks: true },
    plan: (seed) => ({
      clocks: [],
      faults: [
        { atMs: 2_000 + ((997 * seed) % 6_000), what: "back up disk", node: seed % 2 },
        { atMs: 9_000 + ((1_999 * seed) % 9_000), what: "roll back disk", node: seed % 2 },
      ],
    }),
  },
  {
    ...CALM,
    name: "storm",
    summary: "12 nodes, double demand, ten minutes of faults every 5 s, then rest",
    localities: THREE,
    minutes: 10,
    rate: (_, locality) => 400 * part(locality),
    crowd: [PATIENT, PATIENT, SPRAYED, MOVER, ABANDONER],
    faults: { everyMs: 5_000, disks: true },
  },
];

const MOVING = ["sjc", "lon", "del"];
/** Nodes of a scale scenario by default. */
export const SCALE_NODES = 90;
const SCALE =
  "3 nodes in each of many localities, 1,111 visitors per node in ten minutes, at times more than fit; no faults";

/** Many localities; as many visitors for each node as make a million at 900 of them. */
function scale(nodes: number): Scenario {
  const localities = Array.from({ length: nodes }, (_, index) => `locality-${Math.floor(index / 3)}`);
  const perLocality = (3 * 1_000_000) / 900 / 10;
  const perMinute = (perLocality * nodes) / 3;
  return {
    ...CALM,
    name: "scale",
    summary: SCALE,
    localities,
    minutes: 10,
    foundedMs: 30_000,
    // What is free elsewhere is heard 25 ms per locality late, and goes through the bank.
    earlyMax: 1,
    useMin: 95,
    room: {
      totalActiveUsers: Math.round(2.6 * perMinute),
      newUsersPerMinute: Math.round(1.1 * perMinute),
      sessionDuration: 1,
      refreshIntervalSeconds: 20,
    },
    // A wave: half as many at first, half as many again in the middle.
    rate: (minute) => perLocality * (1 - 0.5 * Math.cos((2 * Math.PI * minute) / 10)),
    stayMinutes: 1,
    crowd: [LIGHT],
  };
}

const OFFSET: Readonly<Record<string, number>> = { sjc: 8, lon: 0, del: 4 };

/** All names with their summaries. */
export const SCENARIOS: readonly Pick<Scenario, "name" | "summary">[] = [
  { name: "harsh", summary: HARSH },
  { name: "harsh-tiers", summary: HARSH_TIERS },
  { name: "harsh-doors", summary: HARSH_DOORS },
  { name: "harsh-events", summary: HARSH_EVENTS },
  { name: "draw", summary: DRAW },
  ...FIXED,
  { name: "paced", summary: PACED },
  { name: "scale", summary: SCALE },
];

/** The scenario of a name as the seed has it; undefined if there is none. `nodes`: for one of any size. */
export function scenarioOf(name: string, seed: number, nodes = SCALE_NODES): Scenario | undefined {
  if (name === "harsh") return harsh(seed);
  if (name === "harsh-tiers") return harshTiers(seed);
  if (name === "harsh-doors") return harshWithDoors(seed);
  if (name === "harsh-events") return harshEvents(seed);
  if (name === "draw") return drawnSale(seed);
  if (name === "paced") return paced(seed);
  if (name === "scale") return scale(nodes);
  return FIXED.find((scenario) => scenario.name === name);
}
