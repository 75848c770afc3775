import { expect, test } from "vitest";
import { RetryBudget } from "../../../node/origin/room-origin.ts";

const START_MS = 1_200_000_000_000;

test("a tenth of the requests may be sent again, in a storm too", () => {
  const budget = new RetryBudget();
  let retries = 0;
  for (let request = 0; request < 10_000; request++) {
    const nowMs = START_MS + request;
    budget.asked(nowMs);
    if (budget.take(nowMs)) retries += 1;
  }
  expect(retries).toBeGreaterThanOrEqual(1_000);
  expect(retries).toBeLessThanOrEqual(1_010);
});

test("where nearly nobody asks, one a second may be", () => {
  const budget = new RetryBudget();
  const taken: boolean[] = [];
  for (const afterMs of [0, 10, 999, 1_000, 1_500, 2_500]) {
    budget.asked(START_MS + afterMs);
    taken.push(budget.take(START_MS + afterMs));
  }
  expect(taken).toEqual([true, false, false, true, false, true]);
});

test("what was asked long ago pays for nothing", () => {
  const budget = new RetryBudget();
  for (let request = 0; request < 1_000; request++) budget.asked(START_MS);
  expect([1, 2, 3].map(() => budget.take(START_MS))).toEqual([true, true, true]);
  expect([1, 2, 3].map(() => budget.take(START_MS + 11_000))).toEqual([true, false, false]);
});
