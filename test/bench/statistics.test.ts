import { describe, expect, test } from "vitest";
import { cpuMsOf, median, medianRatio, quantile } from "./statistics.ts";

describe("statistics", () => {
  test("the median is the value in the middle, in any order", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([10, 9, 2, 1])).toBe(5.5);
    expect(median([7])).toBe(7);
  });

  test("there is no median of nothing", () => expect(median([])).toBeNaN());

  test("a quantile is a value that was measured: the nearest rank", () => {
    const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect(quantile(hundred, 0.99)).toBe(99);
    expect(quantile([7, 3], 0.5)).toBe(3);
    expect(quantile([3], 0.99)).toBe(3);
    expect(quantile([], 0.5)).toBeNaN();
  });

  test("a slow round changes both sides of a ratio and so not the ratio", () => {
    expect(medianRatio([80, 8, 82], [100, 10, 100])).toBe(0.8);
  });

  test("rounds without a counterpart are left out of a ratio", () => {
    expect(medianRatio([1, 2], [2])).toBe(0.5);
    expect(medianRatio([], [])).toBeNaN();
  });

  test("CPU time is counted behind the process's name, whatever the name holds", () => {
    const stat = "42 (a) b (c)) S 1 42 42 0 -1 4194560 100 0 0 0 250 50 7 7 20 0 9 0 100 0 0";
    expect(cpuMsOf(stat, 100)).toBe(3_000);
  });
});
