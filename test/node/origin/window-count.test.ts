import { expect, test } from "vitest";
import { WindowCount } from "../../../node/origin/target.ts";

const START_MS = 1_200_000_000_000;

test("counts what is within the window, and forgets it part by part", () => {
  const count = new WindowCount(12_000);
  for (let second = 0; second < 20; second++) count.add(START_MS + second * 1_000);
  expect(count.sum(START_MS + 19_000)).toBe(12);
  expect(count.sum(START_MS + 25_000)).toBe(6);
  expect(count.sum(START_MS + 40_000)).toBe(0);
});

test("is empty after a long pause, after a clock that went back, and when cleared", () => {
  const count = new WindowCount(12_000);
  count.add(START_MS);
  expect(count.sum(START_MS + 3_600_000)).toBe(0);
  count.add(START_MS + 3_600_000);
  expect(count.sum(START_MS)).toBe(0);
  count.add(START_MS);
  count.clear();
  expect(count.sum(START_MS)).toBe(0);
});
