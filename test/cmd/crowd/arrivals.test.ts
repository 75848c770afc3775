import { expect, test } from "vitest";
import { type ArrivalPlan, arrivalsOf, expectedVisitors } from "../../../cmd/crowd/arrivals.ts";
import { seededRandom } from "../../../cmd/crowd/random.ts";

function drawn(plan: ArrivalPlan, seed = 1): number[] {
  return [...arrivalsOf(plan, seededRandom(seed))];
}

const FLAT: ArrivalPlan = { kind: "rate", from: 600, to: 600, forMs: 600_000 };
const RAMP: ArrivalPlan = { kind: "rate", from: 0, to: 1_200, forMs: 600_000 };

test("the same seed gives the same arrivals, and another seed others", () => {
  expect(drawn(FLAT)).toEqual(drawn(FLAT));
  expect(drawn(FLAT, 2)).not.toEqual(drawn(FLAT));
});

test.each([
  ["flat", FLAT, 0.5],
  // Of a line from nothing a quarter of the visitors come in the first half.
  ["up", RAMP, 0.25],
  ["down", { kind: "rate", from: 1_200, to: 0, forMs: 600_000 }, 0.75],
] as const)("a plan that is %s has as many visitors as it says, in order and within its time", (_, plan, firstHalf) => {
  const times = drawn(plan);
  expect(expectedVisitors(plan)).toBe(6_000);
  // Five standard deviations of a Poisson process.
  expect(Math.abs(times.length - 6_000)).toBeLessThan(5 * Math.sqrt(6_000));
  expect(times).toEqual([...times].sort((one, other) => one - other));
  expect(times.at(-1)).toBeLessThanOrEqual(600_000);
  const early = times.filter((atMs) => atMs < 300_000).length / times.length;
  expect(Math.abs(early - firstHalf)).toBeLessThan(0.03);
});

test("a spike has all its visitors at the start", () => {
  expect(drawn({ kind: "at-once", visitors: 3 })).toEqual([0, 0, 0]);
});
