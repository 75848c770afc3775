/**
 * The island time of this node, and the longest one that may be in force anywhere: for so long a removed node may go on extending its
 * sessions, so pots last by it.
 *
 * A node's own is settled before its first lease and stays until its process ends. Each ping says it. So whoever grants a lease knows how
 * long its holder extends sessions after it, and a majority of the voters has granted it. A member may have another one than the
 * others: while an operator restarts them one after the other, or by mistake. What is longer counts, see longest.ts.
 *
 * A data directory keeps the island time that it had until a start names another one: a default that changes with a release changes
 * no mesh.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Outbox } from "../wire/outbox.ts";
import { type Earlier, Longest } from "./longest.ts";
import { VIEW_KEY } from "./view-book.ts";

/**
 * Ms for which a removed node may be extending sessions. Half of it, and a rolling restart of a host or a switch is longer; twice as much, and
 * what a lost node held is idle for two minutes more.
 */
export const ISLAND_MS = 120_000;

/** That of a data directory which has none on record: the default of the versions that kept none there. */
export const ISLAND_MS_BEFORE = 600_000;

const KEY = "island";

/** What a member says of its island time. */
export interface IslandWord {
  /** Left out by an earlier version: it speaks with nodes of its own island time only. */
  readonly islandMs?: number | undefined;
  /** Longer ones that were in force, with what is left of their time. */
  readonly islandsEarlier?: readonly Earlier[] | undefined;
}

interface StoredIsland {
  readonly ownMs: number;
  readonly earlier: readonly Earlier[];
}

export interface LongestIslandParts {
  readonly minuteMs: number;
  readonly leaseMs: number;
  /** Of this process. */
  readonly islandMs: number;
  /** Whether it takes on that of the first member it meets, as it has none of its own: it joins, and nobody has named one. */
  readonly takesOn?: boolean;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Outbox;
  readonly now: Instant;
}

/** The island time that a data directory has had; undefined for one that was in no mesh. */
export function islandKept(restored: ReadonlyMap<string, unknown>): number | undefined {
  const stored = restored.get(KEY) as StoredIsland | undefined;
  return stored?.ownMs ?? (restored.has(VIEW_KEY) ? ISLAND_MS_BEFORE : undefined);
}

export class LongestIsland {
  readonly #parts: LongestIslandParts;
  readonly #islands: Longest;
  #mayTakeOn: boolean;

  constructor(parts: LongestIslandParts) {
    this.#parts = parts;
    const { minuteMs, now, islandMs, restored } = parts;
    const before = islandKept(restored);
    this.#mayTakeOn = parts.takesOn === true && before === undefined;
    this.#islands = new Longest({
      minuteMs,
      now,
      earlier: (restored.get(KEY) as StoredIsland | undefined)?.earlier ?? [],
      lastsMs: (ms) => this.#lastsMs(ms),
      save: (at) => this.#save(at),
    });
    this.#islands.own = islandMs;
    if (before !== undefined && before > islandMs) this.#islands.hold(before, now);
    if (before !== islandMs) this.#islands.save(now);
  }

  /** Of this node. */
  get ownMs(): number {
    return this.#islands.own;
  }

  /** A member is met that may take this node in: its island time is the mesh's. */
  meet(islandMs: number | undefined, now: Instant): void {
    if (!this.#mayTakeOn || islandMs === undefined) return;
    this.#mayTakeOn = false;
    this.#islands.own = islandMs;
    this.#islands.save(now);
  }

  /** This node is a member: what it has now it keeps. */
  settle(): void {
    this.#mayTakeOn = false;
  }

  /** What is said to members. */
  word(now: Instant): { islandMs: number; islandsEarlier?: Earlier[] } {
    const earlier = this.#islands.earlier(now);
    return { islandMs: this.ownMs, ...(earlier.length > 0 && { islandsEarlier: earlier }) };
  }

  /** What a member says. */
  heard(from: NodeId, { islandMs = this.ownMs, islandsEarlier = [] }: IslandWord, now: Instant): void {
    this.#islands.heard(from, islandMs, islandsEarlier, now);
    this.#islands.mayLast(islandMs, now);
  }

  /** Members that have another island time than this node, as they last said. */
  get others(): (readonly [NodeId, number])[] {
    return [...this.#islands.words].filter(([, ms]) => ms !== this.ownMs);
  }

  /** The longest that may be in force at `now`, in ms. */
  longestMs(now: Instant): number {
    return this.#islands.at(now);
  }

  /** The longest that a member has, as far as was heard. */
  inForceMs(): number {
    return Math.max(this.ownMs, ...this.#islands.words.values());
  }

  /** Others know of one as long, and not of more of its time than this node would learn from them. */
  mayLast(ms: number, now: Instant): void {
    if (ms > this.longestMs(now)) this.#islands.hold(ms, now);
  }

  /** To be called often; `others`: the members that this node listens to. */
  tick(others: Iterable<NodeId>, now: Instant): void {
    this.#islands.tick(others, now);
  }

  /** Until a node that was cut off extends nothing any more. A minute more as `Longest` wants it, and one for clocks that run apart. */
  #lastsMs(islandMs: number): number {
    const { minuteMs, leaseMs } = this.#parts;
    return leaseMs + islandMs + 2 * minuteMs;
  }

  /** Forced to the disk: it is rare, and a lease may rest on it that was granted a moment later. */
  #save(now: Instant): void {
    const stored: StoredIsland = { ownMs: this.ownMs, earlier: this.#islands.earlier(now) };
    this.#parts.outbox.putVote(KEY, stored);
  }
}
