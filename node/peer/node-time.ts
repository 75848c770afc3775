/**
 * The time of a node's rooms: when it is right, when it stands still, and what must be held when it goes back.
 *
 * A node that starts among others waits for one of them before it believes its clock; afterwards `WallGuard` decides
 * which steps of the clock to believe. Time that goes back a little stands still until the clock has caught up. Time
 * that goes back by more, or is ahead of the others', may have ended sessions whose cookies are good. So the slots of all
 * rooms count as used, whether the time is corrected later, the others leave, or this node leaves to one of them.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { DrawTime } from "./draws.ts";

/**
 * Time that goes back by this much stands still instead, and the node uses no slot until it has caught up: this is time
 * synchronisation. A larger step would make it stand still for too long.
 */
const STANDS_STILL_MS = 2_000;

/**
 * How long a restarted node waits for a member to compare its clock with, before its rooms do anything. Minutes by a
 * wrong clock would end sessions whose cookies are good. Doubled, a start without others takes as long; a member
 * answers in a tenth of it. While nothing can be sent, as the disk refuses commits, the wait does not begin.
 */
const CLOCK_WAIT_MS = 3_000;

export interface NodeTimeParts {
  readonly minuteMs: number;
  /** When the process started. */
  readonly start: Instant;
  readonly members: () => Members;
  /** The time is known from now on. `isNew`: for the first time among others, as the node was no member before. */
  readonly trusted: (isNew: boolean) => void;
  /** It was ahead of the others', or has gone back: sessions may have ended too early. */
  readonly endedEarly: () => void;
}

export class NodeTime {
  readonly #parts: NodeTimeParts;
  readonly #guard: WallGuard;
  #now: Instant;
  /** 0 until the clock is trusted: by that time nothing is over. */
  #roomMs = 0;
  #isTrusted = false;
  #isBehind = false;
  #isAhead = false;
  #comparedMs: number | undefined;
  /** Whether this node was admitted as a member, in this run or before. */
  #isTakenIn = false;
  /** Whether it was just admitted, and has not compared its clock yet. */
  #isNew = false;
  /** Since when it waits for members to compare the clock with, on the steady clock. */
  #askedMs: number;

  constructor(parts: NodeTimeParts) {
    this.#parts = parts;
    this.#now = parts.start;
    this.#askedMs = parts.start.steadyMs;
    this.#guard = new WallGuard(parts.start, (wasDoubted) => this.#isClockConfirmed(wasDoubted));
  }

  /** The moment of the step in progress. */
  get now(): Instant {
    return this.#now;
  }

  /**
   * Unix ms as the rooms see it: not the host's clock after a step that no other member confirms, or while it is behind
   * its earlier value.
   */
  get roomMs(): number {
    return this.#roomMs;
  }

