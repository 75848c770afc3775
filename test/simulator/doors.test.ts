/** Rooms with doors in simulated worlds: what a seed draws of them, and that the judge sees what happens there. */

import { describe, expect, test } from "vitest";
import type { Minute } from "../../mesh/core/ids.ts";
import { harshDoors } from "../sim/doors.ts";
import { KeyWatch } from "../sim/key-watch.ts";
import { planOf, run } from "../sim/run.ts";
import type { Scenario } from "../sim/scenario.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import { TrialWatch } from "../sim/trial-watch.ts";
import type { Visitor } from "../sim/visitor.ts";

function scenario(name: string, seed = 1): Scenario {
  const found = scenarioOf(name, seed);
  if (found === undefined) throw new Error("unreachable");
  return found;
}

describe("harsh seeds with doors", () => {
  const drawn = Array.from({ length: 20 }, (_, seed) => harshDoors(seed, 3)).flat();

  test("have each kind of door in some rooms", () => {
    for (const field of ["lanes", "inviteOnly", "proofOfWorkMode", "enterWithinSeconds"] as const)
      expect(drawn.filter((room) => room[field] !== undefined).length, field).toBeGreaterThan(5);
  });

  test("have the same faults with doors as without", () => {
    for (const seed of [3, 7, 8]) {
      expect(planOf(scenario("harsh-doors", seed), seed)).toEqual(planOf(scenario("harsh", seed), seed));
    }
  });
});

test("a calm world with doors keeps all promises, and meets each of them", () => {
  const { broken, doors } = run({ scenario: { ...scenario("doors"), minutes: 15 }, seed: 1 });
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
  const { broken, doors } = run({ scenario: scenario("doors-cut"), seed: 1 });
  expect(broken).toBeUndefined();
  expect(doors?.keys.twice).toBeGreaterThan(3);
  expect(doors?.keys.lost).toBeGreaterThan(3);
});

describe("a visitor who is asked to enter", () => {
  const room = { name: "room", settings: { enterWithinSeconds: 6 } } as unknown as Parameters<TrialWatch["asked"]>[0];
  const session = { id: "v1", acceptedAt: 60_000, lastGood: 13 as Minute };

  test("has a slot for the time to enter, and not for a whole stay", () => {
    const watch = new TrialWatch(6_000);
    expect(watch.asked(room, { ...session, lastGood: 12 as Minute })).toBeUndefined();
    expect(watch.asked(room, session)).toContain("keeps a slot for v1 to minute 13");
  });
});

describe("a pass that several visitors show", () => {
  const visitor = (lastGood: number): Visitor => ({ cookie: { kind: "inside", lastGood } }) as unknown as Visitor;

  test("may be lost by the later of them only", () => {
    const watch = new KeyWatch();
    const [anna, bert] = [visitor(9), visitor(9)];
    watch.shows("key", anna, 1_000);
    watch.shows("key", bert, 2_000);
    expect(watch.mayLose("key", anna, 1_000)).toBe(false);
    expect(watch.mayLose("key", bert, 2_000)).toBe(true);
  });

  test("is had twice while both sessions are good", () => {
    const watch = new KeyWatch();
    const [anna, bert] = [visitor(9), visitor(7)];
    expect(watch.holds("key", anna, 5 as never)).toBe(false);
    expect(watch.holds("key", bert, 5 as never)).toBe(true);
    expect(watch.twice(5 as never)).toEqual(["key"]);
    expect(watch.twice(8 as never)).toEqual([]);
  });
});
