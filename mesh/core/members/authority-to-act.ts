/**
 * What a node may do by its lease, the size of its view and its clock.
 *
 * A view of one or two removes nobody, so its members need no lease; that ends for a voter with its vote for a larger view,
 * which may remove it before it hears of the outcome. A clock that is off the others' by more than the grace of slots allows stops
 * everything that takes or gives slots, but not the extending of sessions that have one.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { type ClockOffset, isClockOff } from "./clock-offset.ts";
import type { Heartbeats } from "./heartbeats.ts";
import type { Lease } from "./lease.ts";
import type { ViewBook } from "./view-book.ts";
import type { Voter } from "./voter.ts";

/** Members of a view that needs no lease, and removes nobody: of two, each may be the one that is cut off. */
export const WITHOUT_LEASE_MAX = 2;

/** A step of the wall clock below this, in ms, is the rounding of clocks. It is counted at the next comparison. */
const STEP_MS_MIN = 10;

export class AuthorityToAct {
  readonly #self: NodeId;
  readonly #book: ViewBook;
  readonly #voter: Voter;
  readonly #lease: Lease;
  /** The others' clocks as of a moment, and whether the own one is wrong beside them. */
  #clocks: { readonly others: readonly ClockOffset[]; readonly isOff: boolean; readonly at: Instant };

  constructor(
    self: NodeId,
    parts: { readonly book: ViewBook; readonly voter: Voter; readonly lease: Lease },
    now: Instant,
  ) {
    this.#self = self;
    this.#book = parts.book;
    this.#voter = parts.voter;
    this.#lease = parts.lease;
    this.#clocks = { others: [], isOff: false, at: now };
  }

  /** Whether no lease is needed. */
  get isFree(): boolean {
    const { view } = this.#book;
    if (view === undefined || view.members.length > WITHOUT_LEASE_MAX) return false;
    return (this.#voter.voteOf(this.#self)?.members.length ?? 0) <= WITHOUT_LEASE_MAX;
  }

  /** Ms left of the lease; 0 or less without one. To be called after each answer too, as it notes how long sessions may be extended. */
  leaseLeftMs(now: Instant): number {
    return this.#lease.leftMs(this.#book.known.voters, this.#voter.unvoted, now);
  }

  /** What a member may do, its clock apart. */
  at(now: Instant): "held" | "island" | "none" {
    if (this.isFree || this.leaseLeftMs(now) > 0) return "held";
    return this.#lease.mayExtend(now) ? "island" : "none";
  }

  /** Compares the own clock with the others'; to be called often. */
  compareClocks(heartbeats: Heartbeats, now: Instant): void {
    const others = heartbeats.clocks(now);
    this.#clocks = { others, isOff: isClockOff(others), at: now };
  }

  /** Whether the own clock is off. A step that it has made since it was compared shows at once. */
  isClockOff(now: Instant): boolean {
    const { others, isOff, at } = this.#clocks;
    const steppedMs = now.wallMs - now.steadyMs - (at.wallMs - at.steadyMs);
    return Math.abs(steppedMs) < STEP_MS_MIN ? isOff : isClockOff(others, steppedMs);
  }
}
