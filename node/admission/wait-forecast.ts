/**
 * How many slots a room will have had free by when, from now on, from what is known of its sessions.
 *
 * A session that was seen in a minute ends a session's duration later, unless it is seen in the minute after. So the
 * slots of the next minutes are known almost exactly: the sessions that were last seen long enough ago. For the minutes
 * after that, each session is expected to go on from one minute to the next with the probability measured of late. A
 * freed slot is used as soon as the limit on new visitors allows. Slots come at the edges of minutes, or evenly where a
 * rate holds back.
 */

/** What is known of a room now. Times are in minutes. */
export interface Prospect {
  /** Slots of sessions and of this minute's arrivals that are free now. */
  readonly free: { readonly active: number; readonly arrivals: number };
  /** Most admissions in the minute so many minutes ahead; 0 is the present one. */
  readonly perMinute: (ahead: number) => number;
  /** Whether admissions are spread over a minute, and do not all come at its start. */
  readonly isEven: boolean;
  /** To the end of the present minute. */
  readonly toEdge: number;
  /** From the start of a minute until slots of ended sessions are free. */
  readonly grace: number;
  /** Slots of sessions that ended with the last minute and are not free yet. */
  readonly ended: number;
  /** Slots that will be free at the start of each coming minute, of sessions last seen before the present one. */
  readonly ending: readonly number[];
  /** Sessions that are seen in the present minute. */
  readonly seen: number;
  /** Minutes to which a session is good after the one in which it is seen. */
  readonly sessionMinutes: number;
  /** Probability that a session that is seen in a minute is seen in the next. */
  readonly goesOn: number;
}

/** A moment of the forecast: how many slots there will have been by then. */
export interface Step {
  readonly slots: number;
  readonly minutes: number;
}

/** Minutes that are forecast one by one, at most and at least; then the last rate goes on. */
const MINUTES_MAX = 480;
const MINUTES_MIN = 3;

/**
 * Admissions per minute below which waits do not get longer: one in ten minutes. Keeps a stalled line's wait finite.
 */
const RATE_MIN = 0.1;

/** Steps until there were `most` slots, the first for what is free now. */
export function forecast(prospect: Prospect, most: number): Step[] {
  const { free, perMinute, isEven, toEdge, grace, sessionMinutes, goesOn } = prospect;
  const now = Math.max(0, Math.min(free.active, free.arrivals));
  const ending = [...prospect.ending];
  const soon = Math.max(0, Math.min(free.active + prospect.ended, free.arrivals) - now);
  let active = free.active + prospect.ended - now - soon;
  let total = now + soon;
  let seen = prospect.seen + total;
  const steps: Step[] = [{ slots: now, minutes: 0 }];
  if (soon > 0) steps.push({ slots: total, minutes: Math.max(0, grace - (1 - toEdge)) });
  if (isEven) {
    const rest = Math.max(0, Math.min(active, perMinute(0) * toEdge));
    [active, total, seen] = [active - rest, total + rest, seen + rest];
    steps.push({ slots: total, minutes: toEdge });
  }
  for (let ahead = 1; ahead <= MINUTES_MIN || (total < most && ahead <= MINUTES_MAX); ahead++) {
    ending[ahead + sessionMinutes - 1] = (ending[ahead + sessionMinutes - 1] ?? 0) + seen * (1 - goesOn);
    seen *= goesOn;
    active += ending[ahead - 1] ?? 0;
    const admitted = Math.max(0, Math.min(active, perMinute(ahead)));
    active -= admitted;
    seen += admitted;
    total += admitted;
    const at = toEdge + ahead - 1;
    steps.push({ slots: total, minutes: isEven ? at + 1 : active <= 0 ? at + grace : at });
  }
  const [first, last] = [steps[Math.floor(steps.length / 2)], steps.at(-1)];
  if (total >= most || first === undefined || last === undefined) return steps;
  const rate = (last.slots - first.slots) / Math.max(1, last.minutes - first.minutes);
  return [...steps, { slots: most, minutes: last.minutes + (most - total) / Math.max(rate, RATE_MIN) }];
}

/** What is known of a room's sessions by minute; `entered` and `moved` are counted over the whole room. */
export interface Seen {
  /** Sessions that were seen in a minute. */
  readonly entered: (minutesAgo: number) => number;
  /** Those of them that were seen later, too. */
  readonly moved: (minutesAgo: number) => number;
}

/** Sessions and their going on that are taken for granted before any is counted: most are seen again. */
const ASSUMED = { sessions: 8, goesOn: 0.7 };

/** Weight of a minute compared with the one after it: the last ten minutes or so count. */
const MEMORY = 0.9;

/**
 * Part of the present minute after which those seen in the last one count, too: most who go on have been seen again.
 */
const LAST_COUNTS_FROM = 0.5;

/** No room's sessions go on for ever. */
const GOES_ON_MAX = 0.98;

/**
 * The part of a prospect that follows from what is known of the sessions, of which `held` hold a slot. `passed`: part
 * of the present minute that is over. `isMeasured`: whether as many sessions were seen as are taken for granted.
 */
export function sessionsAhead(
  { entered, moved }: Seen,
  { held, sessionMinutes, passed }: { readonly held: number; readonly sessionMinutes: number; readonly passed: number },
): Pick<Prospect, "ended" | "ending" | "seen" | "goesOn"> & { readonly isMeasured: boolean } {
  let sessions = ASSUMED.sessions;
  let gone = ASSUMED.sessions * ASSUMED.goesOn;
  for (let ago = passed < LAST_COUNTS_FROM ? 2 : 1; ago <= sessionMinutes + 2; ago++) {
    // Of the last minute's, some are still to be seen again.
    const weight = ago === 1 ? passed : MEMORY ** ago;
    sessions += weight * entered(ago);
    gone += weight * Math.min(entered(ago), moved(ago));
  }
  const goesOn = Math.min(GOES_ON_MAX, gone / sessions);
  const last = entered(1) * (1 - goesOn);
  const rest = (ago: number): number => (ago === 1 ? last : Math.max(0, entered(ago) - moved(ago)));
  // Those last seen so many minutes ago are good for the present minute and, the earliest, for no other.
  const ending = Array.from({ length: sessionMinutes }, (_, ahead) => rest(sessionMinutes - ahead));
  const seen = Math.max(0, entered(0) + entered(1) - moved(1) - last);
  const unended = ending.reduce((sum, slots) => sum + slots, seen);
  const ended = Math.max(0, Math.min(rest(sessionMinutes + 1), held - unended));
  // Slots of sessions that no node here has counted come free as if their visitors were here now: some day.
  const uncounted = Math.max(0, held - unended - ended);
  return { ended, ending, seen: seen + uncounted, goesOn, isMeasured: sessions >= 2 * ASSUMED.sessions };
}
