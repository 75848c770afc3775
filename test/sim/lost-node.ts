/**
 * What the loss of one node costs: slots that visitors can use, second by second, from the loss of the richest node on.
 *
 * The room fills to a part, then the node with the most free slots is lost, in one of four ways. A slot is usable if a
 * visitor holds it, by the cookies that the judge has seen, or if it is free at a node that may hand it out. A slot of
 * a pot is neither: it is held for sessions that may no longer exist.
 */

import { DEFAULT_TIMES } from "./scenario.ts";
import { ROOM, type SimNode } from "./sim-node.ts";
import { LIGHT, type Visitor } from "./visitor.ts";
import { JOINING_MS, World } from "./world.ts";

export interface LostCase {
  /** `gone` for good; `back` with its disk after two minutes; a `cut` of two minutes; a `restart` within the lease. */
  readonly loss: "gone" | "back" | "cut" | "restart";
  /** Of each node. */
  readonly localities: readonly string[];
  /** Part of the room that is full before. */
  readonly fill: number;
  /**
   * No visitor comes after the loss; two rooms full of visitors come at it; or a line exists before it, because arrivals
   * run short.
   */
  readonly crowd: "calm" | "rush" | "line";
}

interface LostResult {
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

/** Runs a case. Throws `BrokenPromise`. */
export function runLost({ loss, localities, fill, crowd }: LostCase, seed: number): LostResult {
  const room = {
    totalActiveUsers: LOST_ROOM,
    newUsersPerMinute: ARRIVALS.many,
    sessionDuration: SESSION_MINUTES,
    refreshIntervalSeconds: 20,
  };
  const world = new World({ seed, localities, ...DEFAULT_TIMES, room });
  world.pass(JOINING_MS);
  fillRoom(world, Math.round(LOST_ROOM * fill), crowd);
  const node = richest(world);
  const result = {
    held: heldAt(node),
    free: freeAt(node),
    usable: [] as number[],
    inside: [] as number[],
    away: [] as number[],
  };
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
  return result;
}

/** Slots of the first room that visitors hold or could get. */
function usableIn({ nodes, oracle, minute, room }: World): number {
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

function lose(world: World, node: SimNode, loss: LostCase["loss"]): void {
  if (loss === "cut") {
    world.cut(node);
    world.time.after(1_000 * BACK_S.cut, () => world.network.heal());
    return;
  }
  node.crash();
  if (loss !== "gone") world.time.after(1_000 * BACK_S[loss], () => node.start());
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
