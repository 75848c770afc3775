/** Rooms with doors in simulated worlds: what a seed draws of them, and that the judge sees what happens there. */

import { describe, expect, test } from "vitest";
import { harshDoors } from "../sim/doors.ts";
import { planOf, run } from "../sim/run.ts";
import { scenarioOf } from "../sim/scenarios.ts";

describe("harsh seeds with doors", () => {
  const drawn = Array.from({ length: 20 }, (_, seed) => harshDoors(seed, 3)).flat();

  test("have each kind of door in some rooms", () => {
    for (const field of ["lanes", "inviteOnly", "proofOfWorkMode", "enterWithinSeconds"] as const)
      expect(drawn.filter((room) => room[field] !== undefined).length, field).toBeGreaterThan(5);
  });

  test("have the same faults with doors as without", () => {
    for (const seed of [3, 7, 8]) {
      expect(planOf(scenarioOf("harsh-doors", seed), seed)).toEqual(planOf(scenarioOf("harsh", seed), seed));
    }
  });
});

test("a calm world with doors keeps all promises, and meets each of them", () => {
  const { broken, doors } = run({ scenario: { ...scenarioOf("doors", 1), minutes: 15 }, seed: 1 });
  expect(broken).toBeUndefined();
  expect(doors?.keys).toMatchObject({ twice: 0, lost: 0 });
  expect(doors?.keys.refused).toBeGreaterThan(10);
  expect(doors?.refused).toBeGreaterThan(10);
  expect(doors?.staff).toBeGreaterThan(5);
  expect(doors?.unproved).toBeGreaterThan(10);
  expect(doors?.returned).toBeGreaterThan(3);
  for (const lane of [0, 1, 2]) expect(doors?.lanes[lane]?.got).toBeGreaterThan(5);
});

test("a pass that was used on both sides of a cut is the earlier visitor's after it", () => {
  const { broken, doors } = run({ scenario: scenarioOf("doors-cut", 1), seed: 1 });
  expect(broken).toBeUndefined();
  expect(doors?.keys.twice).toBeGreaterThan(3);
  expect(doors?.keys.lost).toBeGreaterThan(3);
});
