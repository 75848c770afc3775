/**
 * Time as the limits see it: numbered minutes of `minuteMs` (60,000; shorter only in demo and tests).
 *
 * All spans in seconds that must keep their proportion to the minute scale with it,
 * so that a run with short minutes shows the behaviour of a real one.
 */

import type { Minute } from "./ids.ts";

/** Length of a real minute in ms. */
export const MINUTE_MS = 60_000;

/**
 * How long a slot stays held after its session's last good minute, in ms of a real minute: clocks that differ by up to
 * 2 s and messages under way up to 3 s. Halved, two clocks at the edge of what is tolerated could overlap; doubled,
 * every freed slot idles longer for nothing.
 */
export const GRACE_MS = 5_000;

/** The minute that contains `unixMs`. */
export function minuteOf(unixMs: number, minuteMs: number): Minute {
  return Math.floor(unixMs / minuteMs) as Minute;
}

/** The minute `count` minutes later (earlier when negative). */
export function minutePlus(minute: Minute, count: number): Minute {
  return (minute + count) as Minute;
}

/** First ms of `minute`, in Unix ms. */
export function startOfMinuteMs(minute: Minute, minuteMs: number): number {
  return minute * minuteMs;
}

/**
 * When slots last came free by time alone, up to `nowMs`: at the start of a minute those for its arrivals, and a grace
 * later those of the sessions that ended with the minute before.
 */
export function renewedMs(nowMs: number, minuteMs: number): number {
  const startMs = startOfMinuteMs(minuteOf(nowMs, minuteMs), minuteMs);
  const endedMs = startMs + scaledMs(GRACE_MS, minuteMs);
  return nowMs < endedMs ? startMs : endedMs;
}

/** When they come free next: after `nowMs`. */
export function renewsMs(nowMs: number, minuteMs: number): number {
  const startMs = startOfMinuteMs(minuteOf(nowMs, minuteMs), minuteMs);
  const endedMs = startMs + scaledMs(GRACE_MS, minuteMs);
  return nowMs < endedMs ? endedMs : startMs + minuteMs;
}

/** A span given in ms of a real minute, in ms of a minute of `minuteMs`. */
export function scaledMs(spanMs: number, minuteMs: number): number {
  return (spanMs * minuteMs) / MINUTE_MS;
}
