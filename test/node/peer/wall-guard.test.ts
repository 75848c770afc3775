import { describe, expect, test } from "vitest";
import { WallGuard } from "../../../node/peer/node-time.ts";

const START = { wallMs: 1_790_000_000_000, steadyMs: 5_000 };

function later(ms: number, stepMs = 0) {
  return { wallMs: START.wallMs + ms + stepMs, steadyMs: START.steadyMs + ms };
}

describe("the wall clock as the rooms see it", () => {
  test.each([400, 50, -50])(
    "goes on by the steady clock when steps of %i ms sum up to more than half a second",
    (stepMs) => {
      const guard = new WallGuard(START, () => false);
      for (let count = 1; count <= 100; count++) {
        const now = later(1_000 * count, stepMs * count);
        const isFar = Math.abs(stepMs * count) > 500;
        expect(guard.look(now)).toBe(isFar ? later(1_000 * count).wallMs : now.wallMs);
      }
    },
  );

  test("sums steps up from when the time was last confirmed", () => {
    let isConfirmed = true;
    const guard = new WallGuard(START, () => isConfirmed);
    guard.look(later(1_000, 2_500));
    isConfirmed = false;
    expect(guard.look(later(2_000, 2_900))).toBe(later(2_000, 2_900).wallMs);
    expect(guard.look(later(3_000, 3_100))).toBe(later(3_000, 2_500).wallMs);
  });

  test("is the host's again as soon as the step is confirmed", () => {
    let isConfirmed = false;
    const guard = new WallGuard(START, () => isConfirmed);
    guard.look(later(1_000, 90_000));
    isConfirmed = true;
    expect(guard.look(later(2_000, 90_000))).toBe(later(2_000, 90_000).wallMs);
    isConfirmed = false;
    expect(guard.look(later(3_000, 90_000))).toBe(later(3_000, 90_000).wallMs);
  });
});
