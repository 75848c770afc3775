/**
 * Sequences of events by people and hosts: each scene is a way in which a promise was once broken, with nodes and times
 * drawn.
 *
 * Its faults are those of any plan, and each may be left out when a failing plan is shortened. Other faults continue
 * meanwhile, and scenes overlap.
 */

import type { FaultKind } from "./fault-kinds.ts";

/** Where scenes play, and what chance there is. */
export interface Stage {
  readonly random: () => number;
  readonly nodes: number;
  readonly rooms: number;
  readonly minuteMs: number;
  readonly leaseMs: number;
}

export type SceneFault = FaultKind & { readonly afterMs: number };

type Scene = (stage: Cast) => SceneFault[];

/** Nodes in an order drawn for a scene, and a room. */
interface Cast extends Stage {
  readonly cast: readonly [number, number, number, ...number[]];
  readonly room: number;
}

/** Minutes of a session, made longer and shorter than what a room begins with. */
const LONGER = [5, 8, 12, 20] as const;
const SHORTER = 1;
/** Furthest that a clock is wrong at a start, in ms: the time of any share that was inherited is over by then. */
const WRONG_MS = 1_000_000;
/**
 * How long a node is cut off, in ms: until after the others use its share, as it may have been told; until it is
 * removed and its heir has done something; and for a moment.
 */
const TO_THE_END_MS = [45_000, 75_000] as const;
const REMOVED_MS = [20_000, 40_000] as const;
const MOMENT_MS = [4_000, 25_000] as const;
/** As long as a start waits for a member to compare its clock with, and a little longer. */
const SILENT_MS = [3_100, 5_000] as const;
/** How far a clock is behind or ahead, in minutes, for a node to forget what it has published by it. */
const HOURS_OFF_MINUTES = [125, 170] as const;
/**
 * Least length of a minute in which clocks may drift: two may be 4 s apart before one is noticed, and the grace of a
 * shorter one is less.
 */
export const DRIFT_MINUTE_MS = 54_000;

/** A node falls silent, and after this time its heir has everything that is left of it in the others' view. */
function removalMs({ leaseMs }: Stage): number {
  return 1.1 * leaseMs + 3_000;
}

