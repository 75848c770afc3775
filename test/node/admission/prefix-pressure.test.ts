import { describe, expect, test } from "vitest";
import { PrefixPressure, QUIET_PER_MINUTE, WORK_FACTOR_MAX } from "../../../node/admission/prefix-pressure.ts";

const WORK_MIN = 1_000;
const AUTO = { mode: "auto", tries: WORK_MIN } as const;
const MINUTE_MS = 60_000;
const START_MS = 1_000 * MINUTE_MS;
const REFRESH_MS = 20_000;
const OFFICE = "203.0.113";

/** The work that each of `count` visitors of `prefix` is asked for, spread evenly over a minute. */
function crowd(pressure: PrefixPressure, count: number, { prefix = OFFICE, fromMs = START_MS } = {}): number[] {
  return Array.from({ length: count }, (_, index) =>
    pressure.arrive({ prefix, nowMs: fromMs + (index * MINUTE_MS) / count }, AUTO),
  );
}

describe("the work of a network", () => {
  test("is none while few come from it", () => {
    expect(new Set(crowd(new PrefixPressure(MINUTE_MS), QUIET_PER_MINUTE))).toEqual(new Set([0]));
  });

  test("begins with the next visitor, and rises with those who come", () => {
    const works = crowd(new PrefixPressure(MINUTE_MS), 10 * QUIET_PER_MINUTE).slice(QUIET_PER_MINUTE);
    expect(works[0]).toBeGreaterThanOrEqual(WORK_MIN);
    expect(works).toEqual(works.toSorted((one, other) => one - other));
    expect(works.at(-1)).toBe(10 * WORK_MIN);
  });

  test("has a bound", () => {
    expect(crowd(new PrefixPressure(MINUTE_MS), 100_000).at(-1)).toBe(WORK_FACTOR_MAX * WORK_MIN);
  });

  test("does not begin again with each minute, and is over two minutes later", () => {
    const pressure = new PrefixPressure(MINUTE_MS);
    crowd(pressure, 1_000);
    expect(pressure.arrive({ prefix: OFFICE, nowMs: START_MS + MINUTE_MS + 1 }, AUTO)).toBeGreaterThan(WORK_MIN);
    expect(pressure.arrive({ prefix: OFFICE, nowMs: START_MS + 3 * MINUTE_MS }, AUTO)).toBe(0);
  });

  test("is asked of everybody with always, and of nobody with off", () => {
    const pressure = new PrefixPressure(MINUTE_MS);
    expect(pressure.arrive({ prefix: OFFICE, nowMs: START_MS }, { ...AUTO, mode: "always" })).toBe(WORK_MIN);
    crowd(pressure, 1_000);
    expect(pressure.arrive({ prefix: OFFICE, nowMs: START_MS }, { ...AUTO, mode: "off" })).toBe(0);
  });

  test("is counted for a bounded number of networks", () => {
    const pressure = new PrefixPressure(MINUTE_MS);
    for (let index = 0; index < 100_000; index++) pressure.arrive({ prefix: `${index}`, nowMs: START_MS }, AUTO);
    expect(new Set(crowd(pressure, 100))).toEqual(new Set([0]));
  });
});

describe("visitors who join and never ask again", () => {
  /** Joins of a hundred networks, two a second, for two minutes; each asks again with this probability, in order. */
  function joins(pressure: PrefixPressure, cameBack: number): void {
    for (let index = 0; index < 240; index++) {
      const joinedMs = START_MS + index * 500;
      pressure.join(joinedMs, REFRESH_MS);
      if ((index * 0.618) % 1 >= cameBack) continue;
      const poll = { joinedMs, refreshMs: REFRESH_MS };
      // Each asks often: that must not make up for others.
      for (const afterMs of [5_000, 10_000, 15_000])
        pressure.poll(`visitor ${index}`, { ...poll, nowMs: joinedMs + afterMs });
    }
  }
  const THEN_MS = START_MS + 120_000;

  test.each([
    [0, WORK_MIN],
    [0.3, WORK_MIN],
    [0.7, 0],
    [1, 0],
  ])("if %s of them come back, a new visitor of a quiet network works for %s", (cameBack, work) => {
    const pressure = new PrefixPressure(MINUTE_MS);
    joins(pressure, cameBack);
    expect(pressure.arrive({ prefix: OFFICE, nowMs: THEN_MS }, AUTO)).toBe(work);
  });

  test("are not judged before their first poll is due, nor when they are few", () => {
    const pressure = new PrefixPressure(MINUTE_MS);
    for (let index = 0; index < 1_000; index++) pressure.join(START_MS + index * 20, REFRESH_MS);
    expect(pressure.isAbandoned(START_MS + 20_000)).toBe(false);
    const few = new PrefixPressure(MINUTE_MS);
    for (let index = 0; index < 20; index++) few.join(START_MS + index * 6_000, REFRESH_MS);
    expect(few.isAbandoned(THEN_MS)).toBe(false);
  });

  test("are forgotten soon after they stop", () => {
    const pressure = new PrefixPressure(MINUTE_MS);
    joins(pressure, 0);
    expect(pressure.isAbandoned(THEN_MS)).toBe(true);
    expect(pressure.isAbandoned(THEN_MS + 3 * REFRESH_MS * 1.25)).toBe(false);
  });
});
