/**
 * How this node votes: for itself and for the members that left to it, each promise and vote on disk before it is sent.
 *
 * A node refuses to remove another that it has heard within a lease: members that hear it should not be outvoted by
 * members that do not. But a value that was found accepted may be decided already; it gets the vote whatever has been
 * heard.
 */

import type { NodeId } from "../ids.ts";
import type { KeptPledge } from "./ceilings.ts";
import type { MemberMessageBody, Of } from "./member-messages.ts";
import { type Accepted, Votes, type VotesRecord } from "./paxos.ts";
import type { View } from "./view.ts";

export class Voter {
  readonly #votes: Votes;
  readonly #store: (record: VotesRecord) => void;
  /** Voters kept here that vote on the successor of the view and have not yet: they grant leases. */
  unvoted: ReadonlySet<NodeId> = new Set();

  /** `store` puts what must survive on disk. */
  constructor(self: NodeId, store: (record: VotesRecord) => void) {
    this.#votes = new Votes(self, 0);
    this.#store = store;
  }

  get record(): VotesRecord {
    return this.#votes.record;
  }

  /** Whether any voter kept here has given a promise, and the outcome is not known. */
  get hasPromised(): boolean {
    return this.#votes.havePromised;
  }

  /** Whether any voter kept here has voted, and the outcome is not known. */
  get hasVoted(): boolean {
    return this.#votes.haveAccepted;
  }

  restore(record: VotesRecord, view: View): void {
    this.#votes.restore(record);
    this.#noteUnvoted(view);
  }

  /** A new view: nothing is promised or voted for its successor. `kept`: the voters kept here. */
  begin(view: View, kept: Iterable<NodeId>): void {
    this.#votes.begin(view.number, kept);
    this.#put(view);
  }

  /** Keeps the voters of a member that left to this node. */
  keep(voters: VotesRecord["voters"], view: View): void {
    for (const [voter, state] of voters) this.#votes.keep(voter, state ?? undefined);
    this.#put(view);
  }

  /** What `voter` has voted for. */
  voteOf(voter: NodeId): View | undefined {
    return this.#votes.acceptedBy(voter)?.value;
  }

  /** The answer to a request for promises; undefined if no voter is kept here. `pledges`: what is known of others'. */
  prepare({ ballot, all }: Of<"prepare">, pledges: readonly KeptPledge[], view: View): MemberMessageBody | undefined {
    const voters = this.#asked(all, view);
    if (voters.length === 0) return undefined;
    const promised = this.#votes.above(ballot, voters);
    if (promised !== undefined) return { kind: "refusal", ballot, promised, heard: [] };
    const isNew = voters.map((voter) => this.#votes.promise(voter, ballot));
    if (isNew.includes(true)) this.#put(view);
    return {
      kind: "promise",
      ballot,
      votes: voters.map((voter): [NodeId, Accepted | null] => [voter, this.#votes.acceptedBy(voter) ?? null]),
      pledges,
    };
  }

  /** The answer to a request for votes. `heard`: nodes that the value removes although this node has heard them. */
  accept({ ballot, value, all }: Of<"accept">, heard: readonly NodeId[], view: View): MemberMessageBody | undefined {
    const voters = this.#asked(all, view);
    if (voters.length === 0) return undefined;
    const promised = this.#votes.above(ballot, voters);
    if (promised !== undefined || heard.length > 0) return { kind: "refusal", ballot, promised, heard };
    const isNew = voters.map((voter) => this.#votes.accept(voter, ballot, value));
    if (isNew.includes(true)) this.#put(view);
    return { kind: "accepted", ballot, voters };
  }

  #asked(all: boolean, { voters }: View): NodeId[] {
    return [...this.#votes.kept].filter((voter) => all || voters.includes(voter));
  }

  #put(view: View): void {
    this.#noteUnvoted(view);
    this.#store(this.#votes.record);
  }

  #noteUnvoted({ voters }: View): void {
    const kept = [...this.#votes.kept].filter((voter) => voters.includes(voter));
    this.unvoted = new Set(kept.filter((voter) => this.voteOf(voter) === undefined));
  }
}
