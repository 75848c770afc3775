/**
 * This node's clock beside those of the members it exchanges heartbeats with, by the rules of clock-offset.ts.
 *
 * A clock that is off stops everything that takes or gives slots. It is compared with each answer, and a step that the
 * own clock makes in between shows at once. A clock that any of several members contradicted stays off until a majority
 * of them has confirmed it: that they have fallen silent does not make it right. Where there is only one other member,
 * either clock may be the wrong one, and the node that is left alone must go on.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import {
  type ClockOffset,
  clockProblems,
  isClockAhead,
  isClockConfirmed,
  isClockOff,
  msBehind,
  msBehindMost,
  msToStartBy,
} from "./clock-offset.ts";
import type { Heartbeats } from "./heartbeats.ts";

/** A step of the wall clock below this, in ms, is the rounding of clocks. It is counted at the next comparison. */
export const STEP_MS_MIN = 10;

export class MemberClocks {
  readonly #self: NodeId;
  readonly #heartbeats: Heartbeats;
  /** The others' clocks as of a moment, and whether the own one is wrong beside them. */
  #compared: { readonly others: readonly ClockOffset[]; readonly isOff: boolean; readonly at: Instant };
  /** Whether it was wrong beside the clocks of some of several members, and no majority has confirmed it since. */
  #isContradicted = false;

  constructor(self: NodeId, heartbeats: Heartbeats, now: Instant) {
    this.#self = self;
    this.#heartbeats = heartbeats;
    this.#compared = { others: [], isOff: false, at: now };
  }

  /** Compares the own clock with the others'; to be called at each answer, and often, as answers become old. */
  compare(now: Instant): void {
    const others = this.#heartbeats.clocks(now);
    const isOff = isClockOff(others);
    this.#compared = { others, isOff, at: now };
    if (isOff) this.#isContradicted ||= this.#heartbeats.count > 1;
    else if (this.#heartbeats.count === 0 || isClockConfirmed(others, this.#count)) this.#isContradicted = false;
  }

  /** Whether the own clock is wrong compared with the others'. */
  isOff(now: Instant): boolean {
    if (this.#isContradicted) return true;
    const { others, isOff, at } = this.#compared;
    const steppedMs = now.wallMs - now.steadyMs - (at.wallMs - at.steadyMs);
    return Math.abs(steppedMs) < STEP_MS_MIN ? isOff : isClockOff(others, steppedMs);
  }

  /** Whether it is wrong while most members have one time: they admit visitors, and this node does not. */
  isOutvoted(now: Instant): boolean {
    return this.isOff(now) && (this.behindMostMs(now) ?? 0) !== 0;
  }

  /** When the own clock was last compared with others', on the steady clock; undefined if no other answered then. */
  get comparedMs(): number | undefined {
    return this.#compared.others.length === 0 ? undefined : this.#compared.at.steadyMs;
  }

  /** Whether a time is wrong that is `byMs` ahead of the own clock, and ahead of the others' as last compared. */
  isAhead(byMs: number): boolean {
    return isClockAhead(this.#compared.others, byMs);
  }

  /**
   * Whether most of the members with which this node exchanges heartbeats, itself included, answer and have its time.
   */
  isConfirmed(now: Instant): boolean {
    return isClockConfirmed(this.#heartbeats.clocks(now), this.#count);
  }

  /** How far it is behind the median of all answering clocks; undefined while no member answers. */
  behindMs(now: Instant): number | undefined {
    const clocks = this.#heartbeats.clocks(now);
    return clocks.length === 0 ? undefined : msBehind(clocks);
  }

  /** How far it is behind those of most members; undefined where too few answer, or they differ. */
  behindMostMs(now: Instant): number | undefined {
    return msBehindMost(this.#heartbeats.clocks(now), this.#count);
  }

  /**
   * By how many ms this node must move its clock when it starts. Members that have answered and fallen silent since
   * count as well.
   */
  toStartByMs(now: Instant): number {
    return msToStartBy(this.#heartbeats.clocksHeard(now), this.#count);
  }

  /** What an operator must know about members' clocks: a sentence for each wrong one, this node's own included. */
  problems(now: Instant): string[] {
    const problems = clockProblems(this.#self, this.#heartbeats.clocks(now));
    if (problems.length > 0 || !this.#isContradicted) return problems;
    return [
      `The clock of ${this.#self} was wrong when other members answered: it admits, adopts and gives nothing until a majority of the members answers and has the same time`,
    ];
  }

  /** The members whose clocks could be known, this node included. */
  get #count(): number {
    return this.#heartbeats.count + 1;
  }
}
