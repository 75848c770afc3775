/**
 * How long visitors in line will wait: a forecast for each place, and a range around it.
 *
 * The forecast says how many slots there will have been by when, and which part of them is for this
 * line; visitors who leave the line bring those behind them forward. A forecast is shown once it rests on what was
 * seen: on sessions that ended or went on, and on visitors in front who have polled. Gates that do not keep the line use
 * the outlook of the one that does.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { GRACE_MS, scaledMs } from "../../mesh/core/minute.ts";

/** Seconds until the visitor is admitted: as forecast, and the range that is shown. */
export interface Wait {
  readonly seconds: number;
  readonly earliestSeconds: number;
  readonly latestSeconds: number;
  /** Whether it rests on what was seen. If not, it says when to poll, and is not shown. */
  readonly isKnown: boolean;
}

/** All that waits are computed from: valid at the moment when it is made, and for a few seconds. */
export interface Outlook {
  /** Up to this position visitors come in within so many minutes, in order; and whether that is known. */
  readonly steps: readonly (readonly [position: number, minutes: number, isKnown: boolean])[];
  /** Whether admissions between two steps are spread evenly. */
  readonly isEven: boolean;
}

/** What a room is known to be like as a whole, where several nodes have visitors in it. */
export interface RoomView {
  /** Sessions that were seen in a minute, and those of them that were seen later, too. */
  entered(minute: Minute): number;
  moved(minute: Minute): number;
  /** Slots free on all nodes. */
  free(nowMs: number): Prospect["free"];
  /** How many of so many slots are for visitors of this node's line, as things are now. */
  due(nowMs: number): (slots: number) => number;
  /** Whether this node may admit anybody. */
  mayAdmit(): boolean;
}

/** What an outlook is made from, besides the view of the room. */
export interface Situation extends Pick<Prospect, "perMinute" | "isEven" | "sessionMinutes"> {
  /** Slots for sessions in the room. */
  readonly slots: number;
  /** Visitors in line who are expected to show up. */
  readonly waiting: number;
  /** The position up to which so many of them stand. */
  readonly reach: (visitors: number) => number;
  /** How many of the first so many visitors in line have polled since they joined. */
  readonly heardOf: (position: number) => number;
}

/** Steps of an outlook: the next minutes each have one; later ones are further apart. */
const STEPS_EXACT = 6;
const STEPS_GROWTH = 1.3;

/** Weight of the part of visitors that left the line before, per minute: about the last three minutes count. */
const LEFT_MEMORY = 0.7;

/** Part of a minute after which nodes have heard of slots that came free. */
const LATE_MINUTES = 0.04;

/**
 * How far the range goes to both sides of a forecast: a part of it, more where few visitors are in front, since each
 * session ends by itself, and about a pause between polls. With half the part, every fifth wait of a busy room is
 * outside, and with a half of `perPlace` most waits of a room for one.
 */
const BAND = { part: 0.15, perPlace: 0.5, minutes: 0.03 };

/** The ends of a range differ by no more. */
export const RATIO_MAX = 3;

/** How old an outlook of one's own, or of another node, may be. */
const OWN_MS = 500;
const HEARD_MS = 3_000;

export class WaitEstimate {
  readonly #minuteMs: number;
  #own: { readonly outlook: Outlook; readonly atMs: number } | undefined;
  #heard: { readonly outlook: Outlook; readonly atMs: number } | undefined;
  /** Visitors who left, and minutes that visitors spent in line, of late. */
  #left = 0;
  #waited = 0;
  #countedMs: number | undefined;

  constructor(minuteMs: number) {
    this.#minuteMs = minuteMs;
  }

  /** Uses the outlook of the node that keeps the line. */
  follow(outlook: Outlook, nowMs: number): void {
    this.#heard = { outlook, atMs: nowMs };
  }

  /** The room was changed: what was known of its waits holds no more. */
  reset(): void {
    this.#own = undefined;
    this.#heard = undefined;
  }

