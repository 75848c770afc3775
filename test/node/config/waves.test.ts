import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  goodFromMs,
  lastGood,
  nextStepMs,
  paused,
  rateComplaint,
  resumed,
  type Wave,
} from "../../../node/config/waves.ts";
import { problemsOf, smallest } from "./documents.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 10, 27, 10);
const wave = (rate: string, more: Partial<Wave> = {}): Wave => ({
  ...{ name: "spring", rate, open: 0, startMs: START_MS, isPaused: false },
  ...more,
});
const at = (minutes: number): number => START_MS + minutes * MINUTE_MS;

const WAVE = fc.record({
  name: fc.constant("spring"),
  rate: fc
    .tuple(
      fc.integer({ min: 1, max: 5_000 }),
      fc.constantFrom("", "/0", "/7.5", "/50", "/1000"),
      fc.integer({ min: 1, max: 90 }),
    )
    .map(([size, growth, minutes]) => `${size}${growth}/${minutes}m`),
  open: fc.nat(10_000),
  startMs: fc.nat(1_000).map(at),
  isPaused: fc.constant(false),
});
const TIME = fc.nat(60_000 * 600).map((ms) => START_MS + ms);

describe("a wave of passes", () => {
  test.each([
    ["500/10m", [0, 500, 500, 1_000, 1_500]],
    ["500/50/10m", [0, 500, 500, 1_250, 2_375]],
    ["1/1h", [0, 1, 1, 1, 1]],
  ])("of %s has so many good passes before its start, then, after 9, 10 and 20 minutes", (rate, good) => {
    expect([-1, 0, 9, 10, 20].map((minutes) => lastGood(wave(rate), at(minutes)))).toEqual(good);
  });

  test("says when each pass begins to be good", () => {
    fc.assert(
      fc.property(WAVE, fc.integer({ min: 1, max: 20_000 }), (drawn, passes) => {
        const number = drawn.open + passes;
        const fromMs = goodFromMs(drawn, number) ?? 0;
        expect(lastGood(drawn, fromMs)).toBeGreaterThanOrEqual(number);
        expect(lastGood(drawn, fromMs - 1)).toBeLessThan(number);
      }),
    );
  });

  test("that is paused stands still, takes no pass back, and goes on no faster than without the pause", () => {
    fc.assert(
      fc.property(WAVE, TIME, fc.nat(60_000 * 60), fc.nat(60_000 * 60), (drawn, atMs, pauseMs, afterMs) => {
        const still = paused(drawn, atMs);
        expect([lastGood(still, atMs), lastGood(still, atMs + pauseMs)]).toEqual([
          lastGood(drawn, atMs),
          lastGood(drawn, atMs),
        ]);
        expect(nextStepMs(still, atMs)).toBeUndefined();
        const on = resumed(still, atMs + pauseMs);
        const now = lastGood(on, atMs + pauseMs + afterMs);
        expect(now).toBeGreaterThanOrEqual(lastGood(drawn, atMs));
        expect(now).toBeLessThanOrEqual(lastGood(drawn, atMs + pauseMs + afterMs));
      }),
    );
  });

  test("that is paused and goes on makes the same passes good, at the times when it would have", () => {
    const on = resumed(paused(wave("500/10m"), at(1)), at(3));
    expect([3, 9, 10, 20].map((minutes) => lastGood(on, at(minutes)))).toEqual([500, 500, 1_000, 1_500]);
    const late = resumed(paused(wave("500/10m"), at(1)), at(60));
    expect([60, 69, 70].map((minutes) => lastGood(late, at(minutes)))).toEqual([1_000, 1_000, 1_500]);
  });
});

test.each([
  ["500", "is not SIZE/TIME or SIZE/PERCENT/TIME"],
  ["500/10", "is not SIZE/TIME or SIZE/PERCENT/TIME"],
  ["0/10m", "is not for 1 to 10,000,000 passes at first"],
  ["5/1001/10m", "grows by more than 1000 percent"],
  ["5/0m", "has steps of less than a minute"],
])("a rate of %s is refused: it %s", (rate, problem) => {
  expect(rateComplaint(rate)?.problem).toBe(problem);
  const found = problemsOf(smallest({ waves: { spring: { rate, start: "2026-11-27T10:00:00Z" } } }));
  expect(found.map((each) => `${each.path} ${each.problem}`)).toEqual([`waves.spring.rate ${problem}`]);
});
