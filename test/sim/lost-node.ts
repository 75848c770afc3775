/**
 * What the loss of one node costs: slots that visitors can use, second by second, from the loss of the richest node on.
 *
 * The room fills to a part, then the node with the most free slots is lost, in one of four ways. A slot is usable if a
 * visitor holds it, by the cookies that the judge has seen, or if it is free at a node that may hand it out. A slot of
 * a pot is neither: it is held for sessions that may no longer exist.
 */

import { availableParallelism } from "node:os";
import { linesOf } from "./many.ts";
import { BrokenPromise } from "./oracle.ts";
import { DEFAULT_TIMES } from "./scenario.ts";
import { ROOM, type SimNode } from "./sim-node.ts";
import { LIGHT, type Visitor } from "./visitor.ts";
import { JOINING_MS, World } from "./world.ts";

/** The name of the scenario. */
export const LOST_NODE = "lost-node";
/** `gone` for good; `back` with its disk after two minutes; a `cut` of two minutes; a `restart` within the lease. */
export const LOSSES = ["gone", "back", "cut", "restart"] as const;
/**
 * No visitor comes after the loss; two rooms full of visitors come at it; or a line exists before it, because arrivals
 * run short.
 */
export const CROWDS = ["calm", "rush", "line"] as const;
const SIZES: Readonly<Record<string, readonly string[]>> = {
  "3x1": ["sjc", "sjc", "sjc"],
  "3x3": ["sjc", "lon", "del"],
  "5x1": ["sjc", "sjc", "sjc", "sjc", "sjc"],
  "5x3": ["sjc", "sjc", "lon", "lon", "del"],
};
const FILLS: Readonly<Record<string, number>> = { third: 1 / 3, twothirds: 2 / 3, ninetenths: 0.9 };

export interface LostCase {
  /** Its four words, with a hyphen between them. */
  readonly name: string;
  readonly loss: (typeof LOSSES)[number];
  /** Nodes, and in how many localities: `5x3`. */
  readonly size: string;
  readonly fill: string;
  readonly crowd: (typeof CROWDS)[number];
}

export const LOST_CASES: readonly LostCase[] = LOSSES.flatMap((loss) =>
  Object.keys(SIZES).flatMap((size) =>
    Object.keys(FILLS).flatMap((fill) =>
      CROWDS.map((crowd) => ({ name: [loss, size, fill, crowd].join("-"), loss, size, fill, crowd })),
    ),
  ),
);

/** All words of the names. */
export const LOST_WORDS = [...LOSSES, ...Object.keys(SIZES), ...Object.keys(FILLS), ...CROWDS].join(", ");

/** The cases that have all words of any of `wanted`, such as `gone-third,cut-5x3`; all of them for none. */
export function lostCasesOf(wanted: string): readonly LostCase[] {
  const groups = wanted.split(",").map((words) => words.split("-").filter((word) => word !== ""));
  return LOST_CASES.filter(({ name }) => groups.some((words) => words.every((word) => name.split("-").includes(word))));
}

export interface LostResult extends Pick<LostCase, "name"> {
  readonly seed: number;
  /** What was broken; null if all promises were kept. */
  readonly broken: string | null;
  /** Slots of the lost node just before: those that its sessions held, and free ones. */
  readonly held: number;
  readonly free: number;
  /** Usable slots, the moment before and then in each second the most. */
  readonly usable: readonly number[];
  /** At the same moments: visitors inside, by their cookies. */
  readonly inside: readonly number[];
  /** And sessions of the lost node that no other node has answered for since. */
  readonly away: readonly number[];
}

/** Cases with `count` seeds each. */
export interface LostRuns {
  readonly cases: readonly LostCase[];
  readonly first: number;
  readonly count: number;
}

/** Slots of the room. */
export const LOST_ROOM = 300;
/** Seconds from the loss until the node, or its links, are back. */
export const BACK_S: Readonly<Record<LostCase["loss"], number>> = {
  gone: Number.POSITIVE_INFINITY,
  back: 120,
  cut: 120,
  restart: 1,
};

