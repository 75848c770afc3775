import { describe, expect, test } from "vitest";
import { GRACE_MS, MINUTE_MS } from "../../../mesh/core/minute.ts";
import { pollPauseMs } from "../../../node/admission/poll-pause.ts";

const STARTS_MS = 1_000 * MINUTE_MS;

/** The pause of a visitor who asks so many ms after a minute has begun. */
function pauseMs(atMs: number, position: number, waitSeconds: number | null, earliestSeconds = waitSeconds): number {
  const moment = { refreshSeconds: 20, nowMs: STARTS_MS + atMs, minuteMs: MINUTE_MS };
  const wait =
    waitSeconds === null ? undefined : { seconds: waitSeconds, earliestSeconds: earliestSeconds ?? waitSeconds };
  return pollPauseMs({ position, wait }, moment);
}

describe("the pause until the next poll", () => {
  test.each([
    [1, 5, 2_000],
    [10, 3_600, 2_000],
    [11, 3_600, 20_000],
    [11, 40, 10_000],
    [11, 4, 2_000],
    [1, null, 20_000],
  ])(
    "of position %i with %s s to go, far from the moments at which slots come free, is %i ms",
    (position, wait, ms) => {
      expect(pauseMs(10_000, position, wait)).toBe(ms);
    },
  );

  test("of who may come in with the next minute ends right after it has begun", () => {
    const toEdgeMs = 1_500;
    expect(pauseMs(MINUTE_MS - toEdgeMs, 1, 2)).toBe(toEdgeMs + 251);
    expect(pauseMs(MINUTE_MS - 12_000, 60, 12)).toBe(3_000);
    expect(pauseMs(MINUTE_MS - 2_500, 60, 12, 3)).toBe(2_500 + 310);
  });

  test("of who may come in when the slots of ended sessions are free ends right after that", () => {
    expect(pauseMs(GRACE_MS - 700, 1, 1)).toBe(700 + 251);
    expect(pauseMs(GRACE_MS - 2_000, 90, 20, 2)).toBe(2_000 + 340);
  });

  test("of the first visitors is shorter right after that, as slots may still be on their way", () => {
    expect(pauseMs(GRACE_MS + 250, 1, 1)).toBe(400);
    expect(pauseMs(GRACE_MS + 250, 11, 1)).toBe(2_000);
    expect(pauseMs(GRACE_MS + 650, 1, 1)).toBe(2_000);
    expect(pauseMs(250, 1, 1)).toBe(400);
  });

  test("is spread over two seconds, one place after the other", () => {
    const nowMs = STARTS_MS + MINUTE_MS - 100;
    const pauses = Array.from({ length: 6_000 }, (_, at) =>
      pollPauseMs(
        { position: at + 1, wait: { seconds: 1, earliestSeconds: 1 } },
        { refreshSeconds: 60, nowMs, minuteMs: MINUTE_MS },
      ),
    );
    const inMs = Map.groupBy(pauses, (ms) => ms);
    expect(Math.max(...[...inMs.entries()].filter(([ms]) => ms < 2_000).map(([, those]) => those.length))).toBe(3);
    expect(pauses.slice(0, 1_000)).toEqual(pauses.slice(0, 1_000).toSorted((one, other) => one - other));
    expect(Math.max(...pauses)).toBe(2_000);
  });
});
