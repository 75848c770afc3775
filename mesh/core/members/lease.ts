/**
 * A node's lease: the proof that no view without it can have been decided.
 *
 * It holds while answers from a majority of voters, all of the view that the node knows, are younger than `leaseMs`. A
 * voter that has voted for the next view answers nobody, and any two majorities have a voter in common: so a decided
 * view ends all leases of the one before within `leaseMs` (Gray and Cheriton, "Leases", 1989). An answer's age counts
 * from when it was asked for, by the clock that shows more. This file does not decide what a node may do with or
 * without a lease.
 */

import type { NodeId } from "../ids.ts";
import { type Instant, mostMsSince } from "../instant.ts";
import { majorityOf } from "./voters.ts";

/**
 * Clocks may run up to 1 % apart: a node that relies on an end waits for all of it; a holder stops at this part of it.
 */
const USED = 0.99;

export class Lease {
  readonly #leaseMs: number;
  /** By voter of this view: when its latest answer was asked for. */
  readonly #asked = new Map<NodeId, Instant>();
  /** What was left at the last call: within one step it is asked for every visitor. */
  #left: { voters: readonly NodeId[]; own: ReadonlySet<NodeId>; now: Instant; ms: number } | undefined;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** A voter has answered a ping that was sent at `asked`, in this view. */
  answered(voter: NodeId, asked: Instant): void {
    const before = this.#asked.get(voter);
    if (before !== undefined && before.steadyMs >= asked.steadyMs) return;
    this.#asked.set(voter, asked);
    this.#left = undefined;
  }

  /**
   * Ms left of the lease; 0 or less without one. `own`: the voters among `voters` that this node itself keeps and that
   * have not voted.
   */
  leftMs(voters: readonly NodeId[], own: ReadonlySet<NodeId>, now: Instant): number {
    const before = this.#left;
    if (before?.now === now && before.voters === voters && before.own === own) return before.ms;
    const ms = this.#leftMs(voters, own, now);
    this.#left = { voters, own, now, ms };
    return ms;
  }

  #leftMs(voters: readonly NodeId[], own: ReadonlySet<NodeId>, now: Instant): number {
    const agesMs: number[] = [];
    for (const voter of voters) {
      const at = own.has(voter) ? now : this.#asked.get(voter);
      if (at !== undefined) agesMs.push(mostMsSince(at, now));
    }
    const oldestMs = agesMs.sort((one, other) => one - other)[majorityOf(voters) - 1];
    return oldestMs === undefined ? 0 : USED * this.#leaseMs - oldestMs;
  }

  /** A new view, or as after a restart: only answers given from now on count. */
  begin(): void {
    this.#asked.clear();
    this.#left = undefined;
  }
}
