/**
 * A number that only grows, kept for each of the last minutes in which it grew: the one kind of cell of which all
 * replicated state is made (a grow-only counter per writer; Shapiro et al., "Conflict-free Replicated Data Types",
 * 2011).
 *
 * Only one writer raises a cell; all others keep copies. Copies merge by maximum per minute, so messages may be lost,
 * doubled or reordered: a copy is late, never wrong. A cell keeps its newest `minutesMax` minutes and forgets older
 * ones. "The newest few of a union" is itself a merge, so forgetting needs no clock and no agreement.
 *
 * Nothing here knows what is counted.
 */

import type { Minute } from "../ids.ts";
import { BrokenInvariant } from "../invariant.ts";

/** A cell as plain data: pairs of minute and total, earliest minute first. */
export type MinuteTotalsData = readonly (readonly [minute: Minute, total: number])[];

export class MinuteTotals {
  readonly #minutesMax: number;
  /**
   * Pairs of minute and total in no order: most cells have few pairs, and there is one cell for each gift ever given.
   */
  #pairs: number[] = NONE;

  constructor(minutesMax: number) {
    this.#minutesMax = minutesMax;
  }

  /** The total written under exactly this minute; 0 if none. */
  at(minute: Minute): number {
    const pairs = this.#pairs;
    for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === minute) return pairs[at + 1] ?? 0;
    return 0;
  }

  /** The largest total written under this minute or an earlier one; 0 if none. */
  upTo(minute: Minute): number {
    const pairs = this.#pairs;
    let largest = 0;
    for (let at = 0; at < pairs.length; at += 2)
      if ((pairs[at] ?? 0) <= minute) largest = Math.max(largest, pairs[at + 1] ?? 0);
    return largest;
  }

  /** The largest total of all; 0 if none. */
  latest(): number {
    const pairs = this.#pairs;
    let largest = 0;
    for (let at = 1; at < pairs.length; at += 2) largest = Math.max(largest, pairs[at] ?? 0);
    return largest;
  }

  /** The latest minute written; undefined if none. */
  newestMinute(): Minute | undefined {
    const pairs = this.#pairs;
    if (pairs.length === 0) return undefined;
    let newest = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < pairs.length; at += 2) newest = Math.max(newest, pairs[at] ?? 0);
    return newest as Minute;
  }

  /** The first minute after this one that has an entry; Infinity if there is none. */
  nextAfter(minute: Minute): number {
    const pairs = this.#pairs;
    let next = Number.POSITIVE_INFINITY;
    for (let at = 0; at < pairs.length; at += 2) {
      const since = pairs[at] ?? 0;
      if (since > minute) next = Math.min(next, since);
    }
    return next;
  }

  /**
   * Raises the total of a minute to at least `total`. Returns whether anything changed: not if it was as high already,
   * nor if the minute is older than all that are kept.
   */
  raise(minute: Minute, total: number): boolean {
    if (!Number.isSafeInteger(total) || total < 0)
      throw new BrokenInvariant(
        `Cannot raise a total as it must be a whole number below 2^53: current value is ${total}`,
      );
    const pairs = this.#pairs;
    for (let at = 0; at < pairs.length; at += 2) {
      if (pairs[at] !== minute) continue;
      if ((pairs[at + 1] ?? 0) >= total) return false;
      pairs[at + 1] = total;
      return true;
    }
    if (total === 0) return false;
    if (pairs.length < 2 * this.#minutesMax) {
      if (pairs === NONE) this.#pairs = [minute, total];
      else pairs.push(minute, total);
      return true;
    }
    let oldest = 0;
    for (let at = 2; at < pairs.length; at += 2) if ((pairs[at] ?? 0) < (pairs[oldest] ?? 0)) oldest = at;
    if (minute < (pairs[oldest] ?? 0)) return false;
    pairs[oldest] = minute;
    pairs[oldest + 1] = total;
    return true;
  }

  toData(): MinuteTotalsData {
    const pairs = this.#pairs;
    const data: [Minute, number][] = [];
    for (let at = 0; at < pairs.length; at += 2) data.push([(pairs[at] ?? 0) as Minute, pairs[at + 1] ?? 0]);
    return data.length < 2 ? data : data.sort(([a], [b]) => a - b);
  }
}

/** Shared by all empty cells; never written to. */
const NONE: number[] = [];
