/**
 * How long a view keeps the name of a former member.
 *
 * Cookies name the account on which their session rests. A pot is over after the lease and the longest session; from
 * then on each check-in brings a cookie with the name of the node that answers, and after one more session there is no
 * cookie with the old name. An heir that was down meanwhile needs longer. No limit depends on it: the session of a name
 * that is gone is adopted on a free slot.
 */

/** Minutes beyond two sessions: each is counted in whole minutes, and clocks differ by some seconds. */
const MARGIN_MINUTES = 4;

export interface SessionTimes {
  readonly leaseMs: number;
  readonly minuteMs: number;
  /** The longest session that may exist. */
  readonly sessionMinutes: number;
}

/** Ms for which the name is kept, from the view that gave it its heir. */
export function nameKeptMs({ leaseMs, minuteMs, sessionMinutes }: SessionTimes): number {
  return leaseMs + (2 * sessionMinutes + MARGIN_MINUTES) * minuteMs;
}
