/**
 * This node's island time, and the longest one that may apply anywhere. A removed node may extend its sessions for that
 * long, so pots last by it.
 *
 * A node's own value is settled before its first lease and stays until its process ends. Each ping carries it. So each
 * node that grants a lease knows how long its holder extends sessions afterwards, and a majority of the voters has
 * granted it. Members may have different values: while an operator restarts them one after another, or by mistake. The
 * longest counts, see longest.ts.
 *
 * A data directory keeps its island time until a start names another one: a default that changes with a release does
 * not change an existing mesh.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Puts } from "../wire/outbox.ts";
import { type Earlier, type Followed, Longest } from "./longest.ts";
import { ISLAND, VIEW } from "./stored-members.ts";

/**
 * Ms for which a removed node may extend sessions. Halved, a rolling restart of a host or a switch takes longer than
 * this; doubled, what a lost node held is idle for two minutes more.
 */
export const ISLAND_MS = 120_000;

/** For a data directory without a recorded value: the default of the versions that recorded none. */
export const ISLAND_MS_BEFORE = 600_000;

/** What a member says about its island time. */
export interface IslandWord {
  /** Left out by an earlier version, which speaks only with nodes of its own island time. */
  readonly islandMs?: number | undefined;
  /** Longer values that applied before, with what is left of their time. */
  readonly islandsEarlier?: readonly Earlier[] | undefined;
}

export interface LongestIslandParts {
  readonly minuteMs: number;
  readonly leaseMs: number;
  /** Of this process. */
  readonly islandMs: number;
  /** Whether it takes on the value of the first member it meets: it is joining, and no value was named. */
  readonly takesOn?: boolean;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Puts;
  readonly now: Instant;
}

/** The island time recorded in a data directory; undefined if it was in no mesh. */
export function islandKept(restored: ReadonlyMap<string, unknown>): number | undefined {
  const stored = ISLAND.read(restored);
  return stored?.ownMs ?? (restored.has(VIEW.at()) ? ISLAND_MS_BEFORE : undefined);
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
      earlier: ISLAND.read(restored)?.earlier ?? [],
      lastsMs: (ms) => this.#lastsMs(ms),
      save: (at) => this.#save(at),
    });
    this.#islands.own = islandMs;
    if (before !== undefined && before > islandMs) this.#islands.hold(before, now);
    if (before !== islandMs) this.#islands.save(now);
  }

  /** This node's value. */
  get ownMs(): number {
    return this.#islands.own;
  }

  /** A member that may admit this node: its island time is the mesh's. */
  meet(islandMs: number | undefined, now: Instant): void {
    if (!this.#mayTakeOn || islandMs === undefined) return;
    this.#mayTakeOn = false;
    this.#islands.own = islandMs;
    this.#islands.save(now);
  }

  /** This node is a member: it keeps its present value. */
  settle(): void {
    this.#mayTakeOn = false;
  }

  /** What members are told. */
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

  /** The longest that may apply at `now`, in ms. */
  longestMs(now: Instant): number {
    return this.#islands.at(now);
  }

  /** Other nodes know of one as long, and not of more of its time than this node would learn from them. */
  mayLast(ms: number, now: Instant): void {
    if (ms > this.longestMs(now)) this.#islands.hold(ms, now);
  }

  /** Call it often. */
  tick(others: Followed, now: Instant): void {
    this.#islands.tick(others, now);
  }

  /**
   * Until a cut-off node no longer extends any session. One more minute because `Longest` needs it, and one for clocks
   * that drift apart.
   */
  #lastsMs(islandMs: number): number {
    const { minuteMs, leaseMs } = this.#parts;
    return leaseMs + islandMs + 2 * minuteMs;
  }

  /** Forced to disk: it is rare, and a lease that is granted a moment later may rest on it. */
  #save(now: Instant): void {
    this.#parts.outbox.putVote(ISLAND.at(), { ownMs: this.ownMs, earlier: [...this.#islands.earlier(now)] });
  }
}