const SCENES = {
  "counts lost twice": (stage) => {
    const [node] = stage.cast;
    const first = between(stage, 2_000, 9_000);
    const again = first + between(stage, 4_000, 30_000);
    return [
      { afterMs: 0, what: "back up disk", node },
      { afterMs: first, what: "roll back disk", node },
      { afterMs: again, what: "back up disk", node },
      { afterMs: again + between(stage, 3_000, 9_000), what: "roll back disk", node },
    ];
  },
  "shorter stays, then an old disk": (stage) => {
    const [node, other] = stage.cast;
    const changed = between(stage, 2_000, 9_000);
    return [
      { afterMs: 0, what: "back up disk", node },
      { afterMs: changed, what: "change room", node: other, room: stage.room, sessionDuration: SHORTER },
      { afterMs: changed + between(stage, 1_000, 3_000), what: "roll back disk", node },
    ];
  },
  "an old disk, then a leave": (stage) => {
    const [node] = stage.cast;
    const lost = between(stage, 2_000, 6_000);
    return [
      { afterMs: 0, what: "back up disk", node },
      { afterMs: lost, what: "roll back disk", node },
      { afterMs: lost + between(stage, 1_000, 4_000), what: "leave", node },
    ];
  },
  "longer stays at a cut-off side": (stage) => {
    const [node] = stage.cast;
    return [
      { afterMs: 1_000, ...alone(stage, node, TO_THE_END_MS) },
      {
        afterMs: between(stage, 500, 5_000),
        what: "change room",
        node,
        room: stage.room,
        sessionDuration: one(stage, LONGER),
      },
    ];
  },
  "shorter stays, then a new heir": (stage) => {
    const [node, lost, fresh] = stage.cast;
    const joined = removalMs(stage) + between(stage, 1_000, 4_000);
    return [
      { afterMs: 0, what: "change room", node, room: stage.room, sessionDuration: SHORTER },
      { afterMs: 1_000, what: "lose disk", node: lost },
      { afterMs: joined, what: "lose disk", node: fresh },
      { afterMs: 2 * joined + between(stage, 0, 4_000), what: "leave", node, isHeir: true },
    ];
  },
  "a room deleted and made again": (stage) => {
    const [node, first, second] = stage.cast;
    const left = between(stage, 3_000, 6_000);
    const isChain = stage.random() < 0.5;
    const restart = { what: "crash", at: "now", forMs: 100 } as const;
    return [
      { afterMs: 0, what: "delete room", node, room: stage.room },
      { afterMs: between(stage, 500, 2_500), ...restart, node: isChain ? second : first },
      { afterMs: left, what: "leave", node: first },
      ...(isChain ? [{ afterMs: left + 3_000, what: "leave" as const, node: second }] : []),
      { afterMs: left + between(stage, 3_500, 7_000), what: "make room", node, room: stage.room },
    ];
  },
  "a room made at a cut-off side": (stage) => {
    const [node] = stage.cast;
    return [
      { afterMs: 0, ...alone(stage, node, REMOVED_MS) },
      { afterMs: between(stage, 500, 3_000), what: "make room", node, room: stage.rooms - 1 },
    ];
  },
  "a node forgotten while another falls silent": (stage) => {
    const [by, node, silent] = stage.cast;
    return [
      { afterMs: 300, what: "forget", node, by, forMs: between(stage, 5_000, 30_000) },
      { afterMs: between(stage, 0, 1_000), ...alone(stage, silent, REMOVED_MS) },
    ];
  },
  "a node forgotten that answers": (stage) => {
    const [by, node] = stage.cast;
    return [{ afterMs: 0, what: "forget by mistake", node, by }];
  },
  "an heir that starts by a wrong clock": (stage) => {
    const [node, silent] = stage.cast;
    return [
      { afterMs: 0, ...alone(stage, silent, REMOVED_MS) },
      {
        afterMs: removalMs(stage) + between(stage, 1_000, 5_000),
        what: "start by a wrong clock",
        node,
        isHeir: true,
        byMs: (stage.random() < 0.8 ? 1 : -1) * between(stage, 60_000, WRONG_MS),
        forMs: between(stage, 1_000, 6_000),
      },
    ];
  },
  "a share inherited by a wrong clock": (stage) => {
    const [node, silent] = stage.cast;
    const wrongMs = removalMs(stage) + between(stage, 1_000, 3_000);
    return [
      { afterMs: 0, what: "step clock", node, byMs: -between(stage, 60_000, WRONG_MS), forMs: wrongMs },
      { afterMs: 500, ...alone(stage, silent, REMOVED_MS) },
      {
        afterMs: wrongMs + between(stage, 1_000, 8_000),
        what: "crash",
        node,
        isHeir: true,
        at: "now",
        forMs: 0,
      },
    ];
  },
  "a start by a wrong clock, then silence": (stage) => {
    const [node] = stage.cast;
    return [
      { afterMs: 0, ...wrongStart(stage, node, between(stage, 8_000, 20_000)) },
      { afterMs: between(stage, 300, 1_800), ...alone(stage, node, SILENT_MS) },
    ];
  },
  "a start by a wrong clock, and a full disk": (stage) => {
    const [node] = stage.cast;
    return [
      { afterMs: 0, ...wrongStart(stage, node, between(stage, 8_000, 20_000)) },
      { afterMs: between(stage, 0, 1_500), what: "full disk", node, forMs: between(stage, ...SILENT_MS) },
    ];
  },
  "two starts by the wrong clock of the only member heard": (stage) => {
    const [node, wrong, ...others] = stage.cast;
    const rightMs = between(stage, 5_000, 9_000);
    const restart = { what: "crash", at: "now", node, forMs: 100 } as const;
    return [
      { afterMs: 0, what: "step clock", node: wrong, byMs: hoursOff(stage), forMs: rightMs },
      { afterMs: 300, what: "cut", node, others, isOneWay: false },
      { afterMs: 400, ...restart },
      { afterMs: rightMs + between(stage, 0, 1_000), ...restart },
      { afterMs: rightMs + 1_500, what: "heal links" },
    ];
  },
  "two starts by a wrong clock": (stage) => {
    const [node] = stage.cast;
    const againMs = between(stage, 500, 6_000);
    return [
      { afterMs: 0, ...wrongStart(stage, node, againMs + between(stage, 500, 6_000)) },
      { afterMs: againMs, what: "crash", at: "now", node, forMs: 0 },
    ];
  },
  "several leave at once": (stage) => {
    const leavers = stage.cast.slice(0, 2 + Math.floor(stage.random() * (stage.nodes - 2)));
    return leavers.map((node): SceneFault => ({ afterMs: between(stage, 0, 300), what: "leave", node }));
  },
  "two nodes replaced in a row": (stage) => {
    const [node, next, leaver] = stage.cast;
    const replacedMs = removalMs(stage) + between(stage, 500, 6_000);
    return [
      { afterMs: 0, what: "lose disk", node },
      { afterMs: replacedMs, what: "lose disk", node: next },
      { afterMs: replacedMs + between(stage, 0, 2 * replacedMs), what: "leave", node: leaver },
    ];
  },
  "two broken links, and a lost node": (stage) => {
    const [lost, one, other, ...more] = stage.cast;
    const [third = one, fourth = other] = more;
    return [
      { afterMs: 0, what: "cut", node: one, others: [third], isOneWay: false },
      { afterMs: 0, what: "cut", node: other, others: [fourth], isOneWay: stage.random() < 0.3 },
      { afterMs: 500, what: "lose disk", node: lost },
      { afterMs: removalMs(stage) + between(stage, 2_000, 10_000), what: "heal links" },
    ];
  },
  "a start on a full disk": (stage) => {
    const [node] = stage.cast;
    return [
      { afterMs: 0, what: "full disk", node, forMs: between(stage, 2_000, 9_000) },
      { afterMs: 100, what: "crash", at: "now", node, forMs: 100 },
    ];
  },
  "an heir leaves": (stage) => {
    const [node, lost] = stage.cast;
    return [
      { afterMs: 0, what: "lose disk", node: lost },
      { afterMs: removalMs(stage) + between(stage, 1_000, 8_000), what: "leave", node, isHeir: true },
    ];
  },
  "sessions revoked in a cut": (stage) => {
    const [node, other] = stage.cast;
    const revoke = (at: number, afterMs: number): SceneFault => ({
      afterMs,
      what: "revoke",
      node: at,
      room: stage.room,
      sessions: 1 + Math.floor(stage.random() * 4),
    });
    return [
      { afterMs: 500, ...alone(stage, other, MOMENT_MS) },
      revoke(node, between(stage, 0, 3_000)),
      revoke(other, between(stage, 0, 3_000)),
    ];
  },
  "sessions of a lost node revoked": (stage) => {
    const [node, lost] = stage.cast;
    return [
      { afterMs: 0, what: "lose disk", node: lost },
      {
        afterMs: removalMs(stage) + between(stage, 0, 6_000),
        what: "revoke",
        node,
        room: stage.room,
        sessions: 1 + Math.floor(stage.random() * 4),
      },
    ];
  },
  "power lost": (stage) => {
    const [node] = stage.cast;
    return [{ afterMs: 0, what: "lose power", node, lostMs: between(stage, 20, 500) }];
  },
  "a room changed": (stage) => {
    const [node] = stage.cast;
    const sessionDuration = stage.random() < 0.5 ? SHORTER : one(stage, LONGER);
    return [{ afterMs: 0, what: "change room", node, room: stage.room, sessionDuration }];
  },
  "a room deleted": (stage) => {
    const [node, other] = stage.cast;
    return [
      { afterMs: 0, what: "delete room", node, room: stage.room },
      { afterMs: between(stage, 500, 20_000), what: "make room", node: other, room: stage.room },
    ];
  },
  "a room made": (stage) => [{ afterMs: 0, what: "make room", node: stage.cast[0], room: stage.rooms - 1 }],
  "a node forgotten": (stage) => {
    const [by, node] = stage.cast;
    return [{ afterMs: 0, what: "forget", node, by, forMs: between(stage, 1_000, 20_000) }];
  },
  "a node leaves": (stage) => [{ afterMs: 0, what: "leave", node: stage.cast[0] }],
  "sessions revoked": (stage) => {
    const [node] = stage.cast;
    return [{ afterMs: 0, what: "revoke", node, room: stage.room, sessions: 1 + Math.floor(stage.random() * 4) }];
  },
  "a clock that walks away": (stage) => {
    const [node] = stage.cast;
    const steps = 30 + Math.floor(stage.random() * 25);
    const stepMs = eitherSide(stage, 500, 1_900);
    return [{ afterMs: 0, what: "drift clock", node, stepMs, steps, everyMs: 1_000, forMs: between(stage, 0, 20_000) }];
  },
} as const satisfies Readonly<Record<string, Scene>>;

