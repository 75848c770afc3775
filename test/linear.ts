/** Whether work grows no faster than its input: the same work at two sizes, and the quotient of their times. */

import { expect } from "vitest";

/** The larger input has so many times the bytes of the smaller one. */
export const GROWTH = 8;

/** Linear work takes 8 times as long, quadratic work 64 times; in between is what a busy machine may add. */
const QUOTIENT_MAX = 24;

/** The fastest of so many turns counts: whatever else the machine does only ever adds. */
const TURNS = 7;

/** Shorter times say more about the clock and the compiler than about the work. */
const NOISE_MS = 0.05;

/** Fails if `work` on `inputOf(GROWTH × bytes)` takes disproportionately longer than on `inputOf(bytes)`. */
export function expectLinear<Input>(
  bytes: number,
  inputOf: (bytes: number) => Input,
  work: (input: Input) => void,
): void {
  const small = fastestMs(inputOf(bytes), work);
  const large = fastestMs(inputOf(GROWTH * bytes), work);
  expect(large / Math.max(small, NOISE_MS), `${small} ms, then ${large} ms`).toBeLessThan(QUOTIENT_MAX);
}

/** The least time of some turns (ms). */
export function fastestMs<Input>(input: Input, work: (input: Input) => void): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS; turn++) {
    const startMs = performance.now();
    work(input);
    fastest = Math.min(fastest, performance.now() - startMs);
  }
  return fastest;
}
