/**
 * The membership of one node: the view it knows, what that view allows it, and its part in deciding the next one.
 *
 * It is a facade over its parts, which do the work. inbox.ts hands each message to its part: views.ts (the view),
 * pings.ts (lease and pledges), decider.ts (fences and votes), proposer.ts and attempt.ts (the next view),
 * departures.ts (leaving), returns.ts (removed nodes that are back). reachability.ts knows which members answer,
 * member-clocks.ts compares this node's clock with theirs, forgetting.ts takes operators' orders, member-parts.ts has
 * the tables that all of them share. They keep this order: a node that knows a newer view sends it before anything
 * else; fences before votes; votes and fences on disk before they are sent; no answer for a lease after a vote.
 *
 * It does not know how long a pot lasts, what rows say or what slots are; see `MembersApp`.
 */

import { type AccountId, type NodeId, nodeOf } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { WITHOUT_LEASE_MAX } from "./authority-to-act.ts";
import { Decider } from "./decider.ts";
import { Departures } from "./departures.ts";
import { type ForgetAnswer, type ForgetOptions, Forgetting } from "./forgetting.ts";
import { Inbox } from "./inbox.ts";
import type { Left } from "./leaver.ts";
import type { LongestSession } from "./longest-session.ts";
import type { MemberClocks } from "./member-clocks.ts";
import type { MemberMessage } from "./member-messages.ts";
import { MemberParts } from "./member-parts.ts";
import { type MemberStatus, memberStatus } from "./member-status.ts";
import type { MemberHello, MembersOptions, StopReason } from "./members-app.ts";
import { ownProposer } from "./own-proposer.ts";
import { Pings } from "./pings.ts";
import type { Pledged, Pledges } from "./pledges.ts";
import type { Pot } from "./pots.ts";
import type { Proposer } from "./proposer.ts";
import { Reachability } from "./reachability.ts";
import { Returns } from "./returns.ts";
import type { View } from "./view.ts";
import { Views } from "./views.ts";
import { majorityOf } from "./voters.ts";

export type { ForgetReason, ForgetRefusal, Forgot } from "./forget-order.ts";
export type { Left } from "./leaver.ts";
export type { MembersApp, MembersOptions, StopReason, TestimonyApp } from "./members-app.ts";
export type { Pot } from "./pots.ts";

/** How often a node without a view asks to join, and an heir reports what it has taken over, in ms. */
const SAY_AGAIN_MS = 500;

export class Members {
  /** Which members answer. */
  readonly reach: Reachability;
  /** The own clock beside the others'. */
  readonly clocks: MemberClocks;
  /** How long sessions last, and slots must count as held when no node answers for them. */
  readonly sessions: LongestSession;
  /** What this node pledges to hold at most. */
  readonly pledges: Pledges;
  readonly #parts: MemberParts;
  readonly #departures: Departures;
  readonly #views: Views;
  readonly #pings: Pings;
  readonly #returns: Returns;
  readonly #proposer: Proposer;
  readonly #forgetting: Forgetting;
  readonly #inbox: Inbox;
  #saidMs = Number.NEGATIVE_INFINITY;

