import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  graceMinutes,
  type KeepingRoom,
  keepsPromise,
  keptMs,
  rememberMinutes,
} from "../../../node/admission/kept-place.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ROOM: KeepingRoom = { placeKeptMinutes: 10, refreshIntervalSeconds: 20 };
const BY = { room: ROOM, minuteMs: MINUTE_MS };

describe("a place", () => {
  test("is kept for the estimated wait and the grace, and half a grace to write the cookie again", () => {
    expect(keptMs({}, BY)).toBe(15 * MINUTE_MS);
    expect(keptMs({ waitSeconds: 3_600 }, BY)).toBe(75 * MINUTE_MS);
  });

  test.each([
    [10, 20, 10],
    [1, 1, 1],
    [1, 20, 2],
    [10, 600, 50],
    [240, 600, 240],
  ])("with place_kept_minutes %i and polls %i s apart has a grace of %i min", (placeKeptMinutes, seconds, minutes) => {
    expect(graceMinutes({ placeKeptMinutes, refreshIntervalSeconds: seconds })).toBe(minutes);
  });

  test("that is taken leaves its id for as long as a cookie is good without a wait", () => {
    expect(rememberMinutes(BY)).toBe(15);
    expect(rememberMinutes({ room: { ...ROOM, refreshIntervalSeconds: 600 }, minuteMs: MINUTE_MS })).toBe(75);
  });

  test("is kept for as long as the last poll promised, whatever the waits were (law)", () => {
    const polls = fc.array(fc.tuple(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 0, max: 20 * 3_600 })), {
      minLength: 1,
      maxLength: 40,
    });
    const room = fc.record({
      placeKeptMinutes: fc.integer({ min: 1, max: 240 }),
      refreshIntervalSeconds: fc.integer({ min: 1, max: 600 }),
    });
    fc.assert(
      fc.property(room, polls, (room, polls) => {
        const by = { room, minuteMs: MINUTE_MS };
        let nowMs = 0;
        let cookie: { lastCheckInTime: number; waitSeconds?: number } | undefined;
        for (const [pauseSeconds, waitSeconds] of polls) {
          nowMs += pauseSeconds * 1_000;
          if (cookie === undefined || !keepsPromise(cookie, waitSeconds, { ...by, nowMs }))
            cookie = { lastCheckInTime: nowMs, waitSeconds };
          const promisedMs = waitSeconds * 1_000 + graceMinutes(room) * MINUTE_MS;
          const leastMs = Math.min(promisedMs, DAY_MS - graceMinutes(room) * (MINUTE_MS / 2));
          // The grace is stated in whole minutes.
          const endMs = cookie.lastCheckInTime + keptMs(cookie, by) + MINUTE_MS;
          expect(endMs).toBeGreaterThanOrEqual(nowMs + leastMs);
        }
      }),
    );
  });
});
