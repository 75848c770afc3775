/**
 * Claims of the source on its second generation: more slots per worker at low utilization (README.md lists the facts).
 */

import { describe, expect, test } from "vitest";
import { seededRandom } from "../../cmd/crowd/random.ts";
import { adaptiveSlots, evenSlots } from "../../node/admission/older-policies.ts";
import { freeSlots } from "../../node/admission/traffic-split.ts";
import { DELHI, goIn, IN_DELHI, IN_SAN_JOSE, SAN_JOSE, TEN_SLOTS } from "./waiting-room-state.ts";

describe("WR-12: slots are divided by workers × utilization ^ curveFactor", () => {
  test("8 of 10 slots for each of 2 workers at 10 % and curveFactor 0.2, so that all 8 users of WR-10 go in", () => {
    const slots = adaptiveSlots(TEN_SLOTS, SAN_JOSE, 0.2);
    expect(slots).toBe(8);
    expect([goIn(7, slots), goIn(1, slots)]).toEqual([7, 1]);
  });

  test.each([
    { activeUsers: 0, of: "all the slots of its locality and Anywhere", slots: 200 },
    { activeUsers: 1, of: "nearly all", slots: 199 },
  ])("near 0 % ($activeUsers inside) a worker gets $of", ({ activeUsers, slots }) => {
    const state = { ...IN_DELHI, activeUsers, trafficHistory: new Map() };
    expect(adaptiveSlots(state, DELHI, 1)).toBe(slots);
  });

  test.each([190, 199, 200])("near 100 % (%i of 200 inside) it is the even division, to a slot", (activeUsers) => {
    const state = { ...IN_SAN_JOSE, activeUsers };
    const difference = adaptiveSlots(state, SAN_JOSE, 1) - evenSlots(state, SAN_JOSE);
    expect(Math.abs(difference)).toBeLessThanOrEqual(1);
  });
});

test("WR-13: Delhi at 50/200 = 25 % and curveFactor 1: 10 × 0.25 = 2.5 workers, 113 / 2.5 = 45 each", () => {
  expect(adaptiveSlots(IN_DELHI, DELHI, 1)).toBe(45);
});

describe("WR-14: a simultaneous spike out of low utilization passes the limit", () => {
  test("10 slots at 10 %: 8 and 7 users arrive at two workers, and 15 go in", () => {
    const slots = adaptiveSlots(TEN_SLOTS, SAN_JOSE, 0.2);
    expect(goIn(8, slots) + goIn(7, slots)).toBe(15);
  });

  test("400 visitors spread over 10 workers at 25 %: more go in than are free; evenly divided, no more than are free", () => {
    const random = seededRandom(20_230_920);
    const visitors = new Array<number>(10).fill(0);
    for (let visitor = 0; visitor < 400; visitor++) {
      const worker = Math.floor(random() * 10);
      visitors[worker] = (visitors[worker] ?? 0) + 1;
    }
    const goInAll = (slots: number) => visitors.reduce((sum, waiting) => sum + goIn(waiting, slots), 0);
    expect(goInAll(adaptiveSlots(IN_DELHI, DELHI, 1))).toBeGreaterThan(2 * freeSlots(IN_DELHI));
    expect(goInAll(evenSlots(IN_DELHI, DELHI))).toBeLessThanOrEqual(freeSlots(IN_DELHI));
  });
});
