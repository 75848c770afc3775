import fc from "fast-check";
import { expect, test } from "vitest";
import { evenSlots } from "../../../node/admission/policy-even.ts";
import { freeSlots } from "../../../node/admission/traffic-split.ts";

test("nodes that hear of one state never admit more than is free, wherever they are", () => {
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

test("with fewer free slots than nodes nobody comes in", () => {
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
