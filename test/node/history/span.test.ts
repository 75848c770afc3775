import { describe, expect, test } from "vitest";
import { POINTS_MAX, type SpanText, stepsOf } from "../../../node/history/span.ts";

const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 10, 22, 12, 34, 56);

function read(text: SpanText, minuteMs = MINUTE_MS) {
  const steps = stepsOf(text, { nowMs: NOW_MS, minuteMs });
  if (!steps.ok) return steps.problems.map(({ path, value, problem }) => `${path} ${value} ${problem}`);
  const { from, to, step } = steps.value;
  return [new Date(from * minuteMs).toISOString(), new Date(to * minuteMs).toISOString(), step];
}

describe("the span that is asked for", () => {
  test("is the last day by the minute, unless something else is said", () => {
    expect(read({})).toEqual(["2026-11-21T12:34:00.000Z", "2026-11-22T12:35:00.000Z", 1]);
  });

  test("is widened to whole steps, which begin at midnight where they fit", () => {
    const text = { from: "2026-11-20T07:11:00+01:00", to: "-2h", step: "1h" };
    expect(read(text)).toEqual(["2026-11-20T06:00:00.000Z", "2026-11-22T11:00:00.000Z", 60]);
    expect(read({ from: "-3h", step: "15m" }, 6_000).at(-1)).toBe(150);
    expect(read({ from: "-30d" }).at(-1)).toBe(60);
  });

  test("has at most a week of minutes, and names the step that is long enough", () => {
    expect(read({ from: "-8d", step: "1m" })).toEqual([expect.stringContaining("11,521 points")]);
    expect(read({ from: "-7d", step: "1m" })).toHaveLength(3);
    const refused = stepsOf({ from: "-30d", step: "1m" }, { nowMs: NOW_MS, minuteMs: MINUTE_MS });
    const step = /^write (\d+m)/.exec(refused.ok ? "" : (refused.problems[0]?.repair ?? ""))?.[1] ?? "";
    const wide = stepsOf({ from: "-30d", step }, { nowMs: NOW_MS, minuteMs: MINUTE_MS });
    expect(wide.ok && (wide.value.to - wide.value.from) / wide.value.step).toBeLessThanOrEqual(POINTS_MAX);
  });

  test("names all that is wrong with it", () => {
    expect(read({ from: "yesterday", to: "2026-02-30T00:00:00Z", step: "1" })).toEqual([
      'from "yesterday" is not a time',
      'to "2026-02-30T00:00:00Z" is not a time',
      'step "1" is not a number of minutes, hours or days',
    ]);
    expect(read({ from: "now" })).toEqual(['to "now" is not after from']);
    expect(read({ from: "-999999d" })[0]).toContain("is not a time");
    expect(read({ from: "1999-01-01T00:00:00Z" })[0]).toContain("more than a year away");
    expect(read({ step: "0m" })).toHaveLength(1);
  });
});
