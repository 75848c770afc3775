/** Steady clocks that run fast or slow, and never get far from the time. */

import { expect, test } from "vitest";
import { steadyMsAt } from "../sim/steady-clock.ts";

const STEP_MS = 500;
/** What rounding may add, in ms. */
const ROUNDING_MS = 1e-6;

test.each([1.004, 0.996])("at a rate of %d it is fast and slow in turn, by at most 250 ms", (rate) => {
  const offs: number[] = [];
  for (let atMs = 0; atMs <= 300_000; atMs += STEP_MS) {
    const offMs = steadyMsAt(atMs, rate) - atMs;
    // It never runs faster or slower than by its rate.
    expect(Math.abs(offMs - (offs.at(-1) ?? 0))).toBeLessThanOrEqual(STEP_MS * Math.abs(rate - 1) + ROUNDING_MS);
    offs.push(offMs);
  }
  expect([Math.round(Math.min(...offs)), Math.round(Math.max(...offs))]).toEqual([-250, 250]);
});

test("one that is right shows the time", () => {
  expect([0, 1_000, 1_000_000].map((atMs) => steadyMsAt(atMs, 1))).toEqual([0, 1_000, 1_000_000]);
});