export type SceneName = keyof typeof SCENES;

/** What every plan contains, at any time. */
export const IN_EVERY_PLAN = [
  "a room changed",
  "a room deleted",
  "a room made",
  "a node forgotten",
  "a node leaves",
  "two nodes replaced in a row",
  "sessions revoked",
] as const satisfies readonly SceneName[];

/**
 * Scenes that can play there besides, in an order drawn. Where a clock can walk away that is the first; then comes a
 * start by a wrong clock.
 */
export function scenesOf(
  random: () => number,
  { minuteMs, disks }: Pick<Stage, "minuteMs"> & { readonly disks: boolean },
): SceneName[] {
  const isInEvery = (name: SceneName): boolean => (IN_EVERY_PLAN as readonly SceneName[]).includes(name);
  const names = (Object.keys(SCENES) as SceneName[]).filter(
    (name) => name !== DRIFT && !isInEvery(name) && (disks || !OF_DISKS.has(name)),
  );
  const first = minuteMs < DRIFT_MINUTE_MS ? [] : [DRIFT];
  const [start, ...starts] = shuffled(random, WRONG_STARTS);
  const others = names.filter((name) => !WRONG_STARTS.includes(name));
  return [...first, ...(start === undefined ? [] : [start]), ...shuffled(random, [...others, ...starts])];
}

