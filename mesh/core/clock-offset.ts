/**
 * Whose clock is wrong: each node measures how far the others' clocks are from its own, and compares with the median.
 *
 * A ping's answer tells the other's time; half of the round trip is taken for the way there. The median of all, the own
 * clock included, is what most agree on: one wrong clock does not move it. With two clocks nobody can tell which is
 * wrong, so both hold back: of two middle values the farther one counts.
 */

import type { NodeId } from "./ids.ts";

/** How far a clock may be off, in ms. The grace of slots (minute.ts) covers this and no more. */
export const OFF_MS_MAX = 2_000;

/** How far a member's clock is ahead of the own one, in ms. */
export interface ClockOffset {
  readonly node: NodeId;
  readonly offsetMs: number;
}

/** How far the own clock is behind the median of it and `others`, in ms; negative when it is ahead. */
export function msBehind(others: readonly ClockOffset[]): number {
  const sorted = [0, ...others.map(({ offsetMs }) => offsetMs)].sort((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return Math.abs(upper) > Math.abs(lower) ? upper : lower;
}

/** What an operator must know of the clocks of `self` and the others, one sentence for each that is off. */
export function clockProblems(self: NodeId, others: readonly ClockOffset[]): string[] {
  const behindMs = msBehind(others);
  const all = [{ node: self, offsetMs: 0 }, ...others];
  return all.flatMap(({ node, offsetMs }) => {
    const offMs = node === self ? -behindMs : offsetMs - behindMs;
    if (Math.abs(offMs) <= OFF_MS_MAX) return [];
    const by = `${(Math.abs(offMs) / 1_000).toFixed(1)} s ${offMs < 0 ? "behind" : "ahead of"}`;
    return [
      `The clock of ${node} is ${by} the median of ${all.length} members, and may be ${OFF_MS_MAX / 1_000} s off: it admits, adopts and gives nothing until its time is set`,
    ];
  });
}