  /** The same with the steady clock, as draws need it. */
  get forDraws(): DrawTime {
    return { roomMs: this.#roomMs, steadyMs: this.#now.steadyMs };
  }

  /** The minute of that. */
  get minute(): Minute {
    return minuteOf(this.#roomMs, this.#parts.minuteMs);
  }

  /** Whether the rooms' time is right, as far as can be known: the gate must not open before. */
  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  /** Whether it is trusted, and running. */
  get isRight(): boolean {
    return this.#isTrusted && !this.#isBehind;
  }

  /** The time by which others' news are judged, also while the rooms' own is unknown. */
  get newsMs(): number {
    return this.#isTrusted ? this.#roomMs : this.#now.wallMs;
  }

  /**
   * The time that stamps operators' decisions here. It is never ahead of the median of the members' clocks: the others
   * would refuse the stamp until its time has come. Lagging costs nothing: a stamp is later than all that this node has
   * seen.
   */
  get stampMs(): number {
    const behindMs = this.#parts.members().clocks.behindMs(this.#now);
    if (behindMs === undefined) return this.newsMs;
    return Math.floor(Math.min(this.newsMs, this.#now.wallMs + behindMs));
  }

  /**
   * The later of the rooms' time and the median of the members' clocks: what must not end too early counts by it. A
   * node that started by the earliest clock may be behind.
   */
  get latestMs(): number {
    const behindMs = this.#parts.members().clocks.behindMs(this.#now) ?? 0;
    return Math.max(this.#roomMs, Math.floor(this.#now.wallMs + behindMs));
  }

  /**
   * Unix ms by the clocks of most members, this node's included; undefined where it has no others, too few answer, or
   * their clocks differ.
   */
  get mostMs(): number | undefined {
    const behindMs = this.#hasOthers ? this.#parts.members().clocks.behindMostMs(this.#now) : undefined;
    return behindMs === undefined ? undefined : Math.floor(this.#now.wallMs + behindMs);
  }

  /**
   * By which the stamps of operators' decisions are judged: a node that started alone by a wrong clock keeps its own
   * time.
   */
  get judgeMs(): number {
    return this.mostMs ?? this.newsMs;
  }

  /** Call it before anything else in a step, visitors' requests included. */
  at(now: Instant): void {
    this.#now = now;
    if (!this.#isTrusted) this.#compareClock(now);
    if (!this.#isTrusted) return;
    const seenMs = this.#guard.look(now);
    const backMs = this.#roomMs - seenMs;
    const isBack = backMs > 0 && this.#hasOthers;
    this.#isBehind = isBack && backMs <= STANDS_STILL_MS;
    if (!this.#isBehind) this.#roomMs = seenMs;
    // A time that was ahead may have ended sessions whose cookies are good: their slots must not be used.
    if (isBack && backMs > STANDS_STILL_MS) this.#parts.endedEarly();
  }

  /** Whether it is ahead of the others', as far as was known when they answered last. */
  get isAhead(): boolean {
    return this.#isAhead;
  }

  /** What was to be sent in this step was dropped: that nobody answers means nothing. */
  notSent(): void {
    this.#askedMs = this.#now.steadyMs;
  }

  /** An earlier run was a member. */
  wasMember(): void {
    this.#isTakenIn = true;
  }

  /**
   * There is a new view. A node that had no member to compare its clock with until now compares it: its own time no
   * longer counts.
   */
  viewChanged(): void {
    if (this.#isTakenIn) return;
    this.#isTakenIn = true;
    if (!this.#hasOthers) return;
    this.#isTrusted = false;
    this.#isNew = true;
    this.#askedMs = this.#now.steadyMs;
  }

  /** Whether an earlier run's time was ahead: a minute on disk is in the future. */
  isYetToCome(minute: Minute): boolean {
    return this.#hasOthers && minute > this.minute;
  }

  #compareClock(now: Instant): void {
    const isWaiting = now.steadyMs - this.#askedMs < CLOCK_WAIT_MS;
    if (isWaiting && this.#hasOthers && !this.#parts.members().clocks.isConfirmed(now)) return;
    this.#isTrusted = true;
    this.#guard.begin({ ...now, wallMs: now.wallMs + this.#parts.members().clocks.toStartByMs(now) });
    this.#roomMs = this.#guard.look(now);
    this.#parts.trusted(this.#isNew);
    this.#isNew = false;
  }

  /**
   * Compares the rooms' time with the others' clocks, if they have been compared again. Call it at both ends of each step
   * but visitors' requests, which compare no clocks.
   */
  lookAhead(): void {
    const { clocks } = this.#parts.members();
    if (!this.#isTrusted || clocks.comparedMs === undefined || clocks.comparedMs === this.#comparedMs) return;
    this.#comparedMs = clocks.comparedMs;
    const wasAhead = this.#isAhead;
    this.#isAhead = this.#hasOthers && clocks.isAhead(this.#roomMs - this.#now.wallMs);
    if (this.#isAhead && !wasAhead) this.#parts.endedEarly();
  }

  /**
   * Alone, a node believes its clock, but not a time that it did not believe among others: they may have left their
   * sessions to it.
   */
  #isClockConfirmed(wasDoubted: boolean): boolean {
    return this.#hasOthers ? this.#parts.members().clocks.isConfirmed(this.#now) : !wasDoubted;
  }

  get #hasOthers(): boolean {
    return (this.#parts.members().view?.members.length ?? 0) > 1;
  }
}

/**
 * Steps up to this in ms, summed up, are believed without asking: they come from time synchronisation. Together with
 * the 4 s by which confirmed clocks may differ, this stays within the grace of slots. Members that answer confirm at
 * once, so a lower value costs only the comparison.
 */
const STEP_MS = 500;

/**
 * The wall clock as the rooms see it: a step is believed only when other members agree with it.
 *
 * A host's clock that jumps an hour ahead would end all sessions whose slots it holds, while other gates still admit
 * their visitors; when the clock is corrected, the slots would be given out again. So after a step the time follows the
 * steady clock, until the members that answer confirm the new time. Steps are summed up since the members last
 * confirmed the time: many small ones count as one. A node without others has none to differ from, and believes its
 * clock, unless others that have left did not. A node that starts among others waits for one of them,
 * and starts with the members' time if its own is wrong.
 *
 * Time that is slewed never steps: wall and steady clock run faster or slower together. Only the clocks of others
 * reveal it.
 */
export class WallGuard {
  /** Unix ms at 0 of the steady clock, by the time that was last confirmed. */
  #zeroMs: number;
  readonly #isConfirmed: (wasDoubted: boolean) => boolean;
  /** Whether the wall clock was unconfirmed at the last call. */
  #isDoubted = false;

  /**
   * `isConfirmed`: whether the members agree with the present wall clock, or there are no members. Its argument says
   * whether the clock has been doubted, and not been right, since.
   */
  constructor(now: Instant, isConfirmed: (wasDoubted: boolean) => boolean) {
    this.#zeroMs = now.wallMs - now.steadyMs;
    this.#isConfirmed = isConfirmed;
  }

  /** Starts from a time that is known to be right. */
  begin({ wallMs, steadyMs }: Instant): void {
    this.#zeroMs = wallMs - steadyMs;
  }

  /** Unix ms for everything that ends by the minute. */
  look({ wallMs, steadyMs }: Instant): number {
    const stepMs = wallMs - steadyMs - this.#zeroMs;
    const isSmall = Math.abs(stepMs) <= STEP_MS;
    this.#isDoubted = !isSmall && !this.#isConfirmed(this.#isDoubted);
    if (this.#isDoubted) return Math.floor(this.#zeroMs + steadyMs);
    if (isSmall) return wallMs;
    this.#zeroMs = wallMs - steadyMs;
    return wallMs;
  }
}
