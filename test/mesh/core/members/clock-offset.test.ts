import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import {
  clockProblems,
  isClockAhead,
  isClockConfirmed,
  isClockOff,
  msBehind,
  msBehindMost,
  msToStartBy,
} from "../../../../mesh/core/members/clock-offset.ts";

function clocks(...offsets: number[]) {
  return offsets.map((offsetMs, index) => ({ node: `n${index}` as NodeId, offsetMs }));
}

describe("the median of clocks", () => {
  test.each([
    { others: [], behind: 0, why: "alone" },
    { others: [3_000], behind: 3_000, why: "of two, neither knows which is wrong" },
    { others: [-3_000], behind: -3_000, why: "of two, either way" },
    { others: [10, 9_000], behind: 10, why: "one wrong clock does not move it" },
    { others: [9_000, 9_010], behind: 9_000, why: "the own clock is the wrong one" },
    { others: [0, 3_000, 3_000], behind: 3_000, why: "two against two: the farther of the middle ones" },
    { others: [-50, 20, 40, 60], behind: 20, why: "small differences are nothing" },
  ])("$others: $behind ms behind ($why)", ({ others, behind }) => {
    expect(msBehind(clocks(...others))).toBe(behind);
  });

  test.each([
    { others: [], isOff: false, why: "alone" },
    { others: [4_000], isOff: false, why: "of two that are 4 s apart" },
    { others: [4_001], isOff: true, why: "of two that are further apart" },
    { others: [-3_800, -3_800, 0, -3_800], isOff: false, why: "of five within 1.9 s of the true time" },
    { others: [-3_800, -3_800, 300, -3_800], isOff: true, why: "of five of which two are more than 4 s apart" },
    { others: [1_900, 100_000], isOff: false, why: "beside one that is wrong" },
    { others: [2_100, 2_100, 100_000], isOff: true, why: "beside one that is wrong, and off the median" },
  ])("$others: the own clock is wrong: $isOff ($why)", ({ others, isOff }) => {
    expect(isClockOff(clocks(...others))).toBe(isOff);
    expect(clockProblems("me" as NodeId, clocks(...others)).some((text) => text.includes("of me"))).toBe(isOff);
    const step = 60_000;
    const measuredBefore = others.map((offsetMs) => offsetMs + step);
    expect(isClockOff(clocks(...measuredBefore), step)).toBe(isOff);
  });

  test.each([
    { others: [], count: 1, isConfirmed: true, why: "alone" },
    { others: [], count: 2, isConfirmed: false, why: "the other one does not answer" },
    { others: [1_000], count: 2, isConfirmed: true, why: "both" },
    { others: [1_000], count: 5, isConfirmed: false, why: "two of five, which may both be wrong" },
    { others: [1_000, 0, 73_000], count: 5, isConfirmed: true, why: "three of five" },
    { others: [-73_000, -73_000, 0, 0], count: 5, isConfirmed: true, why: "three of five, two of them heard" },
    { others: [-73_000, 0, 0, -73_000, -73_000], count: 6, isConfirmed: false, why: "half" },
  ])("$others of $count: the own time is confirmed: $isConfirmed ($why)", ({ others, count, isConfirmed }) => {
    expect(isClockConfirmed(clocks(...others), count)).toBe(isConfirmed);
  });

  test.each([
    { others: [], count: 5, byMs: 0, why: "nobody is heard" },
    { others: [73_000], count: 2, byMs: 0, why: "of two the earlier is the own one" },
    { others: [-73_000], count: 2, byMs: -73_000, why: "of two the earlier is the other one" },
    { others: [1_000, 2_000], count: 3, byMs: 0, why: "all agree" },
    { others: [73_000, 74_000], count: 3, byMs: 74_000, why: "most of all differ from the own one" },
    { others: [73_000, 74_000], count: 5, byMs: 0, why: "two of five may be the wrong ones" },
    { others: [0, 73_000, 74_000], count: 5, byMs: 0, why: "the rest of five is silent" },
    { others: [-73_000, 1_000], count: 5, byMs: -73_000, why: "the earliest of what is heard" },
  ])("$others of $count: one that starts goes by $byMs ms ($why)", ({ others, count, byMs }) => {
    expect(msToStartBy(clocks(...others), count)).toBe(byMs);
  });

  test.each([
    { others: [], count: 2, behind: undefined, why: "nobody is heard" },
    { others: [90_000], count: 2, behind: undefined, why: "of two, neither knows which is wrong" },
    { others: [2_000], count: 2, behind: 0, why: "two that agree" },
    { others: [-90_000], count: 3, behind: undefined, why: "the third may agree with either" },
    { others: [-90_000, -91_000], count: 3, behind: -90_000, why: "the own clock is ahead" },
    { others: [90_000, 30], count: 3, behind: 0, why: "another's is" },
    { others: [-90_000, -91_000], count: 5, behind: undefined, why: "the rest of five is silent" },
  ])("$others of $count: $behind ms behind most ($why)", ({ others, count, behind }) => {
    expect(msBehindMost(clocks(...others), count)).toBe(behind);
  });

  test.each([
    { others: [-4_400, -4_400], byMs: 0, isAhead: false, why: "the grace of slots covers it" },
    { others: [-4_600, -4_600], byMs: 0, isAhead: true, why: "it is ahead of both" },
    { others: [0, 0], byMs: 4_600, isAhead: true, why: "the time is ahead, though not the clock" },
    { others: [-4_600, -4_600], byMs: -4_600, isAhead: false, why: "the clock is ahead, though not the time" },
    { others: [-90_000], byMs: 0, isAhead: true, why: "of two, it may be the wrong one" },
    { others: [90_000], byMs: 0, isAhead: false, why: "it is behind" },
    { others: [-90_000, 0], byMs: 0, isAhead: false, why: "another clock is behind" },
    { others: [], byMs: 90_000, isAhead: false, why: "nobody is heard" },
  ])("$others: a time by $byMs ms ahead of the own clock is ahead: $isAhead ($why)", ({ others, byMs, isAhead }) => {
    expect(isClockAhead(clocks(...others), byMs)).toBe(isAhead);
  });

  test("whose clock is off is named, on its own side and on the others'", () => {
    const self = "me" as NodeId;
    expect(clockProblems(self, clocks(10, -20))).toEqual([]);
    expect(clockProblems(self, clocks(10, 5_000))).toEqual([
      "The clock of n1 is 5.0 s ahead of the median of 3 members, and clocks may be 4 s apart: it admits, adopts and gives nothing until its time is set",
    ]);
    expect(clockProblems(self, clocks(5_000, 5_100))).toEqual([
      expect.stringContaining("The clock of me is 5.0 s behind"),
    ]);
  });
});