const SESSION_MINUTES = 5;
/** So many a minute that arrivals are never short, and so few that they are. */
const ARRIVALS = { many: 600, few: 30 };
const FILL_MS = 100_000;
/** Until free slots have found their places. */
const SETTLE_MS = 30_000;
/** How long a line exists before the loss. */
const LINE_MS = 60_000;
const RUSH = 2 * LOST_ROOM;
const RUSH_MS = 5_000;
/** Visitors stay: only the fate of the lost node's share changes. */
const STAYS_MS = 3_600_000;
/** In a second. */
const LOOKS = 4;
/**
 * A run ends when everything was usable for this long, and no sooner than this after the loss, or after the return: a
 * lease, and the minute that a crowd needs to take what is free.
 */
const WHOLE_S = 30;
const SETTLED_S = 110;
const LONGEST_S = 1_200;
const RESTART_S = 90;

/** Runs cases with this many seeds each, on all cores, reporting each run as it is done; in the order of the cases. */
export async function runLostMany(
  { cases, first, count }: LostRuns,
  onResult: (result: LostResult) => void,
): Promise<LostResult[]> {
  const results: LostResult[] = [];
  const note = (result: LostResult): void => {
    results.push(result);
    onResult(result);
  };
  const processes = Math.min(availableParallelism(), cases.length);
  const seeds = ["--seed", `${first}`, "--seeds", `${count}`];
  if (processes < 2) for (const result of runLostHere({ cases, first, count })) note(result);
  else
    await Promise.all(
      Array.from({ length: processes }, (_, part) => {
        const names = cases.flatMap(({ name }, index) => (index % processes === part ? name : []));
        return linesOf(["--scenario", LOST_NODE, "--case", names.join(), ...seeds], note);
      }),
    );
  const order = new Map(cases.map(({ name }, index) => [name, index]));
  return results.sort(
    (one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0) || one.seed - other.seed,
  );
}

/** Runs them in this process. */
export function* runLostHere({ cases, first, count }: LostRuns): Generator<LostResult> {
  for (const one of cases) for (let seed = first; seed < first + count; seed++) yield runLost(one, seed);
}

/** Runs a case. */
export function runLost(
  { name, loss, size, fill, crowd }: LostCase,
  seed: number,
  log?: World["options"]["log"],
): LostResult {
  const room = {
    totalActiveUsers: LOST_ROOM,
    newUsersPerMinute: ARRIVALS.many,
    sessionDuration: SESSION_MINUTES,
    refreshIntervalSeconds: 20,
  };
  const world = new World({ seed, localities: SIZES[size] ?? [], ...DEFAULT_TIMES, room, ...(log && { log }) });
  const result = { held: 0, free: 0, usable: [] as number[], inside: [] as number[], away: [] as number[] };
  let broken: string | null = null;
  try {
    world.pass(JOINING_MS);
    fillRoom(world, Math.round(LOST_ROOM * (FILLS[fill] ?? 0)), crowd);
    const node = richest(world);
    Object.assign(result, { held: heldAt(node), free: freeAt(node) });
    const isAway = awayFrom(world, node);
    const look = (usable: number): void => {
      result.usable.push(usable);
      result.inside.push(world.oracle.inside(world.minute));
      result.away.push([...world.visitors].filter(isAway).length);
    };
    look(usableIn(world));
    lose(world, node, loss);
    if (crowd === "rush") come(world, RUSH, RUSH_MS);
    while (!isOver(result.usable, loss)) look(mostOfSecond(world));
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    broken = error.message;
  }
  return { name, seed, broken, ...result };
}

/** Slots of the first room that visitors hold or could get. */
export function usableIn({ nodes, oracle, minute, room }: World): number {
  const free = nodes.reduce((sum, node) => sum + freeAt(node), 0);
  return Math.min(room.totalActiveUsers, oracle.inside(minute) + free);
}