  /** Of `waiting` visitors, so many have left the line without having come in. */
  countLeft(left: number, waiting: number, nowMs: number): void {
    const minutes = Math.min(1, Math.max(0, nowMs - (this.#countedMs ?? nowMs)) / this.#minuteMs);
    this.#countedMs = nowMs;
    this.#left = this.#left * LEFT_MEMORY ** minutes + left;
    this.#waited = this.#waited * LEFT_MEMORY ** minutes + waiting * minutes;
  }

  /** The outlook of a node that keeps the line. `situation` is called when a new one is due. */
  outlook(situation: () => Situation, view: RoomView, nowMs: number): Outlook {
    const ageMs = nowMs - (this.#own?.atMs ?? Number.NEGATIVE_INFINITY);
    if (this.#own === undefined || ageMs < 0 || ageMs >= OWN_MS || this.#hasTurned(this.#own.atMs, nowMs))
      this.#own = { outlook: this.#make(situation(), view, nowMs), atMs: nowMs };
    return this.#own.outlook;
  }

  /** The outlook that was heard of, if it still counts. */
  heard(nowMs: number): { readonly outlook: Outlook; readonly atMs: number } | undefined {
    const ageMs = nowMs - (this.#heard?.atMs ?? Number.NEGATIVE_INFINITY);
    return Math.abs(ageMs) <= HEARD_MS ? this.#heard : undefined;
  }

  /** The wait of the visitor at `position` (1 = next). */
  wait(position: number, outlook: Outlook, nowMs: number): Wait {
    const madeMs = (this.#own?.outlook === outlook ? this.#own : this.#heard)?.atMs ?? nowMs;
    const [ahead, isKnown] = minutesTo(position, outlook);
    const minutes = Math.max(0, ahead - Math.max(0, nowMs - madeMs) / this.#minuteMs);
    const [free = 0] = outlook.steps[0] ?? [];
    const places = Math.max(1, position - free);
    const band = minutes * (BAND.part + BAND.perPlace / Math.sqrt(places)) + BAND.minutes;
    const secondsOf = (some: number): number => Math.max(1, Math.round((some * this.#minuteMs) / 1_000));
    const [seconds, latestSeconds] = [secondsOf(minutes), secondsOf(minutes + band)];
    const earliestSeconds = Math.max(secondsOf(minutes - band), Math.ceil(latestSeconds / RATIO_MAX));
    return { seconds, earliestSeconds, latestSeconds, isKnown };
  }

  #hasTurned(beforeMs: number, nowMs: number): boolean {
    return Math.floor(beforeMs / this.#minuteMs) !== Math.floor(nowMs / this.#minuteMs);
  }

  #make({ slots: all, waiting, reach, heardOf, ...situation }: Situation, view: RoomView, nowMs: number): Outlook {
    const minute = Math.floor(nowMs / this.#minuteMs);
    const before = (ago: number): Minute => (minute - ago) as Minute;
    const free = view.free(nowMs);
    const { sessionMinutes, isEven } = situation;
    const toEdge = 1 - (nowMs % this.#minuteMs) / this.#minuteMs;
    const seen = sessionsAhead(
      { entered: (ago) => view.entered(before(ago)), moved: (ago) => view.moved(before(ago)) },
      { held: Math.max(0, all - free.active), sessionMinutes, passed: 1 - toEdge },
    );
    const grace = scaledMs(GRACE_MS, this.#minuteMs) / this.#minuteMs;
    // Of other lines' visitors, those before the last one here come first.
    const dueOf = view.due(nowMs);
    const most = mostDue(waiting + 1, dueOf);
    // Once its slots must be free, what has ended is not waited for.
    const ended = 1 - toEdge < grace + LATE_MINUTES ? seen.ended : 0;
    const thin = thinned(forecast({ ...situation, ...seen, ended, free, toEdge, grace }, most));
    const steps = thin.map(({ slots, minutes }) => ({ due: dueOf(slots), minutes }));
    const leaving = this.#waited < 1 ? 0 : this.#left / this.#waited;
    // Those for whom there is room already wait for nothing but the limit on new visitors.
    const roomFor = dueOf(free.active);
    const isMoving = view.mayAdmit();
    let position = 0;
    let dueBefore = 0;
    const places = steps.map(({ due, minutes }) => {
      const moved = Math.max(0, due - dueBefore);
      // Those who are still there after a while are the patient ones: fewer of them leave than of all.
      position += moved * (1 + leaving * minutes);
      dueBefore = Math.max(due, dueBefore);
      const places = reach(position);
      // As if of those in front, besides the visitor who asks, only those came in who have polled.
      const polled = heardOf(places);
      const heard = steps.find((step) => step.due > polled)?.minutes ?? minutes;
      const isHeard = minutes <= RATIO_MAX * heard + BAND.minutes;
      return [places, minutes, isMoving && isHeard && (seen.isMeasured || due <= roomFor)] as const;
    });
    return { steps: places, isEven };
  }
}

/** How many slots of the room it takes until `here` of them are for this line. */
function mostDue(here: number, due: (slots: number) => number): number {
  let most = here;
  while (most < 1e9 && due(most) < here) most *= 2;
  return most;
}

function thinned(steps: readonly Step[]): Step[] {
  let next = 0;
  return steps.filter((_, index) => {
    if (index < next && index < steps.length - 1) return false;
    next = index < STEPS_EXACT ? index + 1 : Math.ceil(index * STEPS_GROWTH);
    return true;
  });
}

/** When the visitor at `position` comes in, in minutes, and whether that is known. */
function minutesTo(position: number, { steps, isEven }: Outlook): readonly [minutes: number, isKnown: boolean] {
  const after = steps.findIndex(([places]) => places >= position);
  const [last, beforeLast] = [steps.at(-1), steps.at(-2)];
  if (after < 0) {
    if (last === undefined) return [0, false];
    // Beyond the end of the line: as fast as the last steps.
    const [places = 0, minutes = 0] = beforeLast ?? [];
    const perMinute = (last[0] - places) / Math.max(last[1] - minutes, 1e-3);
    return [last[1] + (position - last[0]) / Math.max(perMinute, 0.1), last[2]];
  }
  const [places = 0, minutes = 0, isKnown = false] = steps[after] ?? [];
  const [placesBefore = 0, minutesBefore = 0] = steps[after - 1] ?? [];
  if (after === 0 || (!isEven && minutes - minutesBefore <= 1.2)) return [minutes, isKnown];
  const part = (position - placesBefore) / Math.max(places - placesBefore, 1e-9);
  return [minutesBefore + (minutes - minutesBefore) * part, isKnown];
}

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
/**
 * How many slots a room will have had free by when, from now on, from what is known of its sessions.
 *
 * A session that was seen in a minute ends a session's duration later, unless it is seen in the minute after. So the
 * slots of the next minutes are known almost exactly: the sessions that were last seen long enough ago. For the minutes
 * after that, each session is expected to go on from one minute to the next with the probability measured of late. A
 * freed slot is used as soon as the limit on new visitors allows. Slots come at the edges of minutes, or evenly where a
 * rate holds back.
 */
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
