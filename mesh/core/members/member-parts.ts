/**
 * What the parts of a membership share: the tables of what this node knows, one idea each, and their keys on disk.
 *
 * What happens to them, and in which order, is decided by the parts: views.ts, decider.ts, pings.ts, departures.ts,
 * returns.ts and forgetting.ts.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { MINUTE_MS } from "../minute.ts";
import type { Outgoing } from "../wire/outbox.ts";
import { WIRES, type WireRange, wireOf } from "../wire/wire-range.ts";
import { AuthorityToAct } from "./authority-to-act.ts";
import { Fences } from "./fences.ts";
import { Handovers } from "./handovers.ts";
import { Heartbeats } from "./heartbeats.ts";
import { Joins } from "./joins.ts";
import { KeptPledges } from "./kept-pledges.ts";
import { KnownRuns } from "./known-runs.ts";
import { Lease } from "./lease.ts";
import { LongestSession } from "./longest-session.ts";
import { MemberClocks } from "./member-clocks.ts";
import type { MemberMessage, MemberMessageBody, Of } from "./member-messages.ts";
import type { MembersApp, MembersOptions } from "./members-app.ts";
import { Pledges } from "./pledges.ts";
import { Pots } from "./pots.ts";
import { Relays } from "./relays.ts";
import { FENCES, HANDOVERS, PLEDGES, POTS, RUNS, VIEW, VOTES } from "./stored-members.ts";
import { Succession } from "./succession.ts";
import { Tenure } from "./tenure.ts";
import type { View } from "./view.ts";
import { ViewBook } from "./view-book.ts";
import { Voter } from "./voter.ts";
import { WireAgreement } from "./wire-agreement.ts";

/**
 * Versions of pledges that a start may use before those of a later one begin: an incarnation is a moment in ms, and a
 * pledge needs a round trip.
 */
const PLEDGES_PER_INCARNATION = 1_000;

export interface MemberHooks {
  /** This node sends itself a message. */
  readonly hear: (message: MemberMessage, now: Instant) => void;
  /** Nothing more is proposed. */
  readonly stopProposing: () => void;
}

export class MemberParts {
  readonly self: NodeId;
  readonly locality: string;
  readonly incarnation: number;
  readonly leaseMs: number;
  readonly outbox: Outgoing<MemberMessage>;
  readonly app: MembersApp;
  readonly book: ViewBook;
  readonly voter: Voter;
  readonly lease: Lease;
  readonly authority: AuthorityToAct;
  readonly heartbeats: Heartbeats;
  readonly clocks: MemberClocks;
  readonly relays: Relays;
  readonly fences = new Fences();
  /** What the others pledge, as far as this node votes. */
  readonly kept: KeptPledges;
  /** What this node pledges to hold at most. */
  readonly pledges: Pledges;
  readonly handovers = new Handovers();
  readonly pots = new Pots();
  readonly joins = new Joins();
  readonly runs: KnownRuns;
  readonly succession: Succession;
  readonly tenure: Tenure;
  /** The wire versions that this release understands, and what the others do. */
  readonly understands: WireRange;
  readonly wires: WireAgreement;
  /** How long slots must count as held when no node answers for them. */
  readonly sessions: LongestSession;
  readonly #hooks: MemberHooks;

