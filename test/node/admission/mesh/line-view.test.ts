import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { LineSummary } from "../../../../node/admission/line.ts";
import { LineView } from "../../../../node/admission/mesh/line-keeper.ts";

const COUNTER = "counter" as NodeId;
const OTHER = "other" as NodeId;

function summary(ranges: LineSummary["ranges"], horizon = 0): LineSummary {
  return { horizon, lastKey: ranges.at(-1)?.[1] ?? 0, ranges };
}

function viewOf(ranges: LineSummary["ranges"], horizon = 0): LineView {
  const view = new LineView();
  view.hear(COUNTER, summary(ranges, horizon), 0);
  return view;
}

test("a line as a gate knows it is fresh for two seconds, and only of its counter", () => {
  const view = viewOf([[10, 10, 1]]);
  expect(view.isFresh(COUNTER, 1_999)).toBe(true);
  expect(view.isFresh(COUNTER, 2_000)).toBe(false);
  expect(view.isFresh(OTHER, 0)).toBe(false);
});

test("a position counts the ranges before, and an even part of its own", () => {
  const view = viewOf([
    [10, 20, 11],
    [30, 30, 1],
    [40, 50, 2],
  ]);
  expect([10, 15, 20, 30, 40, 50].map((key) => view.rankOf(key))).toEqual([1, 6, 11, 12, 13, 14]);
});
