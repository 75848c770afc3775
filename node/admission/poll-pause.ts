/**
 * How soon a visitor in line should poll again: those who are next often, so that a freed slot is not idle for a whole
 * refresh interval.
 */

/** Seconds between polls of the visitors at the front. At 1, they poll twice as much. */
const FRONT_SECONDS = 2;

/** Positions that count as the front whatever the estimate says, since a slot may come free at any time. */
const FRONT_POSITIONS = 10;

/** Polls during the expected wait: more load the gate, fewer leave freed slots idle for longer. */
const POLLS_PER_WAIT = 4;

export interface PlaceInLine {
  /** 1 = next. */
  readonly position: number;
  /** Null while the wait is unknown. */
  readonly waitSeconds: number | null;
}

/** Seconds to the next poll; `refreshSeconds` is the room's own interval, which it never exceeds. */
export function pollPauseSeconds({ position, waitSeconds }: PlaceInLine, refreshSeconds: number): number {
  if (waitSeconds === null) return refreshSeconds;
  const front = Math.min(FRONT_SECONDS, refreshSeconds);
  if (position <= FRONT_POSITIONS) return front;
  return Math.min(refreshSeconds, Math.max(front, Math.ceil(waitSeconds / POLLS_PER_WAIT)));
}
