import { expect, test } from "vitest";
import { coarser, countBefore, type LinePlaces } from "../../../../node/admission/mesh/line-places.ts";

/** A line of so many, each 10 places behind the one before. */
function lineOf(visitors: number): LinePlaces {
  return Array.from({ length: visitors }, (_, index) => [10 * index, 10 * index, 1] as const);
}

test("those before a place are all of earlier ranges, and an even part of its own", () => {
  const ranges: LinePlaces = [
    [10, 10, 1],
    [20, 40, 5],
  ];
  const counts = [10, 11, 20, 21, 30, 39, 40, 41].map((place) => countBefore(ranges, place));
  expect(counts).toEqual([0, 1, 1, 2, 3, 4, 5, 6]);
});

test("a long line is told in 64 ranges: its front one by one, and all of its visitors", () => {
  for (const visitors of [0, 1, 32, 64, 500]) {
    const line = lineOf(visitors);
    const told = coarser(line);
    expect(told.length).toBeLessThanOrEqual(64);
    expect(told.slice(0, 32)).toEqual(line.slice(0, 32));
    expect(told.reduce((sum, [, , count]) => sum + count, 0)).toBe(visitors);
    for (let place = 0; place <= 10 * visitors; place += 10) expect(countBefore(told, place)).toBe(place / 10);
  }
});
