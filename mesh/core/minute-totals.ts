/**
 * A number that only grows, kept for each of the last minutes in which it grew: the one kind of cell that all
 * replicated state is made of (a grow-only counter per writer; Shapiro et al., "Conflict-free Replicated Data Types", 2011).
 *
 * Only one writer raises a cell; all others keep copies. Copies are joined by the maximum per minute, so messages may
 * be lost, doubled or reordered: a copy is late, never wrong. A cell keeps its newest `minutesMax` minutes and
 * forgets older ones. "The newest few of a union" is itself a join, so forgetting needs no clock and no agreement.
 *
 * Nothing here knows what is counted.
 */

import type { Minute } from "./ids.ts";

/** A cell as plain data: pairs of minute and total, earliest minute first. */
export type MinuteTotalsData = readonly (readonly [minute: Minute, total: number])[];

export class MinuteTotals {
  readonly #minutesMax: number;
  readonly #totals = new Map<Minute, number>();

  constructor(minutesMax: number) {
    this.#minutesMax = minutesMax;
  }

  /** The total written under exactly this minute; 0 if none. */
  at(minute: Minute): number {
    return this.#totals.get(minute) ?? 0;
  }

  /** The largest total written under this minute or an earlier one; 0 if none. */
  upTo(minute: Minute): number {
    let largest = 0;
    for (const [since, total] of this.#totals) if (since <= minute && total > largest) largest = total;
    return largest;
  }

  /** The largest total of all; 0 if none. */
  latest(): number {
    return Math.max(0, ...this.#totals.values());
  }

  /** The latest minute written; undefined if none. */
  newestMinute(): Minute | undefined {
    return this.#totals.size === 0 ? undefined : (Math.max(...this.#totals.keys()) as Minute);
  }

  /** The first minute after this one under which something is written; Infinity if none. */
  nextAfter(minute: Minute): number {
    return Math.min(Number.POSITIVE_INFINITY, ...[...this.#totals.keys()].filter((since) => since > minute));
  }

  /**
   * Raises the total of a minute to at least `total`. Returns whether anything changed: not if it stood as high
   * already, nor if the minute is older than all that are kept.
   */
  raise(minute: Minute, total: number): boolean {
    if (!Number.isSafeInteger(total) || total < 0)
      throw new RangeError(`Cannot raise a total as it must be a whole number below 2^53: current value is ${total}`);
    if (total <= this.at(minute)) return false;
    this.#totals.set(minute, total);
    if (this.#totals.size <= this.#minutesMax) return true;
    const oldest = Math.min(...this.#totals.keys()) as Minute;
    this.#totals.delete(oldest);
    return oldest !== minute;
  }

  toData(): MinuteTotalsData {
    return [...this.#totals].sort(([a], [b]) => a - b);
  }
}
