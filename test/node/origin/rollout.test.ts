import { describe, expect, test } from "vitest";
import {
  endedRollout,
  percentAt,
  reasonToReverse,
  rolloutText,
  startedRollout,
  tenths,
} from "../../../node/origin/rollout.ts";

const MINUTE_MS = 60_000;
const START_MS = 29_000_000 * MINUTE_MS;
const TO = "http://new.example";
const NOW = { nowMs: START_MS, minuteMs: MINUTE_MS };
const CT_4 = [1.0, 1.5, 2.3, 3.4, 5.1, 7.6, 11.4, 17.1, 25.6, 38.4, 57.7, 86.5, 100];

describe("the steps", () => {
  test.each([60_000, 5_000])(
    "CT-4: 1 %%, half as much again every 5 minutes of %i ms, all at minute 60",
    (minuteMs) => {
      const rollout = { ...startedRollout(TO, { nowMs: START_MS, minuteMs }), startedMs: START_MS };
      const shown = CT_4.map((_, step) => tenths(percentAt(rollout, START_MS + step * 5 * minuteMs, minuteMs)));
      expect(shown).toEqual(CT_4);
      const before = CT_4.slice(1).map((_, step) =>
        tenths(percentAt(rollout, START_MS + (step + 1) * 5 * minuteMs - 1, minuteMs)),
      );
      expect(before).toEqual(CT_4.slice(0, -1));
      expect(percentAt(rollout, START_MS + 1_000 * minuteMs, minuteMs)).toBe(100);
    },
  );

  test("begin 5 s after the order, when all nodes know of it", () => {
    const rollout = startedRollout(TO, NOW);
    expect([4_999, 5_000].map((afterMs) => percentAt(rollout, START_MS + afterMs, MINUTE_MS))).toEqual([0, 1]);
  });

  test("stand still when stopped, continue from there when resumed, and are 0 when taken back", () => {
    const rollout = { ...startedRollout(TO, NOW), startedMs: START_MS };
    const laterMs = START_MS + 17 * MINUTE_MS;
    const percent = percentAt(rollout, laterMs, MINUTE_MS);
    const stopped = endedRollout(rollout, { state: "stopped", reason: "an operator stopped it" }, percent);
    expect(stopped).toMatchObject({ to: TO, state: "stopped", percent: 3.4 });
    expect(percentAt(stopped, laterMs + 100 * MINUTE_MS, MINUTE_MS)).toBe(3.4);
    const resumed = startedRollout(TO, { nowMs: laterMs, minuteMs: MINUTE_MS }, stopped.percent);
    const shown = [0, 5, 45].map((minutes) => tenths(percentAt(resumed, laterMs + minutes * MINUTE_MS, MINUTE_MS)));
    expect(shown).toEqual([3.4, 5.1, 100]);
    const reversed = endedRollout(rollout, { state: "reversed", reason: "it is down: refused" }, percent);
    expect(percentAt(reversed, laterMs, MINUTE_MS)).toBe(0);
  });
});

describe("a rollout is taken back", () => {
  const WELL = { requests: 100, failures: 0, isUp: true, reason: "" };

  test.each([
    ["at more than 5 % and five failures", { failures: 6 }, { failures: 2 }],
    ["where the old origin saw nobody", { failures: 6 }, { requests: 0 }],
    ["when all fails", { requests: 20, failures: 20 }, { failures: 1 }],
    ["when it is down", { requests: 0, isUp: false, reason: "refused" }, {}],
  ])("%s", (_, next, old) => {
    expect(reasonToReverse({ next: { ...WELL, ...next }, old: { ...WELL, ...old } })).toBeTypeOf("string");
  });

  test.each([
    ["at 5 %", { failures: 5 }, {}],
    ["of fewer than 20 requests", { requests: 19, failures: 19 }, {}],
    ["by fewer than five failures", { requests: 20, failures: 4 }, {}],
    ["where the old origin is no better than twice as good", { failures: 20 }, { failures: 10 }],
    ["when both are down", { isUp: false, reason: "refused" }, { isUp: false }],
  ])("not %s", (_, next, old) => {
    expect(reasonToReverse({ next: { ...WELL, ...next }, old: { ...WELL, ...old } })).toBeUndefined();
  });

  test("with numbers for a person", () => {
    const next = { ...WELL, requests: 40, failures: 9 };
    expect(reasonToReverse({ next, old: { ...WELL, failures: 1 } })).toBe(
      "9 of its 40 requests failed within a minute (22.5 %), 1 % of those to the old origin",
    );
  });
});

test("each state is described in one sentence, with its reason", () => {
  const rollout = { ...startedRollout(TO, NOW), startedMs: START_MS };
  const words = [
    rolloutText(rollout, { nowMs: START_MS + 5 * MINUTE_MS, minuteMs: MINUTE_MS }),
    rolloutText(endedRollout(rollout, { state: "stopped", reason: "an operator stopped it" }, 3.375), NOW),
    rolloutText(endedRollout(rollout, { state: "reversed", reason: "it is down: refused" }, 3.375), NOW),
  ];
  expect(words).toEqual([
    "a rollout to http://new.example is under way: 1.5 % of new sessions",
    "the rollout to http://new.example is stopped at 3.4 % of new sessions, as an operator stopped it",
    "the rollout to http://new.example was taken back at 3.4 %, as it is down: refused",
  ]);
});
