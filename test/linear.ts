/**
 * Whether work grows no faster than its input: its steps are counted at two sizes, and nothing is measured, so the
 * verdict is the same on every machine. Only tests named `…linear.test.ts` can: the product counts its steps there
 * (steps/).
 */

import { expect } from "vitest";
import { countingNatives } from "./steps/natives.ts";
import { steps } from "./steps/steps.ts";

/** The larger input has so many times the bytes of the smaller one. */
export const GROWTH = 8;

/**
 * Steps of the larger input, against so many times those of the smaller one. Linear work has no more, but for a buffer
 * that doubles just then; quadratic work has 8 times as many.
 */
const QUOTIENT_MAX = 1.1;

/** Fails if `work` on `inputOf(GROWTH × bytes)` takes disproportionately more steps than on `inputOf(bytes)`. */
export function expectLinear<Input>(
  bytes: number,
  inputOf: (bytes: number) => Input,
  work: (input: Input) => void,
): void {
  const [small, large] = [inputOf(bytes), inputOf(GROWTH * bytes)].map((input) => stepsOf(() => work(input))) as [
    number,
    number,
  ];
  const said = `${small} steps for ${bytes} bytes, ${large} for ${GROWTH} times as many`;
  expect(large / (small * GROWTH), said).toBeLessThan(QUOTIENT_MAX);
}

/** Fails if `work` takes `stepsMax` or more. */
export function expectSteps(stepsMax: number, work: () => void): void {
  expect(stepsOf(work)).toBeLessThan(stepsMax);
}

function stepsOf(work: () => void): number {
  let native = 0;
  steps.count = 0;
  countingNatives((more) => {
    native += more;
  }, work);
  expect(steps.count, "the product counts no steps here").toBeGreaterThan(0);
  return steps.count + native;
}
