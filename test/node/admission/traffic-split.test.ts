import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConvergedState, freeSlots, splitByTraffic } from "../../../node/admission/traffic-split.ts";

const stateOf = (known: Partial<ConvergedState>): ConvergedState => ({
  totalActiveUsers: 100,
  newUsersPerMinute: 100,
  activeUsers: 0,
  globalWorkersActive: 1,
  dataCenterWorkersActive: 1,
  trafficHistory: new Map(),
  ...known,
});
const history = (entries: Readonly<Record<string, number>>) => new Map(Object.entries(entries));

describe("the split by traffic", () => {
  test("gives a tie to Anywhere first, then by name", () => {
    const tie = { newUsersPerMinute: 4, activeUsers: 98, trafficHistory: history({ oslo: 1, lima: 1 }) };
    expect(splitByTraffic(stateOf(tie))).toEqual({ reserved: history({ lima: 1, oslo: 0 }), anywhere: 1 });
  });

  test("adds up to the free slots, is within a slot of each share, and does not depend on the order of news", () => {
    const seen = fc.dictionary(fc.string({ maxLength: 3 }), fc.nat(10_000_000), { maxKeys: 8 });
    const limit = fc.integer({ min: 1, max: 10_000_000 });
    fc.assert(
      fc.property(seen, limit, limit, fc.nat(10_000_000), (seen, newUsersPerMinute, totalActiveUsers, activeUsers) => {
        const trafficHistory = history(seen);
        const state = stateOf({ newUsersPerMinute, totalActiveUsers, activeUsers, trafficHistory });
        const { reserved, anywhere } = splitByTraffic(state);
        const visitors = [...trafficHistory.values()].reduce((sum, some) => sum + some, 0);
        const whole = Math.max(newUsersPerMinute, visitors);

        expect([...reserved.values()].reduce((sum, slots) => sum + slots, anywhere)).toBe(freeSlots(state));
        for (const [locality, slots] of reserved)
          expect(Math.abs(slots - (freeSlots(state) * (trafficHistory.get(locality) ?? 0)) / whole)).toBeLessThan(1);

        const reordered = new Map([...trafficHistory].reverse());
        expect(splitByTraffic({ ...state, trafficHistory: reordered })).toEqual({ reserved, anywhere });
      }),
    );
  });
});
