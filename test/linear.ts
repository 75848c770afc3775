/** Whether work grows no faster than its input: the same work at two sizes, and the quotient of their times. */

import { expect } from "vitest";

/** The larger input has so many times the bytes of the smaller one. */
export const GROWTH = 8;

/** Linear work takes 8 times as long, quadratic work 64 times; in between is what a busy machine may add. */
const QUOTIENT_MAX = 28;

/** The fastest of so many turns counts: whatever else the machine does only ever adds. */
const TURNS = 3;

/** A machine that is busy at the wrong moment gets so many further chances; quadratic work stays quadratic. */
const ATTEMPTS = 6;

/** Shorter times say more about the clock and the compiler than about the work. */
const NOISE_MS = 0.05;

/** Fails if `work` on `inputOf(GROWTH × bytes)` takes disproportionately longer than on `inputOf(bytes)`. */
export function expectLinear<Input>(
  bytes: number,
  inputOf: (bytes: number) => Input,
  work: (input: Input) => void,
): void {
  const [short, long] = [inputOf(bytes), inputOf(GROWTH * bytes)];
  let [small, large] = [NOISE_MS, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < ATTEMPTS && large > QUOTIENT_MAX * small; attempt++) {
    // The small one's latest time: by the second attempt the compiler has done for both what it can.
    small = Math.max(fastestMs(short, work), NOISE_MS);
    large = Math.min(large, fastestMs(long, work));
  }
  expect(large / small, `${small} ms, then ${large} ms`).toBeLessThan(QUOTIENT_MAX);
}

/** Fails if `work` always takes longer than `longestMs`. */
export function expectFast<Input>(longestMs: number, input: Input, work: (input: Input) => void): void {
  let fastest = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < ATTEMPTS * TURNS && fastest > longestMs; turn++) {
    fastest = Math.min(fastest, elapsedMs(input, work));
  }
  expect(fastest).toBeLessThan(longestMs);
}

/** The least time of some turns (ms). */
function fastestMs<Input>(input: Input, work: (input: Input) => void): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS; turn++) fastest = Math.min(fastest, elapsedMs(input, work));
  return fastest;
}

function elapsedMs<Input>(input: Input, work: (input: Input) => void): number {
  const startMs = performance.now();
  work(input);
  return performance.now() - startMs;
}