/**
 * The most slots usable at one moment in the second to come. A slot on its way between two nodes belongs to neither for
 * a moment, and when the members change, no node may hand any out for a round trip.
 */
function mostOfSecond(world: World): number {
  let most = 0;
  for (let look = 0; look < LOOKS; look++) {
    world.pass(1_000 / LOOKS);
    most = Math.max(most, usableIn(world));
  }
  return most;
}

/** Active slots that a node may hand out: none while it does not run or may not act, and never those of a pot. */
function freeAt(node: SimNode): number {
  const { peer } = node;
  const room = node.isRunning ? peer?.rooms.get(ROOM) : undefined;
  return peer === undefined || room === undefined ? 0 : room.gauge(peer.roomMs).active;
}

function heldAt({ peer }: SimNode): number {
  return peer?.rooms.get(ROOM)?.admission.inside(peer.roomMs) ?? 0;
}

function richest({ nodes }: World): SimNode {
  const [first, ...others] = nodes;
  if (first === undefined) throw new Error("Broken: a world has nodes");
  return others.reduce((most, node) => (freeAt(node) > freeAt(most) ? node : most), first);
}

/**
 * Whether a visitor's session was the lost node's, and no other node has answered for it since: neither extended nor
 * adopted it.
 */
function awayFrom(world: World, { peer }: SimNode): (visitor: Visitor) => boolean {
  const accounts = new Set(peer?.replica.accounts);
  const lost = new Map(
    [...world.visitors].flatMap(({ number, cookie }) =>
      cookie?.kind === "inside" && accounts.has(cookie.home) ? [[number, cookie]] : [],
    ),
  );
  return ({ number, cookie }) => {
    const before = lost.get(number);
    return (
      before !== undefined &&
      cookie?.kind === "inside" &&
      cookie.home === before.home &&
      cookie.lastGood <= before.lastGood
    );
  };
}

function lose({ nodes, network, time }: World, node: SimNode, loss: LostCase["loss"]): void {
  if (loss === "cut") {
    for (const other of nodes.filter((each) => each !== node)) {
      network.cut(node.identity, other.identity);
      network.cut(other.identity, node.identity);
    }
    time.after(1_000 * BACK_S.cut, () => network.heal());
    return;
  }
  node.crash();
  if (loss !== "gone") time.after(1_000 * BACK_S[loss], () => node.start());
}

/** Visitors come in until as many are inside; in a case with a line, the last of them from a line that stands. */
function fillRoom(world: World, inside: number, crowd: LostCase["crowd"]): void {
  const [few, waitMs] = crowd === "line" ? [ARRIVALS.few, LINE_MS] : [0, 0];
  come(world, inside - few, FILL_MS);
  world.pass(FILL_MS + SETTLE_MS);
  const [first] = world.nodes;
  if (crowd !== "line" || first === undefined) return;
  world.configure({ newUsersPerMinute: ARRIVALS.few }, first);
  come(world, RUSH, RUSH_MS);
  world.pass(waitMs);
}

/** So many visitors come within a time, evenly, to each locality in turn. */
function come(world: World, visitors: number, forMs: number): void {
  const places = [...new Set(world.options.localities)];
  for (let index = 0; index < visitors; index++)
    world.time.after((index * forMs) / visitors, () =>
      world.arrive({ locality: places[index % places.length] ?? "", staysMs: STAYS_MS, behaviour: LIGHT }),
    );
}

/** Whether a run is over: all has been usable for a while, or it has lasted too long. */
function isOver(usable: readonly number[], loss: LostCase["loss"]): boolean {
  const seconds = usable.length - 1;
  if (seconds >= (loss === "restart" ? RESTART_S : LONGEST_S)) return true;
  const goneS = loss === "gone" || loss === "restart" ? SETTLED_S : BACK_S[loss] + SETTLED_S;
  return seconds >= goneS && usable.slice(-WHOLE_S).every((slots) => slots === LOST_ROOM);
}
