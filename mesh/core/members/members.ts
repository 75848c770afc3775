/**
 * The membership of one node: the view it knows, what it may do by it, and its part in deciding the next one.
 *
 * The shell of the other parts: it takes messages, ticks and hints of the transport, keeps to the order that their proofs
 * need, and puts on disk what must survive. That order: whoever knows a newer view tells it before anything else is
 * spoken of; fences before votes; votes and fences on disk before they are told; no answer for a lease once voted.
 *
 * What a pot's time is, what rows say and what slots are is not known here; see `MembersApp`.
 */

import { type AccountId, accountOf, type NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { giftsTo, type RowData } from "../ledger/row.ts";
import { MINUTE_MS } from "../minute.ts";
import type { Message, Outbox } from "../wire/outbox.ts";
import { WIRE_VERSION_FIRST, WIRES, type WireRange, wireOf } from "../wire/wire-range.ts";
import { clockProblems, isClockConfirmed, msBehind, msToStartBy } from "./clock-offset.ts";
import { Fences, type FencesRecord } from "./fences.ts";
import { FORGET_MS_MAX, type ForgetReason, type ForgetRefusal, type Forgot, WORDS_MAX } from "./forget-order.ts";
import { Handovers, type HandoversRecord } from "./handovers.ts";
import { Hearing, type Testimony } from "./hearing.ts";
import { Heartbeats } from "./heartbeats.ts";
import { Joins } from "./joins.ts";
import { KeptPledges } from "./kept-pledges.ts";
import { KnownRuns, type Run } from "./known-runs.ts";
import { Lease } from "./lease.ts";
import { Leaver, type LeavingRecord, type Left, LINGER_MS } from "./leaver.ts";
import { LongestIsland } from "./longest-island.ts";
import { LongestSession } from "./longest-session.ts";
import type { MemberMessage, MemberMessageBody, Of } from "./member-messages.ts";
import type { Handover } from "./next-view.ts";
import type { VotesRecord } from "./paxos.ts";
import { type Pledged, Pledges } from "./pledges.ts";
import { type Pot, Pots, type StoredPot } from "./pots.ts";
import { Proposer } from "./proposer.ts";
import { Standing, WITHOUT_LEASE_MAX } from "./standing.ts";
import { hasTwoTiers, SIZES, type Sizes, speakerOf } from "./tiers.ts";
import { type View, writerOf } from "./view.ts";
import { VIEW_KEY, ViewBook, type ViewRecord } from "./view-book.ts";
import { Voter } from "./voter.ts";
import { WireAgreement } from "./wire-agreement.ts";
import { type Statement, Witness } from "./witness.ts";

export type { ForgetReason, ForgetRefusal, Forgot } from "./forget-order.ts";
export type { Left } from "./leaver.ts";
export type { Pot } from "./pots.ts";

/** Why this identity is over. */
export type StopReason = "left" | "removed" | "newer-incarnation";

/** What membership needs of the rest of the node. All of it is called in the course of a step, and has its writes in the same outbox. */
export interface MembersApp {
  /** All accounts of which there is a row. */
  accounts(): AccountId[];
  /** What is known of their rows. */
  copies(accounts: readonly AccountId[]): RowData[];
  /** Takes in rows that were decided with a view; told before the view is. */
  mergeDecided(rows: readonly RowData[]): void;
  /** There is a new view; `writes` and `pot` are as of it already. */
  viewChanged(view: View, now: Instant): void;
  /** Sessions, line and whatever else an heir needs: plain data, the same again while nothing is admitted or extended. */
  tables(): unknown;
  /** `from` has left to this node. The tables come before the slots of the accounts are used. */
  takeOver(from: NodeId, accounts: readonly AccountId[], rows: readonly RowData[], tables: unknown, now: Instant): void;
  stoppedBy(reason: StopReason): void;
  /** An heir that is lost may have let in sessions on this node's slots, and nobody knows them. */
  heirLost(): void;
  /** Whether this node's disk is known not to be an old one, which could have forgotten what this node voted for. */
  isInStep(): boolean;
  /** Whether this node knows all gifts and counts of its accounts that others know of. */
  mayHandOver(): boolean;
  /** Whether slots of its accounts may be in use of which this node knows nothing. */
  hasLostCounts(): boolean;
  /** The newest pledge has been acknowledged: what it allows may be held. */
  pledgeCounts?(): void;
  /** Saying what this node held, if it was removed, and hearing others that were; nobody is heard where it is left out. */
  readonly testimony?: TestimonyApp;
  log(text: string): void;
}

/** What is to be known of slots and sessions where a removed node returns. */
export interface TestimonyApp {
  /** What this node can say of itself; undefined if it cannot know that this is all. */
  statement(): Statement | undefined;
  /** Whether this node may lack gifts that it was given. */
  lacksGifts(): boolean;
  /** Whether it may use slots that come free, and knows what of its own are in use. */
  mayHear(): boolean;
  /** Why the tables cannot be taken; undefined if they can. */
  problemOf(said: Testimony): string | undefined;
  /** Holds what was said to be held: everything else of those accounts is free from now on. They are in no pot any more. */
  take(said: Testimony): void;
}

export interface MembersOptions {
  readonly self: NodeId;
  readonly locality: string;
  /** Above those of earlier starts of this identity. */
  readonly incarnation: number;
  readonly leaseMs: number;
  readonly islandMs: number;
  /** A real minute if left out. */
  readonly minuteMs?: number;
  /** Everything that was put and not removed; entries of other parts of the node may be among it. */
  readonly restored: ReadonlyMap<string, unknown>;
  /** Whether a node without a view founds a mesh; else it asks to be taken in. */
  readonly found: boolean;
  readonly outbox: Outbox;
  readonly random: () => number;
  readonly app: MembersApp;
  /** How long sessions last and lasted, where that is known already; else nothing is known of it. */
  readonly sessions?: LongestSession;
  /** Island times in force, where they are known already; else this node has the one above, and knows of no other. */
  readonly islands?: LongestIsland;
  /** From which size on the mesh has two tiers; a test may have it smaller. */
  readonly sizes?: Sizes;
  /** The wire versions that this release understands; a test may claim others. */
  readonly understands?: WireRange;
}

export interface ForgetOptions {
  readonly told?: (forgot: Forgot) => void;
  /** Ms, 20 s at most; so long if left out. */
  readonly forMs?: number | undefined;
}

export type ForgetAnswer = { readonly ok: true } | ForgetRefusal;

export type MemberState = "alive" | "unreachable" | "left" | "removed";

export interface MemberStatus {
  readonly node: NodeId;
  readonly locality: string;
  readonly state: MemberState;
  readonly isVoter: boolean;
  /** The newest wire version that it understands; not known of a node that is not connected. */
  readonly newestWire: number | undefined;
  readonly roundTripMs: number | undefined;
  /** How far its clock is ahead of the own one. */
  readonly clockOffsetMs: number | undefined;
  readonly incarnation: number | undefined;
}

const VOTES_KEY = "members/votes";
const FENCES_KEY = "members/fences";
const HANDOVERS_KEY = "members/handovers";
const LEAVING_KEY = "members/leaving";
const POTS_KEY = "members/pots";
const RUNS_KEY = "members/runs";
/** Of a node that was removed: the accounts that it wrote, those in pots apart. */
const WROTE_KEY = "members/wrote";

/** How often a node without a view asks to be taken in, and an heir says what it has taken over, in ms. */
const SAY_AGAIN_MS = 500;

/** Pause before a node is asked for its view again, or told the same one, in ms. More delays what was lost, less multiplies traffic in an old view. */
const VIEW_AGAIN_MS = 200;

/** What a node answers only if it remembers all that it has answered before: others rest on that. */
const DECIDING: ReadonlySet<MemberMessage["kind"]> = new Set(["fence", "prepare", "accept", "offer"]);

/** Versions of pledges that a start has before those of a later one begin: an incarnation is a moment in ms, and a pledge needs a round trip. */
const PLEDGES_PER_INCARNATION = 1_000;

/** Nodes of whom something is remembered. */
const KNOWN_MAX = 2_000;

/** As many numbers are drawn from where a returned node is asked. */
const NONCES = 2 ** 52;

export class Members {
  /** How long slots that nobody speaks for must count as held. */
  readonly sessions: LongestSession;
  /** For how long a node that is cut off may be extending its sessions. */
  readonly islands: LongestIsland;
  /** What this node pledges to hold at most. */
  readonly pledges: Pledges;
  readonly #options: MembersOptions;
  readonly #app: MembersApp;
  readonly #lease: Lease;
  readonly #heartbeats: Heartbeats;
  readonly #voter: Voter;
  readonly #standing: Standing;
  readonly #book: ViewBook;
  readonly #fences = new Fences();
  /** What the others pledge, as far as this node votes. */
  readonly #kept = new KeptPledges();
  readonly #handovers = new Handovers();
  readonly #pots = new Pots();
  readonly #joins = new Joins();
  readonly #leaver: Leaver;
  readonly #proposer: Proposer;
  readonly #runs: KnownRuns;
  readonly #witness: Witness;
  readonly #hearing: Hearing;
  readonly #wires: WireAgreement;
  #over: StopReason | undefined;
  /** When the first tick found it over. */
  #overMs: number | undefined;
  #isOverTold = false;
  /** Accounts that this node writes while it is a member. */
  #written: readonly AccountId[] = [];
  /** Peers that are connected, with what they said of themselves. */
  readonly #up = new Map<NodeId, string>();
  readonly #incarnations = new Map<NodeId, number>();
  /** Members of a later view that have told it, and lack rows that this node does. */
  readonly #lackRows = new Set<NodeId>();
  /** By member that left: to whom. */
  readonly #heirs = new Map<NodeId, NodeId>();
  readonly #gone = new Map<NodeId, "left" | "removed">();
  /** When views were last asked for and told, by to whom. */
  readonly #lately = new Map<string, number>();
  #saidMs = Number.NEGATIVE_INFINITY;
  #hasTwoTiers = false;
  /** How long sessions last, as the last pings said. */
  #saidMinutes = 0;
  #farVersion = 0;
  /** Nodes of other localities that do not answer there, by the word of a speaker. */
  readonly #silent = new Set<NodeId>();

  constructor(options: MembersOptions, now: Instant) {
    const { self, incarnation, leaseMs, islandMs, random } = options;
    this.#options = options;
    this.#app = options.app;
    const { minuteMs = MINUTE_MS, restored, outbox } = options;
    const times = { minuteMs, leaseMs, restored, outbox, now };
    this.islands = options.islands ?? new LongestIsland({ ...times, islandMs });
    const longestIslandMs = (at: Instant) => this.islands.longestMs(at);
    this.sessions = options.sessions ?? new LongestSession({ ...times, longestIslandMs });
    this.#lease = new Lease(leaseMs, () => this.islands.ownMs);
    this.pledges = new Pledges(incarnation * PLEDGES_PER_INCARNATION);
    this.#heartbeats = new Heartbeats(leaseMs, now);
    this.#book = new ViewBook(self);
    this.#wires = new WireAgreement(self, this.#understands);
    this.#voter = new Voter(self, (record) => options.outbox.putVote(VOTES_KEY, record));
    this.#standing = new Standing(self, { book: this.#book, voter: this.#voter, lease: this.#lease }, now);
    this.#leaver = new Leaver({
      self,
      store: (record) => this.#putLeaving(record),
      mayOffer: () => !this.#fences.stand && this.#app.mayHandOver(),
      candidates: (at) => this.#heirsToAsk(at),
      seek: (heir, at) => this.#seekHeirOf(heir, at),
      offer: (heir, attempt, at) => this.#sendOffer(heir, attempt, at),
      resumed: (at) => this.#resume(at),
      gone: () => this.#stop("left"),
    });
    this.#proposer = new Proposer({
      self,
      incarnation,
      leaseMs,
      random,
      joins: this.#joins,
      view: () => this.#book.known,
      isAnswering: (node, at) =>
        this.#heartbeats.isFollowed(node) ? this.#heartbeats.isAnswering(node, at) : this.#isThere(node, at),
      isHeard: (node, at) => this.#isHeard(node, at),
      quietMs: (node, at) => this.#heartbeats.quietMs(node, at) ?? 0,
      followed: () => this.#heartbeats.followed,
      heirOf: (node) => this.#heirOf(node),
      ownHandover: () => this.#ownHandover(),
      islandMs: () => this.islands.inForceMs(),
      nextWire: (at) => this.#wires.next(() => this.#staying, this.wire, at.steadyMs),
      understands: (view) => this.#isUnderstood(view, self),
      hasVoted: () => this.#voter.hasVoted,
      hasFenced: () => this.#fences.stand,
      send: (to, message, at) => {
        // Who is back with an earlier release could not be a member of that view.
        if (message.kind !== "accept" || this.#isUnderstood(message.value, to)) this.#send(to, message, at);
      },
      decided: (view, at) => this.#decided(view, at),
      log: (text) => this.#app.log(text),
    });
    const { testimony } = options.app;
    const runs = restored.get(RUNS_KEY) as readonly Run[] | undefined;
    this.#runs = new KnownRuns(runs ?? [], (known) => outbox.put(RUNS_KEY, known));
    this.#witness = new Witness({
      statement: () => testimony?.statement(),
      copies: (accounts) => this.#app.copies(accounts),
      peers: () => this.#up.keys(),
      send: (to, message, at) => this.#send(to, message, at),
    });
    this.#hearing = new Hearing({
      pots: this.#pots,
      writes: (account) => this.#written.includes(account),
      mayHear: () => testimony?.mayHear() === true,
      copies: (accounts) => this.#app.copies(accounts),
      draw: () => Math.floor(random() * NONCES),
    });
    this.#restore(now);
    this.sessions.begin(now);
    if (this.#book.view === undefined && options.found) this.#found(now);
  }

  /** The newest view that this node knows; undefined until it has been taken in. */
  get view(): View | undefined {
    return this.#book.view;
  }

  get #understands(): WireRange {
    return this.#options.understands ?? WIRES;
  }

  /** The wire version that this node speaks. */
  get wire(): number {
    return wireOf(this.#book.view, this.#understands);
  }

  /** The newest one that it understands. */
  get newestWire(): number {
    return this.#understands[1];
  }

  /** Whether `node` understands the wire version of a view. */
  #isUnderstood(view: View, node: NodeId): boolean {
    return this.#wires.does(node, wireOf(view, this.#understands), this.wire);
  }

  /** Members that have not left. */
  get #staying(): NodeId[] {
    return [...this.#book.nodes].filter((node) => this.#heirOf(node) === undefined);
  }

  /** Whether a node is a member as far as this node knows: itself, if none is named. */
  isMember(node: NodeId = this.#options.self): boolean {
    return this.#book.nodes.has(node) && (node !== this.#options.self || this.#over === undefined);
  }

  /** What the lease allows: everything, extending own sessions only, or nothing. */
  lease(now: Instant): "held" | "island" | "none" {
    if (!this.isMember() || this.#leaver.isStopped) return "none";
    return this.#standing.at(now);
  }

  /** Until when the lease holds, in Unix ms; undefined without one, Infinity in a view that needs none. */
  leaseHeldUntilMs(now: Instant): number | undefined {
    if (this.lease(now) !== "held") return undefined;
    return this.#standing.isFree ? Number.POSITIVE_INFINITY : now.wallMs + this.#standing.leaseLeftMs(now);
  }

  /** Whether this node may admit, adopt and give. */
  mayAct(now: Instant): boolean {
    return this.lease(now) === "held" && !this.#standing.isClockOff(now);
  }

  /** Whether the own clock is wrong beside the others'. */
  isClockOff(now: Instant): boolean {
    return this.#standing.isClockOff(now);
  }

  /** Whether it may acknowledge check-ins of sessions that rest on slots of its accounts. */
  mayExtendOwn(now: Instant): boolean {
    return this.lease(now) !== "none";
  }

  /** All other members, whether they answer or not. */
  get others(): readonly NodeId[] {
    return this.#book.others;
  }

  /** Most minutes that a session given or extended here may last. */
  sessionMinutesMost(now: Instant): number {
    if (this.#book.view !== undefined) this.#agreeOnSessions(now);
    return this.sessions.most;
  }

  /** Members that answer, this node included; those that have left are not. */
  alive(now: Instant): NodeId[] {
    return [...this.#book.nodes].filter((node) => this.state(node, now) === "alive");
  }

  state(node: NodeId, now: Instant): MemberState {
    if (node === this.#options.self && this.#over === undefined && this.#book.nodes.has(node))
      return this.#leaver.isStopped ? "left" : "alive";
    if (!this.#book.nodes.has(node)) return this.#gone.get(node) ?? "removed";
    if (this.#heirOf(node) !== undefined) return "left";
    return this.#isThere(node, now) && !this.#fences.has(node) ? "alive" : "unreachable";
  }

  /** Whether the mesh is so large that this node hears of other localities by their speakers. */
  get hasTwoTiers(): boolean {
    return this.#hasTwoTiers;
  }

  /** Whether a member is of this node's locality. */
  isNear(node: NodeId): boolean {
    return this.#book.localityOf(node) === this.#options.locality;
  }

  /** Members by locality, the longest-standing first. */
  get byLocality(): ReadonlyMap<string, readonly NodeId[]> {
    return this.#book.byLocality;
  }

  /** Members of this node's locality that answer, itself included. */
  near(now: Instant): NodeId[] {
    const nodes = this.#book.byLocality.get(this.#options.locality) ?? [];
    return nodes.filter((node) => this.state(node, now) === "alive");
  }

  /** Who speaks for this node's locality, as far as it knows. */
  isSpeaker(now: Instant): boolean {
    return speakerOf(this.#options.locality, this.near(now)) === this.#options.self;
  }

  /** Another number whenever a node of another locality may have come or gone, in a mesh with two tiers. */
  get farVersion(): number {
    return this.#farVersion;
  }

  /** A locality's speaker says which of its members do not answer there, by their places among them. */
  reported(locality: string, silent: ReadonlySet<number>): void {
    if (silent.size === 0 && this.#silent.size === 0) return;
    for (const [place, node] of (this.#book.byLocality.get(locality) ?? []).entries()) {
      if (silent.has(place) === this.#silent.has(node)) continue;
      if (silent.has(place)) this.#silent.add(node);
      else this.#silent.delete(node);
      this.#farVersion += 1;
    }
  }

  /** Nodes of other localities are there while they are connected and nobody next to them says otherwise; a removal rests on neither. */
  #isThere(node: NodeId, now: Instant): boolean {
    if (this.#hasTwoTiers && !this.isNear(node)) return this.#up.has(node) && !this.#silent.has(node);
    return this.#heartbeats.isAnswering(node, now);
  }

  /** Whether a node answers, or was heard so lately that it may. */
  #isHeard(node: NodeId, now: Instant): boolean {
    return this.#isThere(node, now) || this.#heartbeats.isHeard(node, now);
  }

  /** Whether a node was heard within a lease, or is this one; of a member that is not followed those who follow it have to say so. */
  #hasHeard(node: NodeId, now: Instant): boolean {
    const isOthers = this.#hasTwoTiers && this.#book.others.includes(node);
    const quietMs = this.#heartbeats.quietMs(node, now) ?? (isOthers ? Number.POSITIVE_INFINITY : 0);
    return quietMs < this.#options.leaseMs;
  }

  /**
   * Whose heartbeats this node exchanges. In a mesh with two tiers: with its locality, and with the voters, on whose answers leases
   * rest, and who alone see to it that a silent node is removed. So a voter does with everybody.
   */
  #follow(now: Instant): void {
    const { self } = this.#options;
    const { others, known } = this.#book;
    this.#hasTwoTiers = hasTwoTiers(others.length + 1, this.#book.byLocality.size, this.#options.sizes ?? SIZES);
    this.#farVersion += 1;
    for (const node of this.#silent) if (!this.#book.nodes.has(node)) this.#silent.delete(node);
    if (!this.#hasTwoTiers) {
      this.#heartbeats.follow(others, now);
      return;
    }
    const voters = new Set(known.voters);
    const followed = others.filter((node) => voters.has(self) || voters.has(node) || this.isNear(node));
    this.#heartbeats.follow(followed, now, new Set(followed.filter((node) => !this.isNear(node))));
  }

  /**
   * Whether this node may give to `node`: not to one that is no member, has left or is fenced. What it gave to a node that is
   * removed must be known when the fences are up, as that node may have given it on.
   */
  mayGiveTo(node: NodeId, now: Instant): boolean {
    const isThere = this.#book.nodes.has(node) && this.#heirOf(node) === undefined && !this.#fences.has(node);
    return isThere && node !== this.#options.self && this.mayAct(now);
  }

  /** All members, for status; the longest-standing first. */
  status(now: Instant): MemberStatus[] {
    const { self, incarnation } = this.#options;
    return (this.#book.view?.members ?? []).map(({ node, locality }) => ({
      node,
      locality,
      state: this.state(node, now),
      isVoter: this.#book.view?.voters.includes(node) ?? false,
      newestWire: this.#wires.newestOf(node),
      roundTripMs: node === self ? 0 : this.#heartbeats.roundTripMs(node),
      clockOffsetMs: node === self ? 0 : this.#heartbeats.offsetMs(node, now),
      incarnation: node === self ? incarnation : this.#incarnations.get(node),
    }));
  }

  /** Members that do not answer, with how long nothing was heard of them in ms: undefined where other members listen to them. */
  silent(now: Instant): { readonly node: NodeId; readonly quietMs: number | undefined }[] {
    const silent = [...this.#book.nodes].filter((node) => this.state(node, now) === "unreachable");
    return silent.map((node) => ({ node, quietMs: this.#heartbeats.quietMs(node, now) }));
  }

  /** Ms until all that are silent are removed, if they stay so; undefined where no majority can decide that. */
  removalInMs(now: Instant): number | undefined {
    const silent = this.silent(now).map(({ node }) => node);
    return silent.length === 0 ? undefined : this.#proposer.removalInMs(silent, now);
  }

  localityOf(node: NodeId): string | undefined {
    return this.#book.localityOf(node);
  }

  /** Unix ms since when a node is a member. */
  sinceMs(node: NodeId): number | undefined {
    return this.#book.sinceMs(node);
  }

  /** Of the last ping that was answered; undefined before the first. */
  roundTripMs(node: NodeId): number | undefined {
    return node === this.#options.self ? 0 : this.#heartbeats.roundTripMs(node);
  }

  /** What an operator must know of members' clocks: a sentence for each that is off, this node's own included. */
  clockProblems(now: Instant): string[] {
    return clockProblems(this.#options.self, this.#heartbeats.clocks(now));
  }

  /** How far the own clock is behind the median of it and those of the members that answer; undefined while none does. */
  clockBehindMs(now: Instant): number | undefined {
    const clocks = this.#heartbeats.clocks(now);
    return clocks.length === 0 ? undefined : msBehind(clocks);
  }

  /** Whether most of the members that this node exchanges heartbeats with, itself included, answer and have its time. */
  isClockConfirmed(now: Instant): boolean {
    return isClockConfirmed(this.#heartbeats.clocks(now), this.#heartbeats.count + 1);
  }

  /** By how many ms this node is to move its clock when it starts. */
  msToStartBy(now: Instant): number {
    return msToStartBy(this.#heartbeats.clocks(now), this.#heartbeats.count + 1);
  }

  /** Whether nothing more may be taken from an account, whoever passes it on. */
  isFenced(account: AccountId): boolean {
    return this.#fences.isFenced(account);
  }

  /** The node that writes an account, as far as this node knows. */
  writerOf(account: AccountId): NodeId | undefined {
    if (this.#written.includes(account)) return this.#options.self;
    return this.#book.writerOf(account);
  }

  /** Accounts that nodes of this node's locality write. */
  nearAccounts(): ReadonlySet<AccountId> {
    const near = this.#book.byLocality.get(this.#options.locality) ?? [];
    return new Set([...this.#written, ...near.flatMap((node) => this.#book.accountsOf(node))]);
  }

  /** Accounts that this node writes: its own, those taken over and those inherited. */
  writes(): readonly AccountId[] {
    return this.isMember() && !this.#leaver.isStopped ? this.#written : [];
  }

  /** Inherited accounts whose slots count as held, by the view they came with. */
  pot(now: Instant): Pot[] {
    return this.#pots.at(now);
  }

  /** The time of these accounts' pot is over: they are like the own one from now on. */
  settle(accounts: readonly AccountId[], now: Instant): void {
    this.#pots.settle(accounts);
    this.#options.outbox.put(POTS_KEY, this.#pots.at(now));
  }

  /** Whether this node has stopped for good or is about to: it is leaving, or its identity is over. */
  get isStopped(): boolean {
    return this.#leaver.isStopped || this.#over !== undefined;
  }

  /** Accepted values and fences of this node whose outcome it does not know. */
  get isUndecided(): boolean {
    return this.#voter.hasVoted || this.#fences.stand;
  }

  /** Nodes to be pinged every 500 ms instead of every 2 s: those whose silence must be noticed soon. */
  interestingNodes(nodes: Iterable<NodeId>): void {
    this.#heartbeats.near(nodes);
  }

  /** The transport is connected to `node`, which said this of itself. */
  up(
    node: NodeId,
    now: Instant,
    hello: {
      readonly locality: string;
      readonly incarnation: number;
      readonly islandMs?: number | undefined;
      readonly understands?: WireRange | undefined;
    },
  ): void {
    this.#step(now);
    if (!this.#isCurrent(node, hello.incarnation) || node === this.#options.self) return;
    this.#up.set(node, hello.locality);
    this.#wires.up(node, hello.understands);
    this.#farVersion += 1;
    this.#heartbeats.hurry(node);
    if (this.#over !== undefined) return;
    if (this.#book.view === undefined) {
      this.islands.meet(hello.islandMs, now);
      this.#askToJoin(node, now);
    }
    // A stranger may know a view in which it is a member and this node is not.
    else if (!this.#book.nodes.has(node)) this.#askView(node, now);
  }

  /** No connection to `node` any more. */
  down(node: NodeId, now: Instant): void {
    this.#step(now);
    this.#up.delete(node);
    this.#wires.down(node);
    this.#farVersion += 1;
    this.#heartbeats.lost(node);
  }

  /** A message of `node` about something else was written in view `number`. It may be used only if that is this node's view. */
  sawView(node: NodeId, number: number, now: Instant): void {
    const own = this.#book.number;
    this.#book.saw(node, number);
    if (number > own) this.#askView(node, now);
    else if (number < own) this.#tellView(node, number, now);
  }

  /** Takes in a message whose shape has been checked. False if its sender is to blame for it. */
  receive(from: NodeId, message: MemberMessage, now: Instant): boolean {
    this.#step(now);
    if (from === this.#options.self) return false;
    if (!this.#isCurrent(from, message.incarnation)) {
      this.#send(from, { kind: "over", newest: this.#incarnations.get(from) }, now);
      return true;
    }
    return this.#hear(from, message, now);
  }

  /** Somebody knows of a process of this identity that started at `newest`: if that is a later one, this one stops. */
  outrun(newest: number): void {
    if (newest > this.#options.incarnation) this.#stop("newer-incarnation");
  }

  /** To be called every 100 ms or so. */
  tick(now: Instant): void {
    this.#step(now);
    const isTimeToSay = now.steadyMs - this.#saidMs >= SAY_AGAIN_MS;
    if (isTimeToSay) {
      this.#saidMs = now.steadyMs;
      this.#standing.compareClocks(this.#heartbeats, now);
    }
    if (this.#over !== undefined) {
      this.#overMs ??= now.steadyMs;
      if (this.#over === "removed" && this.#witness.tick(now)) return;
      const lingersMs = this.#over === "left" ? LINGER_MS : 0;
      if (this.#isOverTold || now.steadyMs - this.#overMs < lingersMs) return;
      this.#isOverTold = true;
      this.#app.stoppedBy(this.#over);
      return;
    }
    if (this.#book.view === undefined) {
      if (isTimeToSay) for (const node of this.#up.keys()) this.#askToJoin(node, now);
      return;
    }
    if (this.#pots.isSaveDue(now)) this.#options.outbox.put(POTS_KEY, this.#pots.at(now));
    this.#leaver.tick(now);
    if (this.#over !== undefined || this.#leaver.isOffering) return;
    this.#tellSessions(now);
    this.#ping(now);
    if (isTimeToSay) this.#sayTookOver(now);
    if (this.#app.isInStep() && !this.#leaver.isStopped) this.#proposer.tick(now);
  }

  /**
   * Pledges to hold at most what `pledged` says from now on, which must be within what is held already; a higher ceiling counts once a
   * majority of the voters has acknowledged it. Returns false while an earlier pledge waits for that.
   */
  pledge(pledged: Pledged, now: Instant): boolean {
    if (!this.mustPledge || this.pledges.isOpen) return false;
    this.pledges.pledge(pledged);
    for (const voter of this.#book.known.voters) this.#heartbeats.hurry(voter);
    this.#settlePledge();
    this.#ping(now);
    return true;
  }

  /** Whether ceilings bind this node: a view of one or two removes nobody. */
  get mustPledge(): boolean {
    const { view } = this.#book;
    return view !== undefined && view.members.length > WITHOUT_LEASE_MAX && this.isMember() && !this.#leaver.isStopped;
  }

  #settlePledge(): void {
    if (this.pledges.settle(this.#book.known.voters, this.#options.self)) this.#app.pledgeCounts?.();
  }

  /** Sends the pings that are due. */
  #ping(now: Instant): void {
    const { voters } = this.#book.known;
    const urgent = this.lease(now) === "held" ? [] : voters;
    const words = { ...this.sessions.word(now), ...this.islands.word(now) };
    for (const { node, id } of this.#heartbeats.due(now, urgent, this.#saidMinutes)) {
      const to = this.#incarnations.get(node);
      const pledge = to === undefined || !voters.includes(node) ? undefined : this.pledges.wordFor(node, to);
      this.#send(node, { kind: "ping", id, ...words, ...(pledge !== undefined && { pledge }) }, now);
    }
  }

  /**
   * Has this node leave: it stops at once, on disk, and hands everything over to one heir. `told` is called when that is done, or when
   * there is nobody: then this node is a member as before, and its end will be like a restart.
   */
  leave(now: Instant, told: (left: Left) => void): void {
    if (this.isMember()) this.#leaver.start(now, told);
    else told({ kind: "restart" });
  }

  /** Members that answer, those of this locality first. */
  #heirsToAsk(now: Instant): NodeId[] {
    const others = this.alive(now).filter((node) => node !== this.#options.self);
    const [near = [], far = []] = [true, false].map((isNear) => others.filter((node) => this.isNear(node) === isNear));
    return [...near, ...far];
  }

  #seekHeirOf(node: NodeId, now: Instant): void {
    for (const other of this.#book.others)
      if (other !== node) this.#send(other, { kind: "heir-wanted", of: node }, now);
  }

  /** Who asks has offered everything to `of`, which left to this node: what that had taken over by then is known here. */
  #hearHeirWanted(from: NodeId, { of }: Of<"heir-wanted">, now: Instant): void {
    const { leavers } = this.#handovers;
    if (leavers.includes(of)) this.#send(from, { kind: "heir-found", leavers }, now);
  }

  /**
   * Takes the operator's word that `nodes` run nowhere and their data is gone: they are removed without their votes. All
   * other members must answer, as what those know of the lost accounts has to be collected. `ok`: it is under way; `told` is called
   * once, when they are removed or the word is taken back. `forMs`: who gives the word waits for so long, also for other members to answer.
   */
  forget(nodes: readonly NodeId[], now: Instant, { told = () => {}, forMs }: ForgetOptions = {}): ForgetAnswer {
    const { self } = this.#options;
    const names = nodes.join(", ");
    const refuse = (reason: ForgetReason, text: string) => ({ reason, problem: `Cannot forget ${names} as ${text}` });
    // Its own leave may wait for a node that is lost: nobody else can be told that this one has nothing of it.
    const { isOffering, heir } = this.#leaver;
    const isAbandoned = isOffering && heir !== undefined && nodes.includes(heir);
    if (!this.isMember() || (this.#leaver.isStopped && !isAbandoned))
      return refuse("no-member", "only a member can do it: this node is not a member, or is leaving");
    if (nodes.includes(self)) return refuse("answers", `a node cannot forget itself: current value is ${self}`);
    const stranger = nodes.find((node) => !this.#book.nodes.has(node));
    if (nodes.length === 0 || stranger !== undefined)
      return refuse("unknown", `it must be a member: current value is ${stranger ?? "nobody"}`);
    const heard = nodes.filter((node) => this.#isHeard(node, now));
    if (heard.length > 0)
      return refuse(
        "answers",
        `it must be silent: current value is ${heard.join(", ")}, heard within the last seconds. A running node must leave: run anteroom leave there, or stop it for good first`,
      );
    if (!this.#app.isInStep())
      return refuse(
        "not-ready",
        "this node must first compare its disk with a member's: it has just started, try again in some seconds",
      );
    if (this.#proposer.isFull) return refuse("busy", `at most ${WORDS_MAX} orders may wait at a node`);
    if (isAbandoned) {
      this.#app.log(
        `${heir} runs nowhere, by the operator's order: this node does not leave to it, and is a member as before`,
      );
      this.#app.heirLost();
      this.#leaver.abandon(now);
    }
    const missing = this.#proposer.missing(nodes, now);
    if (missing.length > 0 && forMs === undefined)
      return refuse(
        "others-silent",
        `all other members must answer: current value is ${missing.join(", ")}, silent. Start the nodes that can be started; forget those that run nowhere in the same command`,
      );
    this.#proposer.forget({ nodes, told, forMs: Math.min(forMs ?? FORGET_MS_MAX, FORGET_MS_MAX) }, now);
    this.#app.log(`forgetting ${names}, by the operator's order`);
    return { ok: true };
  }

  /** Nodes that were members once, as far as the view tells. */
  get former(): readonly NodeId[] {
    return (this.#book.view?.heirs ?? []).map(([account]) => account as string as NodeId);
  }

  #hear(from: NodeId, message: MemberMessage, now: Instant): boolean {
    switch (message.kind) {
      case "over":
        this.#hearOver(message);
        return true;
      case "view-wanted":
        this.#tellView(from, message.view, now);
        return true;
      case "decided":
        this.#hearDecided(from, message, now);
        return true;
      case "join":
        if (this.#over === undefined) this.#hearJoin(from, message, now);
        return true;
      case "returned":
      case "testimony":
        if (this.#over === undefined) this.#hearReturned(from, message, now);
        return true;
      case "testimony-wanted":
        this.#witness.asked(from, message.nonce, now);
        return true;
      case "testimony-done":
        this.#witness.done();
        return true;
    }
    if (message.kind === "ping") {
      this.#heartbeats.heard(from, now);
      this.sessions.heard(from, message, now);
      this.islands.heard(from, message, now);
    }
    if (message.view !== this.#book.number || !this.#book.nodes.has(from)) {
      if (from !== this.#options.self) this.sawView(from, message.view, now);
      return true;
    }
    this.#book.saw(from, message.view);
    switch (message.kind) {
      case "heir-wanted":
        this.#hearHeirWanted(from, message, now);
        return true;
      case "heir-found":
        this.#noteLeavers(from, message.leavers, now);
        return true;
      case "offer-taken":
        this.#leaver.taken(from);
        return true;
      case "offer-refused":
        this.#leaver.refused(from, message.attempt, now);
        return true;
    }
    if (this.#over === undefined && !this.#leaver.isOffering) return this.#hearMember(from, message, now);
    if (message.kind === "offer") this.#hearOffer(from, message, now);
    return true;
  }

  /** A message of a member, in the same view. */
  #hearMember(from: NodeId, message: MemberMessage, now: Instant): boolean {
    if (DECIDING.has(message.kind) && !this.#app.isInStep()) return true;
    switch (message.kind) {
      case "ping":
        this.#answerPing(from, message, now);
        return true;
      case "pong":
        this.#hearPong(from, message, now);
        return true;
      case "fence":
        this.#hearFence(from, message, now);
        return true;
      case "prepare":
        this.#hearPrepare(from, message, now);
        return true;
      case "accept":
        return this.#hearAccept(from, message, now);
      case "fenced":
        this.#proposer.fenced(from, message, now);
        return true;
      case "heard":
        this.#proposer.heard(from, message.nodes, now);
        return true;
      case "promise":
        this.#proposer.promised(
          { ...message, votes: message.votes.filter(([voter]) => this.#isKeptBy(from, voter)) },
          now,
        );
        return true;
      case "accepted":
        this.#proposer.accepted(
          { ...message, voters: message.voters.filter((voter) => this.#isKeptBy(from, voter)) },
          now,
        );
        return true;
      case "refusal":
        this.#proposer.refused(message, now);
        return true;
      case "took-over":
        this.#hearTookOver(from, message, now);
        return true;
      case "offer":
        this.#hearOffer(from, message, now);
        return true;
      default:
        return true;
    }
  }

  #answerPing(from: NodeId, { id, incarnation: asker, pledge }: Of<"ping">, now: Instant): void {
    // Whoever is fenced gets no lease from here any more, but may know that somebody is there.
    const grants = this.#fences.has(from) || !this.#app.isInStep() ? [] : [...this.#voter.unvoted];
    // A pledge is acknowledged as a lease is granted: what is acknowledged after the fence is missing in what the fence has told.
    if (pledge?.to === this.#options.incarnation && grants.length > 0) this.#kept.hear(from, pledge);
    const { leavers } = this.#handovers;
    const pledged = this.#kept.versionOf(from);
    this.#send(
      from,
      { kind: "pong", id, asker, wallMs: now.wallMs, grants, leavers, ...(pledged > 0 && { pledged }) },
      now,
    );
  }

  #hearPong(from: NodeId, pong: Of<"pong">, now: Instant): void {
    if (pong.asker !== this.#options.incarnation) return;
    const asked = this.#heartbeats.answered(from, pong, now);
    if (asked === undefined) return;
    this.#noteLeavers(from, pong.leavers, now);
    for (const voter of pong.grants)
      if (this.#isKeptBy(from, voter)) this.#lease.answered(voter, asked.at, asked.sessionMinutes);
    // Of a voter that has left its heir knows nothing of what it had acknowledged: only voters themselves do.
    if (pong.grants.includes(from)) {
      this.pledges.answered(from, pong.pledged ?? 0);
      this.#settlePledge();
    }
    this.#agreeOnSessions(now);
    this.#standing.leaseLeftMs(now);
  }

  #hearFence(from: NodeId, { nodes, isForgetting }: Of<"fence">, now: Instant): void {
    const { self } = this.#options;
    const view = this.#book.known;
    if (nodes.includes(self) || !nodes.every((node) => this.#book.nodes.has(node))) return;
    if (!isForgetting && view.members.length <= WITHOUT_LEASE_MAX) return;
    // What was silent for less than a lease may be forgotten, but not what answers: the word was a slip, or its node is back.
    const heard = nodes.filter((node) => (isForgetting ? this.#isHeard(node, now) : this.#hasHeard(node, now)));
    if (heard.length > 0) {
      this.#send(from, { kind: "heard", nodes: heard }, now);
      return;
    }
    // Of a node that has stopped to leave, too: nobody has taken them over.
    const writes = this.#written;
    const accounts = nodes.flatMap((node) => this.#accountsOf(node)).filter((account) => !writes.includes(account));
    if (!nodes.every((node) => this.#fences.has(node))) {
      const unfenced = accounts.filter((account) => !this.#fences.isFenced(account));
      this.#fences.add(nodes, this.#app.copies(unfenced), this.#kept.of(nodes));
      this.#options.outbox.putVote(FENCES_KEY, this.#fences.record(view.number));
      this.#farVersion += 1;
    }
    const copies = [
      ...this.#fences.copiesOf(accounts),
      ...this.#app.copies(this.#handovers.accounts),
      ...giftsTo(accounts, this.#app.copies(writes)),
    ];
    const pledges = this.#fences.pledgesOf(nodes);
    this.#send(
      from,
      {
        kind: "fenced",
        nodes,
        copies,
        writes,
        leavers: this.#handovers.leavers,
        pledges,
        ...this.#longest(now),
        runs: this.#runs.of(nodes),
        ...(this.#app.testimony?.lacksGifts() !== false && { lacksGifts: true }),
      },
      now,
    );
  }

  /** A node that was removed is back, or says what it held. */
  #hearReturned(from: NodeId, message: Of<"returned"> | Of<"testimony">, now: Instant): void {
    if (message.kind === "returned") {
      const answer = this.#hearing.returned(from);
      if (answer !== undefined) this.#send(from, answer, now);
      return;
    }
    const heard = this.#hearing.hear(from, message);
    if (heard === undefined) return;
    const problem = "problem" in heard ? heard.problem : this.#app.testimony?.problemOf(heard);
    if (problem === undefined && !("problem" in heard)) {
      this.#pots.heard(heard.accounts);
      // Forced: by a disk of before its slots would be held twice, or the freed ones be in a pot whose slots others use.
      this.#options.outbox.putVote(POTS_KEY, this.#pots.at(now));
      this.#app.testimony?.take(heard);
    } else this.#app.log(`${from} is back, and its report of what it held is not used: ${problem}`);
    this.#send(from, { kind: "testimony-done", isTaken: problem === undefined }, now);
  }

  /** The longest session that may be about, and the longest island time in force, as messages have them. */
  #longest(now: Instant): { readonly sessionMinutes?: number; readonly islandMs: number } {
    const sessionMinutes = this.sessions.mayBeAbout(now);
    return { islandMs: this.islands.longestMs(now), ...(sessionMinutes > 0 && { sessionMinutes }) };
  }

  /** Whether a majority of the voters of this view has heard of this node's island time. */
  get #isIslandTold(): boolean {
    return this.#lease.coveredMinutes(this.#book.known.voters, this.#voter.unvoted, 0) !== undefined;
  }

  /** Notes how long sessions may last here: as a majority of the voters has been told. */
  #agreeOnSessions(now: Instant): void {
    const { voters } = this.#book.known;
    const minutes = this.#lease.coveredMinutes(voters, this.#voter.unvoted, this.sessions.allowed);
    if (minutes !== undefined) this.sessions.agree(minutes, now);
  }

  /** Has a change told at once: a longer session counts when it is answered. */
  #tellSessions(now: Instant): void {
    this.sessions.tick(this.#heartbeats.followed, now);
    this.islands.tick(this.#heartbeats.followed, now);
    const { allowed } = this.sessions;
    if (allowed !== this.#saidMinutes) this.#heartbeats.hurry();
    this.#saidMinutes = allowed;
    this.#agreeOnSessions(now);
  }

  #hearPrepare(from: NodeId, prepare: Of<"prepare">, now: Instant): void {
    this.#proposer.saw(prepare.ballot);
    const answer = this.#voter.prepare(prepare, this.#book.known);
    if (answer !== undefined) this.#send(from, answer, now);
  }

  #hearAccept(from: NodeId, accept: Of<"accept">, now: Instant): boolean {
    this.#proposer.saw(accept.ballot);
    if (accept.value.number <= this.#book.number) return false;
    if (!this.#isUnderstood(accept.value, this.#options.self)) return true;
    const heard = accept.removes.filter((node) => this.#hasHeard(node, now));
    const mayBeIsland = this.#standing.isFree && this.#isIslandTold;
    const answer = this.#voter.accept(accept, heard, this.#book.known);
    if (mayBeIsland && !this.#standing.isFree) this.#lease.isNeeded(now);
    if (answer !== undefined) this.#send(from, answer, now);
    return true;
  }

  /** Whether `node` votes for `voter`, as far as this node knows: an heir's word may come before the news of it. */
  #isKeptBy(node: NodeId, voter: NodeId): boolean {
    return voter === node || this.#heirOf(voter) === node;
  }

  /** An heir is offered everything; the answer is final, whichever it is. */
  #hearOffer(from: NodeId, offer: Of<"offer">, now: Instant): void {
    const { outbox } = this.#options;
    const { attempt, leavers, accounts, rows, voters, pots, tables } = offer;
    if (this.#handovers.has(from)) {
      this.#send(from, { kind: "offer-taken" }, now);
      return;
    }
    // While a fence stands, gifts that only the leaver knows of could neither be taken in nor left out.
    const mayTake = this.#over === undefined && !this.#leaver.isLeaving(now) && !this.#fences.stand;
    if (this.#handovers.hasRefused(from, attempt) || !mayTake) {
      this.#handovers.refuse(from, attempt);
      outbox.putVote(HANDOVERS_KEY, this.#handovers.record);
      this.#send(from, { kind: "offer-refused", attempt }, now);
      return;
    }
    this.#handovers.take(from, { leavers, accounts });
    this.#farVersion += 1;
    this.#written = this.#accountsOf(this.#options.self);
    outbox.putVote(HANDOVERS_KEY, this.#handovers.record);
    this.#voter.keep(voters, this.#book.known);
    this.sessions.mayLast(offer.sessionMinutes ?? 0, now);
    this.islands.mayLast(offer.islandMs ?? 0, now);
    for (const pot of pots) this.#pots.add(pot, now);
    outbox.put(POTS_KEY, this.#pots.at(now));
    this.#app.takeOver(from, accounts, rows, tables, now);
    this.#app.log(`${leavers.join(", ")} left to this node`);
    this.#send(from, { kind: "offer-taken" }, now);
    this.#sayTookOver(now);
  }

  #sendOffer(heir: NodeId, attempt: number, now: Instant): void {
    const { self } = this.#options;
    const accounts = this.#written;
    const others = this.#app.accounts().filter((account) => !accounts.includes(account));
    this.#send(
      heir,
      {
        kind: "offer",
        attempt,
        leavers: [self, ...this.#handovers.leavers],
        accounts,
        rows: [...this.#app.copies(accounts), ...giftsTo(accounts, this.#app.copies(others))],
        voters: this.#voter.record.voters.map(([voter, state]) => [voter, state]),
        pots: this.#app.hasLostCounts() ? this.#pots.allOf(accounts, self, now) : this.#pots.at(now),
        tables: this.#app.tables(),
        ...this.#longest(now),
      },
      now,
    );
  }

  #ownHandover(): Handover | undefined {
    const { leavers, accounts } = this.#handovers;
    if (leavers.length === 0) return undefined;
    return { heir: this.#options.self, leavers, accounts, rows: this.#app.copies(accounts) };
  }

  /** Tells the eldest what was taken over, until a view has dropped the leavers. */
  #sayTookOver(now: Instant): void {
    const handover = this.#ownHandover();
    if (handover === undefined) return;
    const eldest = this.alive(now)[0];
    if (eldest === undefined || eldest === this.#options.self) return;
    const { leavers, accounts, rows } = handover;
    this.#send(eldest, { kind: "took-over", leavers, accounts, rows }, now);
  }

  #hearTookOver(from: NodeId, { leavers, accounts, rows }: Of<"took-over">, now: Instant): void {
    this.#noteLeavers(from, leavers, now);
    this.#proposer.tookOver({ heir: from, leavers, accounts, rows });
  }

  #noteLeavers(heir: NodeId, leavers: readonly NodeId[], now: Instant): void {
    this.#leaver.haveLeft(leavers, heir, now);
    for (const leaver of leavers) {
      if (!this.#book.nodes.has(leaver) || this.#heirs.get(leaver) === heir) continue;
      this.#heirs.set(leaver, heir);
      this.#farVersion += 1;
    }
  }

  #askToJoin(node: NodeId, now: Instant): void {
    const { self, locality } = this.#options;
    this.#send(node, { kind: "join", node: self, locality }, now);
  }

  #hearJoin(from: NodeId, { node, locality }: Of<"join">, now: Instant): void {
    const { view, nodes } = this.#book;
    if (view === undefined) return;
    if (nodes.has(node)) {
      if (from === node) this.#tellView(node, 0, now);
      return;
    }
    // An account of this name has an heir: the identity was used up.
    if (view.heirs.some(([account]) => account === accountOf(node))) {
      if (from === node) this.#send(node, { kind: "over" }, now);
      return;
    }
    if (from === node && !this.#wires.does(node, this.wire, this.wire)) return;
    this.#joins.ask({ node, locality }, now.steadyMs);
    const eldest = this.alive(now)[0];
    if (from === node && eldest !== undefined && eldest !== this.#options.self)
      this.#send(eldest, { kind: "join", node, locality }, now);
  }

  #hearOver({ newest }: Of<"over">): void {
    if (newest !== undefined) this.outrun(newest);
    else if (this.#book.view === undefined) this.#stop("removed");
  }

  #askView(node: NodeId, now: Instant): void {
    if (!this.#isAgain(`ask ${node}`, now)) this.#send(node, { kind: "view-wanted" }, now);
  }

  /** Whether the same was done a moment ago: of many messages from another view only the first is worth an answer. */
  #isAgain(what: string, { steadyMs }: Instant): boolean {
    if (steadyMs - (this.#lately.get(what) ?? Number.NEGATIVE_INFINITY) < VIEW_AGAIN_MS) return true;
    if (this.#lately.size >= KNOWN_MAX) this.#lately.clear();
    this.#lately.set(what, steadyMs);
    return false;
  }

  #tellView(node: NodeId, number: number, now: Instant): void {
    const { view } = this.#book;
    if (view === undefined || number >= view.number || node === this.#options.self) return;
    if (this.#isAgain(`tell ${node} ${number}`, now)) return;
    this.#send(node, { kind: "decided", decided: view, ...this.#book.missedSince(number) }, now);
    this.#heartbeats.hurry(node);
  }

  #hearDecided(from: NodeId, { decided, rows, since }: Of<"decided">, now: Instant): void {
    const own = this.#book.number;
    this.#book.saw(from, decided.number);
    if (decided.number <= own || this.#over !== undefined) return;
    if (!this.#isUnderstood(decided, this.#options.self)) return;
    // Rows would be lacking. Nobody forgets any that a member may lack.
    const isIn = decided.members.some(({ node }) => node === this.#options.self);
    if (isIn && own > 0 && own < since) {
      this.#lackRows.add(from);
      const others = decided.members.filter(({ node }) => node !== this.#options.self);
      if (!others.every(({ node }) => this.#lackRows.has(node))) return;
      // They forgot the rows because this node had been seen to have them.
      this.#app.log("this disk is an old copy: it lacks views that this node had, and no member can supply them");
      this.#stop("removed");
      return;
    }
    this.#learn(decided, { rows, since, now });
  }

  #decided(view: View, now: Instant): void {
    const { nodes, number } = this.#book;
    const seen = new Map(Array.from(nodes, (node) => [node, Math.min(number, this.#book.seenIn(node))] as const));
    this.#app.log(`view ${view.number} is decided: ${view.members.map(({ node }) => node).join(", ")}`);
    this.#learn(view, { rows: [], since: number, now });
    // Whoever is new gets all rows that are kept, to be able to pass them on.
    // By what each was seen in: one that missed an earlier view would take itself for one that has forgotten it.
    for (const [node, before] of seen) this.#tellView(node, before, now);
    for (const node of this.#book.nodes) if (!nodes.has(node)) this.#tellView(node, 0, now);
  }

  /** Takes over a view: only whole, and only as decided. */
  #learn(view: View, { rows, since, now }: { rows: readonly RowData[]; since: number; now: Instant }): void {
    const { self, outbox } = this.#options;
    const before = this.#book.view;
    const isIn = view.members.some(({ node }) => node === self);
    if (before === undefined && !isIn) return;
    const mayBeIsland = before !== undefined && this.#standing.isFree && this.#isIslandTold;
    const wrote = before === undefined ? [accountOf(self)] : this.#written;
    this.#book.learn(view, rows, since);
    const { nodes } = this.#book;
    this.#runs.keepOnly((node) => nodes.has(node));
    this.#lately.clear();
    this.#lackRows.clear();
    outbox.putVote(VIEW_KEY, this.#book.record);
    this.#fences.lift();
    outbox.put(FENCES_KEY, undefined);
    this.#noteGone(before);
    if (this.#handovers.keepOnly((node) => nodes.has(node))) outbox.put(HANDOVERS_KEY, this.#handovers.record);
    this.#written = this.#accountsOf(self);
    this.#voter.begin(view, [self, ...this.#handovers.leavers.filter((leaver) => nodes.has(leaver))]);
    if (!isIn) {
      const heir = writerOf(view, accountOf(self));
      if (heir !== undefined && this.#howItEnded() === "left") this.#leaver.decided(heir);
      this.#setAside(wrote);
      this.#stop("removed");
      return;
    }
    this.#lease.begin();
    this.pledges.begin();
    this.#kept.begin();
    if (mayBeIsland && !this.#standing.isFree) this.#lease.isNeeded(now);
    this.#follow(now);
    this.#heartbeats.hurry();
    this.#joins.done(nodes);
    this.#proposer.begin();
    this.#leaver.viewChanged((node) => nodes.has(node), now);
    const inherited = this.#written.filter((account) => !wrote.includes(account));
    if (inherited.length > 0) {
      for (const pot of potsOf(inherited, view)) this.#pots.add(pot, now);
      outbox.put(POTS_KEY, this.#pots.at(now));
    }
    this.sessions.mayLast(view.sessionMinutes ?? 0, now);
    this.islands.settle();
    this.islands.mayLast(view.islandMs ?? 0, now);
    this.#app.mergeDecided([...rows, ...view.rows]);
    this.#app.viewChanged(view, now);
  }

  /**
   * This node was removed: what it wrote is to be known when it says what it held, after a restart too. Who has offered everything to an heir that
   * did not refuse says nothing: the heir may have taken it over.
   */
  #setAside(wrote: readonly AccountId[]): void {
    if (this.#over !== undefined || this.#leaver.heir !== undefined) return;
    const inPots = new Set(this.#pots.accounts);
    const accounts = wrote.filter((account) => !inPots.has(account));
    this.#options.outbox.putVote(WROTE_KEY, accounts);
    this.#witness.removed(accounts);
  }

  #noteGone(before: View | undefined): void {
    for (const { node } of before?.members ?? []) {
      if (this.#book.nodes.has(node)) continue;
      if (this.#gone.size < KNOWN_MAX) this.#gone.set(node, this.#heirOf(node) === undefined ? "removed" : "left");
      this.#incarnations.delete(node);
    }
    for (const [node, heir] of this.#heirs)
      if (!this.#book.nodes.has(node) || !this.#book.nodes.has(heir)) this.#heirs.delete(node);
  }

  /** Why this node is no member: it has left if the heir that it asked writes its account now, or that one's heir writes both. */
  #howItEnded(): StopReason {
    const { isGone, isOffering, heir } = this.#leaver;
    if (isGone) return "left";
    if (!isOffering || heir === undefined) return "removed";
    const [own, theirs] = [this.#options.self, heir].map((node) => writerOf(this.#book.known, accountOf(node)));
    return own === heir || own === theirs ? "left" : "removed";
  }

  #stop(reason: StopReason): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#proposer.stop();
    this.#lease.end();
    this.#pots.clear();
  }

  /** Nobody took over: as after a restart. */
  #resume(now: Instant): void {
    this.#lease.end();
    this.#heartbeats.follow([], now);
    this.#follow(now);
  }

  /** Notes the incarnation of a node; false if it is older than one that is known. */
  #isCurrent(node: NodeId, incarnation: number): boolean {
    const { self } = this.#options;
    if (node === self) {
      if (incarnation > this.#options.incarnation) this.#stop("newer-incarnation");
      return true;
    }
    const known = this.#incarnations.get(node) ?? 0;
    if (incarnation < known) return false;
    if (this.#incarnations.has(node) || this.#incarnations.size < KNOWN_MAX) this.#incarnations.set(node, incarnation);
    if (this.#book.nodes.has(node)) this.#runs.note(node, incarnation);
    return true;
  }

  /** The member that a member has left to. */
  #heirOf(node: NodeId): NodeId | undefined {
    if (this.#handovers.leavers.includes(node)) return this.#options.self;
    return this.#heirs.get(node);
  }

  /** Accounts that `node` writes by the view, and by what this node itself has taken over. */
  #accountsOf(node: NodeId): AccountId[] {
    const taken = node === this.#options.self ? this.#handovers.accounts : [];
    return [...new Set([...this.#book.accountsOf(node), ...taken])];
  }

  #putLeaving(record: LeavingRecord): void {
    if (record.isStopped) this.#proposer.stop();
    this.#options.outbox.putVote(LEAVING_KEY, record);
  }

  #step(now: Instant): void {
    this.#heartbeats.step(now);
  }

  /** Sends a message; one to this node itself is heard at once. */
  #send(to: NodeId, body: MemberMessageBody, now: Instant): void {
    const { self, incarnation, outbox } = this.#options;
    const message = { ...body, view: this.#book.number, incarnation } as MemberMessage;
    if (to === self) this.#hear(self, message, now);
    else outbox.send(to, message as Message);
  }

  #found(now: Instant): void {
    const { self, locality, outbox } = this.#options;
    const members = [{ node: self, locality, sinceMs: Math.round(now.wallMs) }];
    const { wire } = this;
    const view = {
      number: 1,
      members,
      voters: [self],
      heirs: [],
      rows: [],
      ...(wire > WIRE_VERSION_FIRST && { wire }),
    };
    this.#book.learn(view, [], 0);
    outbox.putVote(VIEW_KEY, this.#book.record);
    this.#written = this.#accountsOf(self);
    this.#voter.begin(view, [self]);
  }

  #restore(now: Instant): void {
    const { restored, self } = this.#options;
    const record = restored.get(VIEW_KEY) as ViewRecord | undefined;
    if (record === undefined) return;
    this.#book.restore(record);
    const handovers = restored.get(HANDOVERS_KEY) as HandoversRecord | undefined;
    if (handovers !== undefined) this.#handovers.restore(handovers);
    this.#written = this.#accountsOf(self);
    const votes = restored.get(VOTES_KEY) as VotesRecord | undefined;
    if (votes !== undefined) this.#voter.restore(votes, record.view);
    const fences = restored.get(FENCES_KEY) as FencesRecord | undefined;
    if (fences !== undefined) this.#fences.restore(fences);
    this.#pots.restore((restored.get(POTS_KEY) as StoredPot[] | undefined) ?? [], now);
    const leaving = restored.get(LEAVING_KEY) as LeavingRecord | undefined;
    if (leaving !== undefined) this.#leaver.restore(leaving, now);
    const wrote = restored.get(WROTE_KEY) as readonly AccountId[] | undefined;
    if (wrote !== undefined) this.#witness.removed(wrote);
    if (!this.#book.nodes.has(self)) this.#stop(this.#howItEnded());
    else if (this.#leaver.isGone) this.#stop("left");
    // An earlier process has told it.
    if (this.#over !== undefined) this.#overMs = Number.NEGATIVE_INFINITY;
    this.#follow(now);
  }
}

/**
 * Accounts that were inherited with `view`, those of nodes apart that run nowhere by the operator's word. The word is about those nodes
 * only: an account that one of them had inherited may be in use at its own node, which was cut off before.
 */
function potsOf(
  inherited: readonly AccountId[],
  { number, forgotten = [], ceilings, returning = [], sessionMinutes, islandMs }: View,
) {
  const group = `view ${number}`;
  const ended = new Set(forgotten.map(accountOf));
  // A node that missed a view inherits by two at once, and these are about the last one only.
  const areAll =
    ceilings !== undefined && new Set(ceilings.accounts).symmetricDifference(new Set(inherited)).size === 0;
  return [true, false]
    .map((runsNowhere) => {
      const accounts = inherited.filter((each) => ended.has(each) === runsNowhere);
      const back = returning.filter(([node]) => accounts.includes(accountOf(node)));
      return {
        group,
        runsNowhere,
        accounts,
        sessionMinutes,
        islandMs,
        returning: back,
        ...(areAll && { ceilings: ceilings.rooms }),
      };
    })
    .filter(({ accounts }) => accounts.length > 0);
}
