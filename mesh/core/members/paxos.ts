/**
 * The voter of single-decree Paxos (Lamport, "Paxos Made Simple", 2001): what follows after a view is decided once.
 *
 * Each view has one successor to be agreed on. A ballot is one try by one node. A voter promises a ballot to ignore
 * lower ones, and tells what it has accepted so far; once a majority has accepted a ballot its value is decided, and
 * every higher ballot can only find and repeat it. A node may keep several voters: its own, and those of members that
 * left to it.
 *
 * Promises and accepted values must be on disk before they are sent. This file does not decide which node asks or
 * counts.
 */

import type { NodeId } from "../ids.ts";
import type { View } from "./view.ts";

/** Ordered by round, then by incarnation and node: no node uses a ballot twice, restarts included. */
export type Ballot = readonly [round: number, incarnation: number, node: NodeId];

export interface Accepted {
  readonly ballot: Ballot;
  readonly value: View;
}

export interface VoterState {
  readonly promised: Ballot;
  readonly accepted?: Accepted | undefined;
}

/** What is on disk: the view whose successor is voted on, and the voters kept. */
export interface VotesRecord {
  readonly base: number;
  readonly voters: readonly (readonly [NodeId, VoterState | null])[];
}

/** Whether ballot `one` comes after `other`. */
export function isAbove(one: Ballot, other: Ballot): boolean {
  if (one[0] !== other[0]) return one[0] > other[0];
  if (one[1] !== other[1]) return one[1] > other[1];
  return one[2] > other[2];
}

export class Votes {
  #base: number;
  /** Undefined for a voter that has promised nothing. */
  readonly #voters = new Map<NodeId, VoterState | undefined>();

  /** `self` votes on the successor of view `base`. */
  constructor(self: NodeId, base: number) {
    this.#base = base;
    this.#voters.set(self, undefined);
  }

  /** The voters kept here. */
  get kept(): ReadonlySet<NodeId> {
    return new Set(this.#voters.keys());
  }

  get record(): VotesRecord {
    return { base: this.#base, voters: [...this.#voters].map(([voter, state]) => [voter, state ?? null]) };
  }

  restore({ base, voters }: VotesRecord): void {
    this.#base = base;
    for (const [voter, state] of voters) this.#voters.set(voter, state ?? undefined);
  }

  /**
   * Starts on the successor of view `base`: nothing promised, nothing accepted. `kept`: the voters kept from now on.
   */
  begin(base: number, kept: Iterable<NodeId>): void {
    this.#base = base;
    this.#voters.clear();
    for (const voter of kept) this.#voters.set(voter, undefined);
  }

  /** Keeps another voter, with its promise and its accepted value. */
  keep(voter: NodeId, state: VoterState | undefined): void {
    this.#voters.set(voter, state);
  }

  /** What `voter` has accepted. */
  acceptedBy(voter: NodeId): Accepted | undefined {
    return this.#voters.get(voter)?.accepted;
  }

  /** Whether any voter kept here has promised something. */
  get havePromised(): boolean {
    for (const state of this.#voters.values()) if (state !== undefined) return true;
    return false;
  }

  /** Whether any voter kept here has accepted something. */
  get haveAccepted(): boolean {
    for (const state of this.#voters.values()) if (state?.accepted !== undefined) return true;
    return false;
  }

  /**
   * The highest promise among `voters` that is above `ballot`, for which they must refuse it; undefined if there is
   * none.
   */
  above(ballot: Ballot, voters: readonly NodeId[]): Ballot | undefined {
    let highest: Ballot | undefined;
    for (const voter of voters) {
      const promised = this.#voters.get(voter)?.promised;
      if (promised !== undefined && isAbove(promised, highest ?? ballot)) highest = promised;
    }
    return highest;
  }

  /** Makes `voter` ignore everything below `ballot`, which is not below its promise. Returns whether that is new. */
  promise(voter: NodeId, ballot: Ballot): boolean {
    const state = this.#voters.get(voter);
    if (state !== undefined && !isAbove(ballot, state.promised)) return false;
    this.#voters.set(voter, { promised: ballot, accepted: state?.accepted });
    return true;
  }

  /** Makes `voter` accept `value` in `ballot`, which is not below its promise. Returns whether that is new. */
  accept(voter: NodeId, ballot: Ballot, value: View): boolean {
    const accepted = this.acceptedBy(voter);
    if (accepted !== undefined && !isAbove(ballot, accepted.ballot)) return false;
    this.#voters.set(voter, { promised: ballot, accepted: { ballot, value } });
    return true;
  }
}