const DRIFT: SceneName = "a clock that walks away";
/** Each plan begins with one of them: they need several events within seconds, which chance alone hardly brings. */
const WRONG_STARTS: readonly SceneName[] = [
  "a start by a wrong clock, then silence",
  "a start by a wrong clock, and a full disk",
  "two starts by the wrong clock of the only member heard",
  "two starts by a wrong clock",
];
/** Scenes of old disks. */
const OF_DISKS: ReadonlySet<SceneName> = new Set([
  "counts lost twice",
  "shorter stays, then an old disk",
  "an old disk, then a leave",
  "power lost",
]);

/** The faults of a scene, with what is left to chance drawn. */
export function drawScene(name: SceneName, stage: Stage): readonly SceneFault[] {
  const [first = 0, second = 0, third = 0, ...more] = shuffled(stage.random, [...Array(stage.nodes).keys()]);
  const room = Math.floor(stage.random() * stage.rooms);
  return SCENES[name]({ ...stage, cast: [first, second, third, ...more], room });
}

/** In an order drawn. */
function shuffled<Item>(random: () => number, items: readonly Item[]): Item[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(Math.floor(random() * rest.length), 1));
}

function alone(stage: Stage, node: number, [least, most]: readonly [leastMs: number, mostMs: number]) {
  return { what: "cut off", node, forMs: between(stage, least, most) } as const;
}

function wrongStart(stage: Stage, node: number, forMs: number) {
  return { what: "start by a wrong clock", node, byMs: eitherSide(stage, 60_000, WRONG_MS), forMs } as const;
}

function hoursOff(stage: Stage): number {
  const [least, most] = HOURS_OFF_MINUTES;
  return eitherSide(stage, least * stage.minuteMs, most * stage.minuteMs);
}

function between({ random }: Stage, least: number, most: number): number {
  return Math.round(least + random() * (most - least));
}

function eitherSide(stage: Stage, least: number, most: number): number {
  return (stage.random() < 0.5 ? -1 : 1) * between(stage, least, most);
}

function one<Item>({ random }: Stage, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(random() * items.length)] ?? items[0];
}
