import { describe, expect, test } from "vitest";
import type { Rollout } from "../../../node/config/room.ts";
import {
  afterEnd,
  firstStep,
  isSameSplit,
  percentAt,
  reasonToReverse,
  rolloutText,
  startedRollout,
  tenths,
} from "../../../node/origin/rollout.ts";

const MINUTE_MS = 60_000;
const START_MS = 29_000_000 * MINUTE_MS;
const OLD = [{ url: "http://old.example", weight: 1 }];
const NEW = [{ url: "http://new.example", weight: 1 }];
const CT_4 = [1.0, 1.5, 2.3, 3.4, 5.1, 7.6, 11.4, 17.1, 25.6, 38.4, 57.7, 86.5, 100];

/** From the old origin, without the 5 s that all nodes take to know of it. */
function begun(minuteMs = MINUTE_MS, from = OLD): Rollout {
  const rollout = startedRollout(from, { nowMs: START_MS, minuteMs });
  if (rollout === undefined) throw new Error("Broken");
  return { ...rollout, startedMs: START_MS };
}

function percentOf(rollout: Rollout, minutes: number, { minuteMs = MINUTE_MS, coldPerMinute = 0 } = {}): number {
  return percentAt(rollout, { nowMs: START_MS + minutes * minuteMs, minuteMs }, coldPerMinute);
}

describe("the steps", () => {
  test.each([60_000, 5_000])(
    "CT-4: 1 %%, half as much again every 5 minutes of %i ms, all at minute 60",
    (minuteMs) => {
      const rollout = begun(minuteMs);
      const shown = CT_4.map((_, step) => tenths(percentOf(rollout, step * 5, { minuteMs })));
      expect(shown).toEqual(CT_4);
      const before = CT_4.slice(1).map((_, step) =>
        tenths(percentOf(rollout, (step + 1) * 5 - 1 / minuteMs, { minuteMs })),
      );
      expect(before).toEqual(CT_4.slice(0, -1));
      expect(percentOf(rollout, 1_000, { minuteMs })).toBe(100);
    },
  );

  test("CT-2, CT-6: begin with no more than 500 new visitors a second at a cold target, and grow by half", () => {
    // Ten million a minute, all for one target in the end: 1 % would be 1,667 a second.
    const coldPerMinute = 10_000_000;
    const perSecond = [0, 5, 10].map(
      (minutes) => ((percentOf(begun(), minutes, { coldPerMinute }) / 100) * coldPerMinute) / 60,
    );
    expect(perSecond.map(tenths)).toEqual([500, 750, 1_125]);
    expect([60_000, 120_000].map((perMinute) => firstStep(50, perMinute))).toEqual([50, 25]);
  });

  test("begin 5 s after the order, when all nodes know of it", () => {
    const rollout = startedRollout(OLD, { nowMs: START_MS, minuteMs: MINUTE_MS });
    const seconds = [4.999, 5];
    expect(seconds.map((second) => rollout && percentOf(rollout, second / 60))).toEqual([0, 1]);
  });

  test("stand still when stopped, continue from there when resumed, and are 0 when taken back", () => {
    const percent = percentOf(begun(), 17);
    const end = { reason: "an operator ended it", percent };
    const { rollout: stopped } = afterEnd(begun(), NEW, { state: "stopped", ...end });
    expect(stopped).toMatchObject({ from: OLD, state: "stopped", percent: 3.4 });
    if (stopped === undefined) throw new Error("Broken");
    expect(percentOf(stopped, 1_000)).toBe(3.4);
    const resumed = { ...stopped, state: "running" as const, startedMs: START_MS };
    expect([-1, 0, 5, 45].map((minutes) => tenths(percentOf(resumed, minutes)))).toEqual([3.4, 3.4, 5.1, 100]);
    expect(percentOf(resumed, 0, { coldPerMinute: 10_000_000 })).toBe(3.4);
    const reversed = afterEnd(begun(), NEW, { state: "reversed", ...end });
    expect(reversed).toMatchObject({ origin: "http://old.example", rollout: { from: NEW, percent: 3.4 } });
    expect(reversed.rollout && percentOf(reversed.rollout, 17)).toBe(0);
  });
});

/** `a: 1 b: 3` as shares. */
const split = (text: string) =>
  Array.from(text.matchAll(/(\w): (\S+)/g), ([, url = "", weight]) => ({ url, weight: Number(weight) }));

test.each([
  ["other numbers for the same parts", "a: 1 b: 3", true],
  ["one more of weight 0", "a: 1 b: 3 c: 0", true],
  ["another order", "b: 75 a: 25", true],
  ["other parts", "a: 1 b: 2", false],
  ["one fewer", "b: 1", false],
])("%s: whether there is something to move", (_, to, isSame) => {
  expect(isSameSplit(split("a: 0.25 b: 0.75"), split(to))).toBe(isSame);
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
  const end = { percent: 3.375, reason: "it is down: refused" };
  const reversed = afterEnd(begun(), NEW, { state: "reversed", ...end }).rollout;
  const stopped = afterEnd(begun(), NEW, { state: "stopped", ...end }).rollout;
  const several = [...OLD, ...NEW, { url: "http://third.example", weight: 1 }];
  const words = [
    rolloutText(begun(), NEW, 1.5),
    stopped && rolloutText(stopped, NEW, 3.4),
    reversed && rolloutText(reversed, OLD, 0),
    rolloutText(begun(), [...several, { url: "http://fourth.example", weight: 1 }], 1),
    rolloutText(begun(MINUTE_MS, several), OLD, 1),
    rolloutText(begun(MINUTE_MS, [...OLD, ...NEW]), [...OLD, { url: "http://new.example", weight: 3 }], 1),
  ];
  expect(words).toEqual([
    "a rollout to http://new.example is under way: 1.5 % of new sessions follow it",
    "the rollout to http://new.example is stopped at 3.4 % of new sessions, as it is down: refused",
    "the rollout to http://new.example was taken back at 3.4 %, as it is down: refused",
    "a rollout to 3 new origins is under way: 1 % of new sessions follow it",
    "a rollout to fewer origins is under way: 1 % of new sessions follow it",
    "a rollout to other weights is under way: 1 % of new sessions follow it",
  ]);
});