  constructor(options: MembersOptions, hooks: MemberHooks, now: Instant) {
    const { self, incarnation, leaseMs, restored, isDiskComplete, outbox, minuteMs = MINUTE_MS } = options;
    this.self = self;
    this.locality = options.locality;
    this.incarnation = incarnation;
    this.leaseMs = leaseMs;
    this.outbox = outbox;
    this.app = options.app;
    this.#hooks = hooks;
    this.sessions = options.sessions ?? new LongestSession({ minuteMs, leaseMs });
    this.lease = new Lease(leaseMs);
    this.pledges = new Pledges(incarnation * PLEDGES_PER_INCARNATION);
    const pledges = PLEDGES.all(restored).map(({ value }) => value);
    this.kept = new KeptPledges(pledges, (node, pledge) => outbox.put(PLEDGES.at(node), pledge));
    if (!isDiskComplete) this.kept.begin();
    this.heartbeats = new Heartbeats(leaseMs, now, options.isFirstRun);
    this.clocks = new MemberClocks(self, this.heartbeats, now);
    this.book = new ViewBook(self);
    this.relays = new Relays({ heartbeats: this.heartbeats, others: () => this.book.others });
    this.understands = options.understands ?? WIRES;
    this.wires = new WireAgreement(self, this.understands);
    this.voter = new Voter(self, (record) => outbox.putVote(VOTES.at(), record));
    this.authority = new AuthorityToAct(self, { book: this.book, voter: this.voter, lease: this.lease });
    const runs = RUNS.read(restored);
    this.runs = new KnownRuns(runs ?? [], (known) => outbox.put(RUNS.at(), known));
    this.succession = new Succession(self, this.book, this.handovers);
    this.tenure = new Tenure({ self, incarnation, book: this.book, runs: this.runs, ended: () => this.#ended() });
  }

  /** Loads what an earlier run had put on disk. Returns whether there was a view. */
  restore({ restored }: MembersOptions, now: Instant): boolean {
    const view = VIEW.read(restored);
    if (view === undefined) return false;
    this.book.learn(view);
    this.sessions.learned(view, this.book.others, now);
    const handovers = HANDOVERS.read(restored);
    if (handovers !== undefined) this.handovers.restore(handovers);
    this.succession.renew();
    const votes = VOTES.read(restored);
    if (votes !== undefined) this.voter.restore(votes, view);
    const fences = FENCES.read(restored);
    if (fences !== undefined) this.fences.restore(fences);
    this.pots.restore(POTS.read(restored) ?? [], now);
    return true;
  }

  putView(): void {
    this.outbox.putVote(VIEW.at(), this.book.known);
  }

  putFences(): void {
    this.outbox.putVote(FENCES.at(), this.fences.record(this.book.number));
  }

  /** The next view is known: no fence stands any more. */
  liftFences(): void {
    this.fences.lift();
    this.outbox.put(FENCES.at(), undefined);
  }

  /** What was taken over, or refused, is a promise to the leaver. */
  promiseHandovers(): void {
    this.outbox.putVote(HANDOVERS.at(), this.handovers.record);
  }

  putHandovers(): void {
    this.outbox.put(HANDOVERS.at(), this.handovers.record);
  }

  putPots(now: Instant): void {
    this.outbox.put(POTS.at(), this.pots.at(now));
  }

  /**
   * Forced: with an earlier state of the disk, slots would be held twice, or the freed ones be in a pot while others
   * use its slots.
   */
  putPotsForced(now: Instant): void {
    this.outbox.putVote(POTS.at(), this.pots.at(now));
  }

  /** The wire version that this node speaks. */
  get wire(): number {
    return wireOf(this.book.view, this.understands);
  }

  /** Whether `node` understands the wire version of a view. */
  isUnderstood(view: View, node: NodeId): boolean {
    return this.wires.does(node, wireOf(view, this.understands), this.wire);
  }

  /** Whether this node is a member, as far as it knows. */
  get isIn(): boolean {
    return this.book.nodes.has(this.self) && this.tenure.over === undefined;
  }

  /** Sends a message, also through others where that is the only way; one to this node itself arrives at once. */
  send(to: NodeId, body: MemberMessageBody, now: Instant): void {
    const message = { ...body, view: this.book.number, incarnation: this.incarnation } as MemberMessage;
    if (to === this.self) {
      this.#hooks.hear(message, now);
      return;
    }
    this.outbox.send(to, message);
    for (const by of this.relays.through(to, message, now))
      this.send(by, { kind: "relay", from: this.self, to, message: message as Of<"relay">["message"] }, now);
  }

  #ended(): void {
    this.#hooks.stopProposing();
    this.lease.begin();
    this.pots.clear();
  }
}
