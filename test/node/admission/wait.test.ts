import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Minute } from "../../../mesh/core/ids.ts";
import { WaitEstimate } from "../../../node/admission/wait.ts";

const MINUTE_MS = 60_000;
const M = 29_000_000;

/** An estimate after minutes in which so many came in from a line, asked in the minute after them. */
function afterMinutes(letInPerMinute: readonly number[], minuteMs = MINUTE_MS): WaitEstimate {
  const waits = new WaitEstimate(minuteMs);
  for (const [index, letIn] of letInPerMinute.entries()) {
    const minute = (M - letInPerMinute.length + index) as Minute;
    waits.recordWaiting(minute);
    for (let visitor = 0; visitor < letIn; visitor++) waits.recordLetIn(minute);
  }
  waits.recordWaiting(M as Minute);
  return waits;
}

/** Unix ms `seconds` into minute M. */
function at(seconds: number): number {
  return M * MINUTE_MS + seconds * 1_000;
}

/** A room that may admit this many a minute, at its edge. */
const limit = (perMinute: number) => ({ perMinute, isEven: false });

describe("the wait", () => {
  test("is the minutes that the places before fill, to the edge at which the slot comes free", () => {
    const waits = afterMinutes([]);
    const table = [
      [1, 0, 60],
      [1, 59, 1],
      [10, 0, 60],
      [11, 0, 120],
      [11, 30, 90],
      [100, 15, 585],
    ] as const;
    for (const [position, second, seconds] of table)
      expect([position, second, waits.wait(position, at(second), limit(10)).seconds]).toEqual([
        position,
        second,
        seconds,
      ]);
  });

  test("runs down evenly within a minute", () => {
    const waits = afterMinutes([7, 9, 8, 10, 6]);
    const shown = Array.from({ length: 60 }, (_, second) => waits.wait(50, at(second), limit(10)).seconds);
    expect(shown).toEqual(Array.from({ length: 60 }, (_, second) => (shown[0] ?? 0) - second));
  });

  test("is a second for who has a slot already", () => {
    expect(afterMinutes([5]).wait(0, at(30), limit(10)).seconds).toBe(1);
    expect(afterMinutes([5]).wait(-7, at(0), limit(10)).seconds).toBe(1);
  });

  test("follows the rate at which visitors really come in", () => {
    expect(afterMinutes(Array(10).fill(2)).wait(40, at(0), limit(2)).seconds).toBe(20 * 60);
    expect(afterMinutes(Array(10).fill(20)).wait(40, at(0), limit(20)).seconds).toBe(2 * 60);
  });

  test("forgets the rate of more than ten minutes ago", () => {
    expect(afterMinutes([...Array(50).fill(100), ...Array(10).fill(4)]).wait(40, at(0), limit(4)).seconds).toBe(
      10 * 60,
    );
  });

  test("looks at minutes only in which a visitor waited", () => {
    const waits = new WaitEstimate(MINUTE_MS);
    for (let minute = M - 5; minute < M; minute++) waits.recordLetIn(minute as Minute);
    waits.recordWaiting(M as Minute);
    expect(waits.wait(100, at(0), limit(10)).seconds).toBe(10 * 60);
  });

  test("counts every minute once, also when the clock is set back", () => {
    const waits = afterMinutes([10, 10]);
    const before = waits.wait(55, at(0), limit(10));
    waits.recordLetIn((M - 1) as Minute);
    waits.recordWaiting((M - 2) as Minute);
    expect(waits.wait(55, at(0), limit(10))).toEqual(before);
  });

  test("has no spread at an even rate, and a wider one the more the rate varies", () => {
    const spread = (letIn: number[]) => {
      const { earliestSeconds, seconds, latestSeconds } = afterMinutes(letIn).wait(500, at(0), limit(10));
      expect(earliestSeconds).toBeLessThanOrEqual(seconds);
      expect(latestSeconds).toBeGreaterThanOrEqual(seconds);
      return latestSeconds - earliestSeconds;
    };
    expect(spread(Array(10).fill(10))).toBe(0);
    expect(spread([9, 11, 10, 9, 11, 10])).toBeLessThan(spread([1, 19, 10, 1, 19, 10]));
  });

  test("is finite in a line that stands still", () => {
    const { seconds, latestSeconds } = afterMinutes(Array(10).fill(0)).wait(10, at(0), limit(1));
    expect(seconds).toBeLessThanOrEqual(latestSeconds);
    expect(latestSeconds).toBe((10 / 0.1) * 60);
  });

  test("is shown in real seconds when minutes are short", () => {
    const waits = new WaitEstimate(6_000);
    expect(waits.wait(25, 6_000 * M, limit(10)).seconds).toBe(18);
  });

  test("of a paced room runs down by the places, not by the minutes", () => {
    const waits = afterMinutes(Array(10).fill(60));
    const paced = { perMinute: 60, isEven: true };
    expect([1, 10, 90].map((position) => waits.wait(position, at(3), paced).seconds)).toEqual([1, 10, 90]);
  });

  test("does not jump at the edge of a minute by more than the rate changes", () => {
    const steady = fc.record({ rate: fc.integer({ min: 1, max: 50 }), change: fc.integer({ min: -1, max: 1 }) });
    fc.assert(
      fc.property(steady, fc.integer({ min: 1, max: 2_000 }), ({ rate, change }, ahead) => {
        const waits = afterMinutes(Array(10).fill(rate));
        const position = rate + 1 + ahead;
        const before = waits.wait(position, at(59.999), limit(rate)).seconds;
        for (let visitor = 0; visitor < Math.max(1, rate + change); visitor++) waits.recordLetIn(M as Minute);
        waits.recordWaiting((M + 1) as Minute);
        const edge = waits.wait(position - rate, at(60), limit(rate)).seconds;
        // One minute of eleven with one more or less: the mean changes by 1/11, and whole minutes are rounded.
        const most = Math.ceil((position / (rate - 1 / 11) - position / rate) * 60) + 61;
        expect(Math.abs(edge - before)).toBeLessThanOrEqual(most);
      }),
    );
  });
});
