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

interface Span {
  readonly from: Instant;
  readonly forMs: number;
}

export class Lease {
  readonly #leaseMs: number;
  readonly #islandMs: () => number;
  /** By voter of this view: when its latest answer was asked for. */
  readonly #asked = new Map<NodeId, Instant>();
  /** By voter of this view: the session length that it knows, from its newest answer. */
  readonly #covered = new Map<NodeId, number>();
  /** What was left at the last call: within one step it is asked for every visitor. */
  #left: { voters: readonly NodeId[]; own: ReadonlySet<NodeId>; now: Instant; ms: number } | undefined;
  /** The span, lease and island time, in which own sessions may be extended; undefined before the first lease. */
  #extending: Span | undefined;

  constructor(leaseMs: number, islandMs: () => number) {
    this.#leaseMs = leaseMs;
    this.#islandMs = islandMs;
  }

  /**
   * A voter has answered a ping that was sent at `asked`, in this view, and carried sessions of up to `sessionMinutes`.
   */
  answered(voter: NodeId, asked: Instant, sessionMinutes = 0): void {
    const before = this.#asked.get(voter);
    if (before !== undefined && before.steadyMs >= asked.steadyMs) return;
    this.#asked.set(voter, asked);
    this.#covered.set(voter, sessionMinutes);
    this.#left = undefined;
  }

  /**
   * Ms left of the lease; 0 or less without one. `own`: the voters among `voters` that this node itself keeps and that
   * have not voted. Also notes how long own sessions may be extended: to be called after every answer.
   */
  leftMs(voters: readonly NodeId[], own: ReadonlySet<NodeId>, now: Instant): number {
    const before = this.#left;
    if (before?.now === now && before.voters === voters && before.own === own) return before.ms;
    const ms = this.#leftMs(voters, own, now);
    this.#left = { voters, own, now, ms };
    return ms;
  }

  #leftMs(voters: readonly NodeId[], own: ReadonlySet<NodeId>, now: Instant): number {
    const byAge: { readonly at: Instant; readonly ageMs: number }[] = [];
    for (const voter of voters) {
      const at = own.has(voter) ? now : this.#asked.get(voter);
      if (at !== undefined) byAge.push({ at, ageMs: mostMsSince(at, now) });
    }
    const oldest = byAge.sort((one, other) => one.ageMs - other.ageMs)[majorityOf(voters) - 1];
    if (oldest === undefined) return 0;
    const leftMs = USED * this.#leaseMs - oldest.ageMs;
    if (leftMs > 0) this.#mayExtend({ from: oldest.at, forMs: this.#leaseMs + this.#islandMs() }, now);
    return leftMs;
  }

  /**
   * The longest session that a majority knows about in this view, in minutes; undefined before a majority has answered.
   */
  coveredMinutes(voters: readonly NodeId[], own: ReadonlySet<NodeId>, ownMinutes: number): number | undefined {
    const told = voters.flatMap((voter) => (own.has(voter) ? ownMinutes : (this.#covered.get(voter) ?? [])));
    return told.sort((one, other) => other - one)[majorityOf(voters) - 1];
  }

  /**
   * The node needed no lease until now, and needs one from now on. Only if the members that may remove it know its
   * island time.
   */
  isNeeded(now: Instant): void {
    this.#mayExtend({ from: now, forMs: this.#islandMs() }, now);
  }

  /** Whether own sessions may be extended at `now`, lease or not. */
  mayExtend(now: Instant): boolean {
    return this.#extending !== undefined && leftMsOf(this.#extending, now) > 0;
  }

  /** A new view: only answers given in it count for its lease. */
  begin(): void {
    this.#asked.clear();
    this.#covered.clear();
    this.#left = undefined;
  }

  /** As after a restart: no session may be extended before there is a new lease. */
  end(): void {
    this.#asked.clear();
    this.#covered.clear();
    this.#left = undefined;
    this.#extending = undefined;
  }

  #mayExtend(span: Span, now: Instant): void {
    if (this.#extending === undefined || leftMsOf(span, now) > leftMsOf(this.#extending, now)) this.#extending = span;
  }
}

function leftMsOf({ from, forMs }: Span, now: Instant): number {
  return USED * forMs - mostMsSince(from, now);
}
