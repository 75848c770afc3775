/**
 * What a node may do by its lease and the size of its view; member-clocks.ts adds what its clock allows.
 *
 * A view of one or two removes nobody, so its members need no lease; that ends for a voter with its vote for a larger
 * view, which may remove it before it hears of the outcome.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Lease } from "./lease.ts";
import type { ViewBook } from "./view-book.ts";
import type { Voter } from "./voter.ts";

/** Members of a view that needs no lease, and removes nobody: of two, each may be the one that is cut off. */
export const WITHOUT_LEASE_MAX = 2;

export class AuthorityToAct {
  readonly #self: NodeId;
  readonly #book: ViewBook;
  readonly #voter: Voter;
  readonly #lease: Lease;

  constructor(self: NodeId, parts: { readonly book: ViewBook; readonly voter: Voter; readonly lease: Lease }) {
    this.#self = self;
    this.#book = parts.book;
    this.#voter = parts.voter;
    this.#lease = parts.lease;
  }

  /** Whether no lease is needed. */
  get isFree(): boolean {
    const { view } = this.#book;
    if (view === undefined || view.members.length > WITHOUT_LEASE_MAX) return false;
    return (this.#voter.voteOf(this.#self)?.members.length ?? 0) <= WITHOUT_LEASE_MAX;
  }

  /** Ms left of the lease; 0 or less without one. */
  leaseLeftMs(now: Instant): number {
    return this.#lease.leftMs(this.#book.known.voters, this.#voter.unvoted, now);
  }

  /** What a member may do, its clock apart. */
  at(now: Instant): "held" | "none" {
    return this.isFree || this.leaseLeftMs(now) > 0 ? "held" : "none";
  }
}
