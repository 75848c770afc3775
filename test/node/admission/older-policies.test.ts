import fc from "fast-check";
import { expect, test } from "vitest";
import { adaptiveSlots, evenSlots } from "../../../node/admission/older-policies.ts";
import { freeSlots } from "../../../node/admission/traffic-split.ts";

test("even: nodes that hear of one state never admit more than is free, wherever they are", () => {
  const localities = fc.array(fc.record({ workers: fc.integer({ min: 1, max: 9 }), seen: fc.nat(300) }), {
    minLength: 1,
    maxLength: 6,
  });
  const limit = fc.integer({ min: 1, max: 1_000 });
  fc.assert(
    fc.property(localities, limit, limit, fc.nat(1_000), (some, totalActiveUsers, newUsersPerMinute, activeUsers) => {
      const state = {
        totalActiveUsers,
        newUsersPerMinute,
        activeUsers,
        globalWorkersActive: some.reduce((sum, { workers }) => sum + workers, 0),
        trafficHistory: new Map(some.map(({ seen }, index) => [`locality-${index}`, seen])),
      };
      const admitted = some.map(
        ({ workers }, index) =>
          workers * evenSlots({ ...state, dataCenterWorkersActive: workers }, `locality-${index}`),
      );
      expect(admitted.reduce((sum, slots) => sum + slots, 0)).toBeLessThanOrEqual(
        freeSlots({ ...state, dataCenterWorkersActive: 1 }),
      );
    }),
  );
});

test("even: with fewer free slots than nodes nobody comes in", () => {
  const state = {
    totalActiveUsers: 10,
    newUsersPerMinute: 10,
    activeUsers: 7,
    globalWorkersActive: 4,
    dataCenterWorkersActive: 4,
    trafficHistory: new Map(),
  };
  expect(evenSlots(state, "rome")).toBe(0);
});

test("adaptive: slots are divided by at least one worker, and nobody comes in when the room is full or fuller", () => {
  const state = {
    totalActiveUsers: 200,
    newUsersPerMinute: 200,
    globalWorkersActive: 10,
    dataCenterWorkersActive: 2,
    trafficHistory: new Map([["rome", 100]]),
  };
  // 75 reserved by 2 × 0.25 workers, but at least 1; 75 of Anywhere by 10 × 0.25.
  const slots = [50, 0, 200, 250].map((activeUsers) => adaptiveSlots({ ...state, activeUsers }, "rome", 1));
  expect(slots).toEqual([75 + 30, 200, 0, 0]);
});
