/**
 * The wall clock of a simulated world: the time since the start or, in a scenario that plays on a certain day, the time
 * of that day, with minutes of 60 s whatever their length in the run.
 */

import type { Scenario } from "./scenario.ts";
import { JOINING_MS } from "./world.ts";

const MINUTE_SECONDS = 60;

type Clocked = Pick<Scenario, "startsAtMs" | "minuteMs">;

/**
 * What the clock shows `elapsedMs` after the start of the run: seconds since then, or Unix seconds where it plays on a
 * certain day.
 */
export function shownTime(elapsedMs: number, { startsAtMs, minuteMs }: Clocked): number {
  if (startsAtMs === undefined) return elapsedMs / 1_000;
  return startsAtMs / 1_000 + ((elapsedMs - JOINING_MS) / minuteMs) * MINUTE_SECONDS;
}

/** The same as text: `7:05`, or `11 Sep 11:45`. */
export function timeText(elapsedMs: number, scenario: Clocked): string {
  const seconds = Math.round(shownTime(elapsedMs, scenario));
  if (scenario.startsAtMs === undefined) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const date = new Date(1_000 * seconds);
  const day = `${date.getUTCDate()} ${date.toLocaleString("en-US", { month: "short", timeZone: "UTC" })}`;
  return `${day} ${date.toISOString().slice(11, 16)}`;
}
