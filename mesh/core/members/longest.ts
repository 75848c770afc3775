/**
 * The longest value of something that each member sets for itself and that may still apply anywhere: session durations.
 *
 * Members say their value in their pings. Until a member is known to have a shorter one, and all that rests on the
 * longer one is over, the longer one counts. Pings also carry these earlier values, with what is left of their time,
 * because a node that joined since cannot know them. Each node that knows them has them on disk.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Heartbeats } from "./heartbeats.ts";

/** A value that may still apply, and for how long. */
export type Earlier = [value: number, leftMs: number];

/** Between two times that the remaining time goes to disk, in ms. A restart lengthens it by as much at most. */
const SAVE_MS = 10_000;

/** The members that this node listens to. */
export type Followed = Pick<Heartbeats, "isFollowed" | "count">;

export interface LongestParts {
  /**
   * Ms from the last moment at which a value applied at a member until nothing rests on it, at least one more minute;
   * see `hold`.
   */
  readonly lastsMs: (value: number) => number;
  readonly minuteMs: number;
  /** What was on disk. */
  readonly earlier: readonly Earlier[];
  readonly now: Instant;
  /** Puts what is known on disk. */
  readonly save: (now: Instant) => void;
}

export class Longest {
  /** This node's own. */
  own = 0;
  readonly #parts: LongestParts;
  /** By member: its own, as it last said. */
  readonly #words = new Map<NodeId, number>();
  /** By value: until when, on the steady clock, it may apply although it is no longer this node's own. */
  readonly #earlier = new Map<number, number>();
  #savedMs: number;

  constructor(parts: LongestParts) {
    this.#parts = parts;
    const { steadyMs } = parts.now;
    this.#savedMs = steadyMs;
    for (const [value, leftMs] of parts.earlier) this.#earlier.set(value, steadyMs + leftMs);
  }

  /** What a member says. */
  heard(from: NodeId, value: number, earlier: readonly Earlier[], now: Instant): void {
    this.#words.set(from, value);
    for (const [each, leftMs] of earlier) this.#hold(each, Math.min(leftMs, this.#parts.lastsMs(each)), now);
  }

  /** By member heard since the start: its own value. */
  get words(): ReadonlyMap<NodeId, number> {
    return this.#words;
  }

  /** The longest that may apply at `now`, here or elsewhere. */
  at(now: Instant): number {
    return Math.max(this.own, ...this.#words.values(), this.longestEarlier(now));
  }

  /** The longest that may apply although it is no longer this node's own; 0 for none. */
  longestEarlier(now: Instant): number {
    return Math.max(0, ...this.earlier(now).map(([value]) => value));
  }

  /** All of those. */
  earlier({ steadyMs }: Instant): Earlier[] {
    const left = Array.from(this.#earlier, ([value, untilMs]): Earlier => [value, Math.ceil(untilMs - steadyMs)]);
    return left.filter(([, leftMs]) => leftMs > 0);
  }

  /** `value` applied at a member up to now. */
  hold(value: number, now: Instant): void {
    this.#hold(value, this.#parts.lastsMs(value), now);
  }

  /** The same, if it is longer than this node's own. */
  mayLast(value: number, now: Instant): void {
    if (value > this.own) this.hold(value, now);
  }

  /** Call it often. */
  tick(others: Followed, now: Instant): void {
    for (const node of this.#words.keys()) if (!others.isFollowed(node)) this.#words.delete(node);
    for (const value of this.#words.values()) this.mayLast(value, now);
    // A member that was not heard since the start may still have such a value.
    const isUnheard = others.count > this.#words.size;
    for (const [value, untilMs] of this.#earlier) {
      if (isUnheard && untilMs > now.steadyMs) this.hold(value, now);
      else if (untilMs <= now.steadyMs) this.#earlier.delete(value);
      else continue;
      if (this.#earlier.size === 0) this.save(now);
    }
    if (this.#earlier.size > 0 && now.steadyMs - this.#savedMs >= SAVE_MS) this.save(now);
  }

  save(now: Instant): void {
    this.#savedMs = now.steadyMs;
    this.#parts.save(now);
  }

  /**
   * A difference of less than a minute is not news: otherwise what two nodes tell each other would grow by the time
   * that their messages take.
   */
  #hold(value: number, forMs: number, now: Instant): void {
    const untilMs = now.steadyMs + forMs;
    if (untilMs - (this.#earlier.get(value) ?? now.steadyMs) < this.#parts.minuteMs) return;
    this.#earlier.set(value, untilMs);
    this.save(now);
  }
}
