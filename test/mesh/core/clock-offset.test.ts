import { describe, expect, test } from "vitest";
import { clockProblems, msBehind } from "../../../mesh/core/clock-offset.ts";
import type { NodeId } from "../../../mesh/core/ids.ts";

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

  test("whose clock is off is named, on its own side and on the others'", () => {
    const self = "me" as NodeId;
    expect(clockProblems(self, clocks(10, -20))).toEqual([]);
    expect(clockProblems(self, clocks(10, 5_000))).toEqual([
      "The clock of n1 is 5.0 s ahead of the median of 3 members, and may be 2 s off: it admits, adopts and gives nothing until its time is set",
    ]);
    expect(clockProblems(self, clocks(4_000, 4_100))).toEqual([
      expect.stringContaining("The clock of me is 4.0 s behind"),
    ]);
  });
});
