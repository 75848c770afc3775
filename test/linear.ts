/**
 * Whether work grows no faster than its input, and whether it is done within a bound. Both are quotients: the other
 * half is work that lasts about as long, turn by turn, so a host that is slow or busy slows down both.
 */

import { expect } from "vitest";

/** The larger input has so many times the bytes of the smaller one. */
export const GROWTH = 8;

/**
 * The larger input, against the smaller one as often as makes as many bytes. Linear work takes as long, quadratic work
 * 8 times as long; in between is what a busy machine may add.
 */
const QUOTIENT_MAX = 3.5;

/** The fastest of so many turns counts at least: whatever else the machine does only ever adds. */
const TURNS_MIN = 3;

/** A machine that is busy at the wrong moments gets so many turns; quadratic work stays quadratic. */
const TURNS_MAX = 30;

/** Work that is over its bound, and plain work of that length, are each done so many times more. */
const SLOW_TURNS_MAX = 6;

/** Shorter times say more about the clock and the compiler than about the work. */
const NOISE_MS = 0.4;

/**
 * Steps of `plainWork` on the machine on which the bounds were set. On a faster one the bounds hold as they are; on a
 * slower one, half as many make them twice as strict.
 */
const STEPS_PER_MS = 57_000;

/** Fails if `work` on `inputOf(GROWTH × bytes)` takes disproportionately longer than on `inputOf(bytes)`. */
export function expectLinear<Input>(
  bytes: number,
  inputOf: (bytes: number) => Input,
  work: (input: Input) => void,
): void {
  const [short, long] = [inputOf(bytes), inputOf(GROWTH * bytes)];
  const inParts = (part: Input): void => {
    for (let time = 0; time < GROWTH; time++) work(part);
  };
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const quotient = (): number => large / Math.max(small, NOISE_MS);
  for (let turn = 0; turn < TURNS_MIN || (turn < TURNS_MAX && quotient() > QUOTIENT_MAX); turn++) {
    small = Math.min(small, elapsedMs(inParts, short));
    large = Math.min(large, elapsedMs(work, long));
  }
  expect(quotient(), `${small} ms in ${GROWTH} parts, ${large} ms at once`).toBeLessThan(QUOTIENT_MAX);
}

/**
 * Fails if `work` always takes longer than `longestMs`, and longer than what takes `longestMs` on an idle machine takes
 * here and now.
 */
export function expectFast<Input>(longestMs: number, input: Input, work: (input: Input) => void): void {
  let fastest = elapsedMs(work, input);
  let [plain, allowed] = [Number.POSITIVE_INFINITY, longestMs];
  for (let turn = 0; turn < SLOW_TURNS_MAX && fastest >= allowed; turn++) {
    plain = Math.min(plain, elapsedMs(plainWork, longestMs * STEPS_PER_MS));
    fastest = Math.min(fastest, elapsedMs(work, input));
    allowed = Math.max(longestMs, plain);
  }
  expect(fastest, `what takes ${longestMs} ms on an idle machine took ${plain} ms`).toBeLessThan(allowed);
}

/** A chain of calls: no tier of the compiler makes it much faster, and no cache matters. */
function plainWork(steps: number): number {
  let value = 1;
  for (let step = 0; step < steps; step++) value = Math.cos(value);
  return value;
}

function elapsedMs<Input>(work: (input: Input) => void, input: Input): number {
  const startMs = performance.now();
  work(input);
  return performance.now() - startMs;
}
