import { describe, expect, test } from "vitest";
import { shownTime } from "../sim/clock.ts";
import { queueingOf, queueingText } from "../sim/queueing.ts";
import { run } from "../sim/run.ts";
import { scenarioOf } from "../sim/scenarios.ts";

/** "At about" in the source: what is read off a picture of two days. */
const ABOUT_MINUTES = 6;

describe("the picture of two days", () => {
  const whole = scenarioOf("two-days", 1);
  // The last seven hours but for the end: the two days before are quiet, and the line that grows at the end takes
  // seconds.
  const skipped = whole.minutes - 7 * 60;
  const scenario = {
    ...whole,
    minutes: 7 * 60 - 40,
    startsAtMs: (whole.startsAtMs ?? 0) + 60_000 * skipped,
    rate: (minute: number, locality: string) => whole.rate(minute + skipped, locality),
  };
  const result = run({ scenario, seed: 1 });
  const { samples } = result.oracle;
  const times = queueingOf(samples, scenario.minuteMs);
  /** Minutes by which a moment of the run is off a time on 11 September. */
  const off = (elapsedMs: number, hour: number, minute: number): number =>
    Math.abs(shownTime(elapsedMs, scenario) - Date.UTC(2023, 8, 11, hour, minute) / 1_000) / 60;

  test("WR-3 queueing begins at about 11:45 and ends by about 12:30, and begins again at about 15:00", () => {
    expect(times).toHaveLength(2);
    const [noon, afternoon] = times;
    expect(off(noon?.fromMs ?? 0, 11, 45)).toBeLessThan(ABOUT_MINUTES);
    expect(off(noon?.toMs ?? 0, 12, 30)).toBeLessThan(ABOUT_MINUTES);
    expect(off(afternoon?.fromMs ?? 0, 15, 0)).toBeLessThan(ABOUT_MINUTES);
    expect(afternoon?.isOpen).toBe(true);
  });

  test("WR-3 it begins when about 200 are active, and there are never more", () => {
    const fromMs = times[0]?.fromMs ?? 0;
    const first = samples.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 2 * scenario.minuteMs);
    expect(Math.max(...first.map(({ inside }) => inside))).toBeGreaterThanOrEqual(195);
    expect(result.broken).toBeUndefined();
    expect(result.oracle.counts.insideMax).toBe(200);
  });

  test("WR-3 the answer has it by the time of day", () => {
    expect(queueingText(samples, scenario)).toMatch(
      /^from 11 Sep 11:4\d to 11 Sep 12:[23]\d; from 11 Sep 1[45]:\d\d to the end$/,
    );
  });
});
