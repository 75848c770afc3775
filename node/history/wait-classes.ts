/**
 * Waits as a histogram that merges by adding: classes that grow by a tenth, so that a percentile of any number of
 * minutes and nodes is right within 5 %.
 */

import { z } from "zod";
import type { Shape } from "../config/document-fields.ts";

/** Each class reaches this much further than the one before. */
const GROWTH = 1.1;

/** The last class begins after 18 days; a visitor of a line that was longer is counted in it. */
export const WAIT_CLASS_MAX = 150;

/** The class of a wait; below a second it is 0, as is that of a clock that was set back. */
export function waitClassOf(ms: number): number {
  const seconds = ms / 1_000;
  if (!(seconds >= 1)) return 0;
  return Math.min(WAIT_CLASS_MAX, 1 + Math.floor(Math.log(seconds) / Math.log(GROWTH)));
}

/** The middle of a class, in seconds. */
function secondsOf(waitClass: number): number {
  if (waitClass === 0) return 0;
  const seconds = GROWTH ** (waitClass - 0.5);
  return seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds);
}

const seconds = z.number().min(0);

export const WAIT_PERCENTILES = z.object({
  p25: seconds.describe("a quarter waited no longer"),
  p50: seconds.describe("half of them waited no longer"),
  p75: seconds.describe("three quarters waited no longer"),
  p95: seconds.describe("19 of 20 waited no longer"),
});

/** Visitors by class. */
export type WaitClasses = ReadonlyMap<number, number>;

/** Null if nobody waited. */
export function percentilesOf(classes: WaitClasses): Shape<typeof WAIT_PERCENTILES> | null {
  const all = classes.values().reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  const sorted = [...classes].sort(([one], [other]) => one - other);
  const at = (part: number): number => {
    const rank = Math.ceil(part * all);
    let below = 0;
    for (const [waitClass, count] of sorted) {
      below += count;
      if (below >= rank) return secondsOf(waitClass);
    }
    return 0;
  };
  return { p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95) };
}
