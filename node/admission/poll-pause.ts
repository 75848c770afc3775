/**
 * How soon a visitor in line should poll again: those who are next often, and right after the moments at which slots
 * come free, so that a freed slot is not idle for a whole refresh interval.
 */

import { renewedMs, renewsMs } from "../../mesh/core/minute.ts";
import type { Wait } from "./wait.ts";

/** Seconds between polls of the visitors at the front. At 1, they poll twice as much. */
const FRONT_SECONDS = 2;

/** Positions that count as the front whatever the estimate says, since a slot may come free at any time. */
const FRONT_POSITIONS = 10;

/** Polls during the expected wait: more load the gate, fewer leave freed slots idle for longer. */
const POLLS_PER_WAIT = 4;

/**
 * How long after slots came free the first visitors poll: by then the ticket counter has fetched and called. At 50
 * more of them come for nothing, and less of a room is in use; at 300 slots are idle for longer.
 */
const LATE_MS = 250;

/**
 * Pause of the first visitors who poll so soon after slots came free: some slots may still be on their way from other
 * nodes. At 1,000 those are idle for longer, at 200 visitors poll once more for nothing.
 */
const AGAIN_MS = 400;

/**
 * Over so many ms the polls are spread, one position after the other. Halved, twice as many come in a second; doubled,
 * the slots of a long line are idle for longer.
 */
const SPREAD_MS = 2_000;

export interface PlaceInLine {
  /** 1 = next. */
  readonly position: number;
  /** Undefined while it is unknown. */
  readonly wait: Pick<Wait, "seconds" | "earliestSeconds"> | undefined;
}

export interface PollMoment {
  /** The room's own interval, which no pause exceeds. */
  readonly refreshSeconds: number;
  readonly nowMs: number;
  readonly minuteMs: number;
}

/** Ms to the next poll. Whole seconds, except for visitors who may come in when slots come free next. */
export function pollPauseMs({ position, wait }: PlaceInLine, { refreshSeconds, nowMs, minuteMs }: PollMoment): number {
  if (wait === undefined) return 1_000 * refreshSeconds;
  const isFront = position <= FRONT_POSITIONS;
  const frontSeconds = Math.min(FRONT_SECONDS, refreshSeconds);
  const pauseSeconds = isFront ? frontSeconds : Math.max(frontSeconds, Math.ceil(wait.seconds / POLLS_PER_WAIT));
  const pauseMs = 1_000 * Math.min(refreshSeconds, pauseSeconds);
  const freeInMs = renewsMs(nowMs, minuteMs) - nowMs;
  // A wait is whole seconds, one at least.
  if (!isFront && 1_000 * (wait.earliestSeconds - 1) > freeInMs) return pauseMs;
  const thenMs = Math.ceil(freeInMs) + LATE_MS + (position % SPREAD_MS);
  const isJustFree = nowMs - renewedMs(nowMs, minuteMs) < AGAIN_MS;
  return Math.min(pauseMs, thenMs, isFront && isJustFree ? AGAIN_MS : pauseMs);
}
