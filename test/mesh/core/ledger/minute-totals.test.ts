import { describe, expect, test } from "vitest";
import type { Minute } from "../../../../mesh/core/ids.ts";
import { MinuteTotals } from "../../../../mesh/core/ledger/minute-totals.ts";

const minute = (number: number) => number as Minute;

function totalsOf(minutesMax: number, entries: readonly (readonly [number, number])[]): MinuteTotals {
  const totals = new MinuteTotals(minutesMax);
  for (const [at, total] of entries) totals.raise(minute(at), total);
  return totals;
}

describe("totals by minute", () => {
  test("an empty cell counts nothing anywhere", () => {
    const totals = new MinuteTotals(4);
    expect([totals.at(minute(7)), totals.upTo(minute(7)), totals.latest()]).toEqual([0, 0, 0]);
    expect(totals.newestMinute()).toBeUndefined();
    expect(totals.nextAfter(minute(0))).toBe(Number.POSITIVE_INFINITY);
    expect(totals.toData()).toEqual([]);
  });

  test("a total counts from its minute on", () => {
    const totals = totalsOf(4, [
      [10, 100],
      [12, 300],
    ]);
    expect([9, 10, 11, 12, 99].map((at) => totals.upTo(minute(at)))).toEqual([0, 100, 100, 300, 300]);
    expect([9, 10, 11, 12, 99].map((at) => totals.at(minute(at)))).toEqual([0, 100, 0, 300, 0]);
    expect([9, 10, 11, 12].map((at) => totals.nextAfter(minute(at)))).toEqual([10, 12, 12, Number.POSITIVE_INFINITY]);
    expect(totals.latest()).toBe(300);
    expect(totals.newestMinute()).toBe(12);
  });

  test("raising to what is there, or to less, changes nothing", () => {
    const totals = totalsOf(4, [[10, 100]]);
    expect(totals.raise(minute(10), 100)).toBe(false);
    expect(totals.raise(minute(10), 99)).toBe(false);
    expect(totals.raise(minute(10), 101)).toBe(true);
    expect(totals.toData()).toEqual([[10, 101]]);
  });

  test("the newest minutes are kept; an older one that comes late changes nothing", () => {
    const totals = totalsOf(2, [
      [12, 3],
      [10, 1],
      [11, 2],
    ]);
    expect(totals.toData()).toEqual([
      [11, 2],
      [12, 3],
    ]);
    expect(totals.raise(minute(10), 50)).toBe(false);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])("%s is refused: totals are whole numbers below 2^53", (total) => {
    expect(() => new MinuteTotals(1).raise(minute(1), total)).toThrow(
      `Cannot raise a total as it must be a whole number below 2^53: current value is ${total}`,
    );
  });
});