  constructor(options: MembersOptions, now: Instant) {
    const stopProposing = () => this.#proposer.stop();
    const hear = (message: MemberMessage, at: Instant) => this.#inbox.hear(options.self, message, at);
    const parts = new MemberParts(options, { hear, stopProposing }, now);
    this.#parts = parts;
    this.clocks = parts.clocks;
    this.sessions = parts.sessions;
    this.pledges = parts.pledges;
    const isStopped = () => this.#departures.leaver.isStopped;
    const reach = new Reachability(parts, { isStopped });
    this.reach = reach;
    const departures = new Departures(parts, reach, { stopProposing });
    this.#departures = departures;
    this.#returns = new Returns(parts, departures, { random: options.random, peers: () => reach.connected });
    this.#views = new Views(
      parts,
      { reach, departures },
      {
        proposer: () => this.#proposer,
        setAside: (wrote) => this.#returns.setAside(wrote),
        inherits: (nodes) => this.#returns.inherits(nodes),
      },
    );
    this.#pings = new Pings(parts, {
      hasLease: (at) => this.lease(at) === "held",
      leftTo: (heir, leavers, at) => departures.noteLeavers(heir, leavers, at),
    });
    const decided = (view: View, at: Instant) => this.#views.decided(view, at);
    this.#proposer = ownProposer(parts, { reach, random: options.random, decided });
    this.#forgetting = new Forgetting(parts, { reach, departures, proposer: this.#proposer });
    this.#inbox = new Inbox(parts, {
      views: this.#views,
      pings: this.#pings,
      decider: new Decider(parts, reach),
      proposer: this.#proposer,
      departures,
      returns: this.#returns,
    });
    this.#restore(options, now);
    if (parts.book.view === undefined && options.found) this.#views.found(now);
  }

  #restore(options: MembersOptions, now: Instant): void {
    if (!this.#parts.restore(options, now)) return;
    const { restored } = options;
    const { self, book, tenure } = this.#parts;
    this.#departures.restore(restored, now);
    this.#returns.restore(restored);
    if (!book.nodes.has(self)) tenure.stop(this.#departures.howItEnded());
    else if (this.#departures.leaver.isGone) tenure.stop("left");
    tenure.restored();
    this.reach.follow(now);
  }

  /** The newest view that this node knows; undefined until it has been admitted. */
  get view(): View | undefined {
    return this.#parts.book.view;
  }

  /** The wire version that this node speaks. */
  get wire(): number {
    return this.#parts.wire;
  }

  /** The newest one that it understands. */
  get newestWire(): number {
    return this.#parts.understands[1];
  }

  /** Whether a node is a member as far as this node knows; without an argument, this node itself. */
  isMember(node: NodeId = this.#parts.self): boolean {
    return node === this.#parts.self ? this.#parts.isIn : this.#parts.book.nodes.has(node);
  }

  /** What the lease allows: everything, or nothing. */
  lease(now: Instant): "held" | "none" {
    if (!this.isMember() || this.#departures.leaver.isStopped) return "none";
    return this.#parts.authority.at(now);
  }

  /** Until when the lease holds, in Unix ms; undefined without one, Infinity in a view that needs none. */
  leaseHeldUntilMs(now: Instant): number | undefined {
    if (this.lease(now) !== "held") return undefined;
    return this.#parts.authority.isFree
      ? Number.POSITIVE_INFINITY
      : now.wallMs + this.#parts.authority.leaseLeftMs(now);
  }

  /** Whether this node may admit, adopt and give. */
  mayAct(now: Instant): boolean {
    return this.lease(now) === "held" && !this.clocks.isOff(now);
  }

  /** Whether it may acknowledge check-ins of sessions that rest on slots of its accounts. */
  mayExtendOwn(now: Instant): boolean {
    return this.lease(now) !== "none";
  }

  /**
   * Whether a majority of the voters would be left if one more member fell silent. A view of one or two removes nobody,
   * so nothing is to be decided there.
   */
  survivesLoss(now: Instant): boolean {
    const { self, book, heartbeats, succession } = this.#parts;
    if (book.view === undefined || book.view.members.length <= WITHOUT_LEASE_MAX) return book.view !== undefined;
    const { voters } = book.view;
    const isThere = (voter: NodeId) => voter === self || heartbeats.isAnswering(succession.heirOf(voter) ?? voter, now);
    return voters.filter(isThere).length > majorityOf(voters);
  }

  /** All other members, whether they answer or not. */
  get others(): readonly NodeId[] {
    return this.#parts.book.others;
  }

  /** Members by locality, the longest-standing first. */
  get byLocality(): ReadonlyMap<string, readonly NodeId[]> {
    return this.#parts.book.byLocality;
  }

  /**
   * Whether this node may give to `node`: not to one that is not a member, has left or is fenced. What it gave to a
   * removed node must be known when the fences are up, because that node may have given it on.
   */
  mayGiveTo(node: NodeId, now: Instant): boolean {
    const { self, book, succession, fences } = this.#parts;
    const isThere = book.nodes.has(node) && succession.heirOf(node) === undefined && !fences.has(node);
    return isThere && node !== self && this.mayAct(now);
  }

  /** All members, for status; the longest-standing first. */
  status(now: Instant): MemberStatus[] {
    return memberStatus(this.#parts, this.reach, now);
  }

  /** Ms until all silent members are removed, if they stay silent; undefined where no majority can decide that. */
  removalInMs(now: Instant): number | undefined {
    const silent = this.reach.silent(now).map(({ node }) => node);
    return silent.length === 0 ? undefined : this.#proposer.removalInMs(silent, now);
  }

  /** The newest start of another node, by its incarnation; 0 if none was heard. */
  runOf(node: NodeId): number {
    return this.#parts.tenure.incarnationOf(node) ?? 0;
  }

  localityOf(node: NodeId): string | undefined {
    return this.#parts.book.localityOf(node);
  }

  /** Unix ms since when a node is a member. */
  sinceMs(node: NodeId): number | undefined {
    return this.#parts.book.sinceMs(node);
  }

  /** Round trip of the last answered ping; undefined before the first. */
  roundTripMs(node: NodeId): number | undefined {
    return node === this.#parts.self ? 0 : this.#parts.heartbeats.roundTripMs(node);
  }

  /** Whether nothing more may be accepted from an account, from any sender. */
  isFenced(account: AccountId): boolean {
    return this.#parts.fences.isFenced(account);
  }

  /** The node that writes an account, as far as this node knows. */
  writerOf(account: AccountId): NodeId | undefined {
    return this.#parts.succession.writerOf(account);
  }

  /** The same while it is leaving, or no member any more. */
  get written(): readonly AccountId[] {
    return this.#parts.succession.written;
  }

  /** Accounts that this node writes: its own, those taken over and those inherited. */
  writes(): readonly AccountId[] {
    return this.isMember() && !this.#departures.leaver.isStopped ? this.#parts.succession.written : [];
  }

  /** Inherited accounts whose slots count as held, by the view they came with. */
  pot(now: Instant): Pot[] {
    return this.#parts.pots.at(now);
  }

  /** The time of these accounts' pot is over: from now on they are like the own one. */
  settle(accounts: readonly AccountId[], now: Instant): void {
    this.#parts.pots.settle(accounts);
    this.#parts.putPots(now);
  }

  /** Whether this node has stopped for good or is about to: it is leaving, or its identity is over. */
  get isStopped(): boolean {
    return this.#departures.leaver.isStopped || this.#parts.tenure.over !== undefined;
  }

  /** Accepted values and fences of this node whose outcome it does not know. */
  get isUndecided(): boolean {
    return this.#parts.voter.hasVoted || this.#parts.fences.stand;
  }

  /** Nodes to ping every 500 ms instead of every 2 s, as their silence must be noticed soon; undefined at rest. */
  interestingNodes(nodes: ReadonlySet<NodeId> | undefined, now: Instant): void {
    if (nodes === undefined) this.#parts.heartbeats.rest(now);
    else this.#parts.heartbeats.near(nodes, now);
  }

  /** A tick is left out. */
  step(now: Instant): void {
    this.#parts.heartbeats.step(now);
  }

  /** Former members, as far as the view shows. */
  get former(): readonly NodeId[] {
    return (this.#parts.book.view?.heirs ?? []).map(([account]) => nodeOf(account));
  }

  /**
   * Pledges to hold at most this much; see pings.ts. Returns false while an earlier pledge waits to be acknowledged.
   */
  pledge(pledged: Pledged, now: Instant): boolean {
    return this.mustPledge && this.#pings.pledge(pledged, now);
  }

  /** Whether ceilings bind this node: a view of one or two removes nobody. */
  get mustPledge(): boolean {
    const { view } = this.#parts.book;
    return view !== undefined && view.members.length > WITHOUT_LEASE_MAX && this.isMember() && !this.isStopped;
  }

  /**
   * Makes this node leave: it stops at once, on disk, and hands everything over to one heir. `notify` is called when
   * that is done, or when there is no heir: then this node is a member as before, and its end will be like a restart.
   */
  leave(now: Instant, notify: (left: Left) => void): void {
    this.#departures.leave(now, notify);
  }

  /** Takes the operator's order that `nodes` run nowhere and their data is gone; see forgetting.ts. */
  forget(nodes: readonly NodeId[], now: Instant, options: ForgetOptions = {}): ForgetAnswer {
    return this.#forgetting.forget(nodes, now, options);
  }

  /** A node knows of a process of this identity that started at `newest`: if that is later, this one stops. */
  outrun(newest: number): void {
    this.#parts.tenure.outrun(newest);
  }

  /** The transport is connected to `node`, whose hello says this. */
  up(node: NodeId, now: Instant, hello: MemberHello): void {
    const { self, heartbeats, tenure, book, wires } = this.#parts;
    heartbeats.step(now);
    if (!tenure.isCurrent(node, hello.incarnation) || node === self) return;
    wires.up(node, hello.understands);
    this.reach.up(node);
    if (tenure.over !== undefined) return;
    if (book.view === undefined) this.#views.askToJoin(node, now);
    // A stranger may know a view in which it is a member and this node is not.
    else if (!book.nodes.has(node)) this.#views.askView(node, now);
  }

  /** The connection to `node` is gone. */
  down(node: NodeId, now: Instant): void {
    this.#parts.heartbeats.step(now);
    this.#parts.wires.down(node);
    this.reach.down(node);
  }

  /** Gossip of `node` has arrived. */
  heardGossip(node: NodeId, now: Instant): void {
    this.#parts.heartbeats.heardGossip(node, now);
  }

  /**
   * A message of `node` about something else was written in view `number`. It may be used only if that is this node's
   * view.
   */
  sawView(node: NodeId, number: number, now: Instant): void {
    this.#views.sawView(node, number, now);
  }

  /** Takes in a message whose shape has been checked. False if it is its sender's fault. */
  receive(from: NodeId, message: MemberMessage, now: Instant): boolean {
    this.#parts.heartbeats.step(now);
    if (from === this.#parts.self) return false;
    if (!this.#parts.tenure.isCurrent(from, message.incarnation)) {
      this.#parts.send(from, { kind: "over", newest: this.#parts.tenure.incarnationOf(from) }, now);
      return true;
    }
    return this.#inbox.hear(from, message, now);
  }

  /** Call it about every 100 ms. */
  tick(now: Instant): void {
    const { heartbeats, tenure, book, pots, app } = this.#parts;
    const { leaver } = this.#departures;
    heartbeats.step(now);
    const isTimeToSay = now.steadyMs - this.#saidMs >= SAY_AGAIN_MS;
    if (isTimeToSay) {
      this.#saidMs = now.steadyMs;
      this.clocks.compare(now);
    }
    if (tenure.over !== undefined) {
      this.#tickOver(tenure.over, now);
      return;
    }
    if (book.view === undefined) {
      if (isTimeToSay) for (const node of this.reach.connected) this.#views.askToJoin(node, now);
      return;
    }
    if (pots.isSaveDue(now)) this.#parts.putPots(now);
    leaver.tick(now);
    if (tenure.over !== undefined || leaver.isOffering) return;
    this.sessions.tick(now);
    this.#pings.ping(now);
    if (isTimeToSay) this.#departures.sayTookOver(now);
    if (isTimeToSay && this.lease(now) === "none") this.#askStrangers(now);
    if (app.isInStep() && !leaver.isStopped) this.#proposer.tick(now);
  }

  /** A stranger may know a view in which it is a member and this node is not, and all members of this one's be gone. */
  #askStrangers(now: Instant): void {
    for (const node of this.reach.connected) if (!this.#parts.book.nodes.has(node)) this.#views.askView(node, now);
  }

  /** This identity is over: the rest of the node learns it once it has reported what it held, or has lingered. */
  #tickOver(reason: StopReason, now: Instant): void {
    if (reason === "removed" && this.#returns.witness.tick(now)) return;
    if (this.#parts.tenure.isToBeTold(now)) this.#parts.app.stoppedBy(reason);
  }
}
