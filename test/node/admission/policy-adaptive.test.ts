import { describe, expect, test } from "vitest";
import { adaptiveSlots } from "../../../node/admission/policy-adaptive.ts";

const state = {
  totalActiveUsers: 200,
  newUsersPerMinute: 200,
  activeUsers: 50,
  globalWorkersActive: 10,
  dataCenterWorkersActive: 2,
  trafficHistory: new Map([["rome", 100]]),
};

describe("the adaptive policy", () => {
  test("divides by at least one worker", () => {
    // 75 reserved by 2 × 0.25 workers, but at least 1; 75 of Anywhere by 10 × 0.25.
    expect(adaptiveSlots(state, "rome", 1)).toBe(75 + 30);
    expect(adaptiveSlots({ ...state, activeUsers: 0 }, "rome", 1)).toBe(200);
  });

  test("is more generous the higher the curve factor, and the emptier the room", () => {
    const byCurve = [0.2, 0.5, 1, 2, 5].map((curveFactor) => adaptiveSlots(state, "lima", curveFactor));
    expect(byCurve).toEqual([...byCurve].sort((a, b) => a - b));
    const byUse = [0, 20, 50, 100, 150, 200].map((activeUsers) => adaptiveSlots({ ...state, activeUsers }, "lima", 1));
    expect(byUse).toEqual([...byUse].sort((a, b) => b - a));
  });

  test("admits nobody when the room is full or fuller", () => {
    expect(adaptiveSlots({ ...state, activeUsers: 200 }, "rome", 1)).toBe(0);
    expect(adaptiveSlots({ ...state, activeUsers: 250 }, "rome", 1)).toBe(0);
  });
});
