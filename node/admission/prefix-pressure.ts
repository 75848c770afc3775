/**
 * How much work (hashes to try, on average) a new visitor of a room is asked for, at this gate.
 *
 * Nothing in quiet times. A network from which more than a few come asks its visitors for work, the more of them come
 * the more; nobody else is concerned. Visitors who join and never ask again are a rise too, wherever they come from:
 * while most of those who joined lately did not come back, each new visitor is asked for the least work. Whether they
 * came back is known of a cohort, all who joined within one span, once the span in which their first poll is due has
 * passed as well.
 */

import type { ProofMode } from "../config/room.ts";
import { Recent } from "../recent.ts";

/**
 * New visitors of one network in a minute that are quiet: a household, a small office. Halved, an office at noon works
 * for nothing; doubled, so much more comes in without work.
 */
export const QUIET_PER_MINUTE = 30;

/**
 * Most work, as a multiple of the room's least: at its default about 6 s of a desktop's browser, half a minute of an
 * old phone's.
 */
export const WORK_FACTOR_MAX = 64;

/** Networks counted in one minute, about 10 MB. Further ones count as quiet: such a flood has no network in common. */
const PREFIXES_MAX = 100_000;

/** The first poll comes within 1.1 refresh intervals of joining (waiting-page.html), and some time on the way. */
const FIRST_POLL_INTERVALS = 1.25;

/** A smaller cohort proves nothing: some people always close the page. */
const COHORT_MIN = 30;

/** Below it most of a cohort are not there. Of people who see a line, fewer than half leave at once. */
const CAME_BACK_MIN = 0.5;

/** Visitors remembered as having come back, so that each counts once. Of more, some count twice. */
const CAME_BACK_MAX = 100_000;

/** Judged: all have had time to come back. */
const COHORT_AGE = 2;

interface Cohort {
  joined: number;
  cameBack: number;
}

/** What the room asks for. */
export interface AskedWork {
  readonly mode: ProofMode;
  /** The least work. */
  readonly tries: number;
}

export interface Arrival {
  /** The network that the visitor comes from. */
  readonly prefix: string;
  readonly nowMs: number;
}

export class PrefixPressure {
  readonly #minuteMs: number;
  #minute = 0;
  #now = new Map<string, number>();
  #before = new Map<string, number>();
  /** By their number; the last few. */
  readonly #cohorts = new Map<number, Cohort>();
  #spanMs = 0;
  #seen = new Recent<string, true>({ max: CAME_BACK_MAX, forMs: 0 });

  constructor(minuteMs: number) {
    this.#minuteMs = minuteMs;
  }

  /** Counts a new visitor, and returns the work to ask for; 0 for none. */
  arrive({ prefix, nowMs }: Arrival, { mode, tries }: AskedWork): number {
    if (mode === "off") return 0;
    const factor = this.#count(prefix, nowMs) / QUIET_PER_MINUTE;
    if (factor > 1) return Math.round(tries * Math.min(factor, WORK_FACTOR_MAX));
    return mode === "always" || this.isAbandoned(nowMs) ? tries : 0;
  }

  /** Counts a place in line that was given to a new visitor. */
  join(nowMs: number, refreshMs: number): void {
    this.#cohortAt(nowMs, nowMs, refreshMs).joined += 1;
  }

  /** Notes a poll of a visitor who joined at `joinedMs`. */
  poll(id: string, { joinedMs, nowMs, refreshMs }: { joinedMs: number; nowMs: number; refreshMs: number }): void {
    if (nowMs - joinedMs > FIRST_POLL_INTERVALS * refreshMs || this.#seen.get(id) === true) return;
    this.#seen.set(id, true, nowMs);
    this.#cohortAt(joinedMs, nowMs, refreshMs).cameBack += 1;
  }

  /** Whether most of those who joined lately never asked again. */
  isAbandoned(nowMs: number): boolean {
    const judged = this.#cohorts.get(Math.floor(nowMs / this.#spanMs) - COHORT_AGE);
    return judged !== undefined && judged.joined >= COHORT_MIN && judged.cameBack < CAME_BACK_MIN * judged.joined;
  }

  /** New visitors of `prefix` in the minute up to now, this one included. */
  #count(prefix: string, nowMs: number): number {
    const minute = Math.floor(nowMs / this.#minuteMs);
    if (minute !== this.#minute) {
      this.#before = minute === this.#minute + 1 ? this.#now : new Map();
      this.#now = new Map();
      this.#minute = minute;
    }
    const here = (this.#now.get(prefix) ?? 0) + 1;
    if (here > 1 || this.#now.size < PREFIXES_MAX) this.#now.set(prefix, here);
    const past = nowMs / this.#minuteMs - minute;
    return here + (this.#before.get(prefix) ?? 0) * (1 - past);
  }

  #cohortAt(atMs: number, nowMs: number, refreshMs: number): Cohort {
    const spanMs = FIRST_POLL_INTERVALS * refreshMs;
    if (spanMs !== this.#spanMs) {
      // The room's interval was changed: its cohorts begin again.
      this.#spanMs = spanMs;
      this.#cohorts.clear();
      this.#seen = new Recent({ max: CAME_BACK_MAX, forMs: spanMs * COHORT_AGE });
    }
    const present = Math.floor(nowMs / spanMs);
    for (const number of this.#cohorts.keys())
      if (Math.abs(present - number) > COHORT_AGE) this.#cohorts.delete(number);
    return this.#cohorts.getOrInsertComputed(Math.floor(atMs / spanMs), () => ({ joined: 0, cameBack: 0 }));
  }
}
