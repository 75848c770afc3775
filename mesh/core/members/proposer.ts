/**
 * The node that brings about the next view: when one is needed, which node begins, and the steps in order.
 *
 * A removal first collects fences from every member that stays. Then any change asks the voters to promise, then to
 * accept. A value that a voter has accepted before must be finished; otherwise it is this node's own. The eldest member
 * that answers begins; others only after a while, because a member that has fenced or voted must see a decision. Failed
 * tries are repeated after a random pause that doubles, so duels end.
 *
 * `forget` uses the operator's order in place of the votes of lost nodes: then every other member must vote. Any
 * majority of voters includes one of those (unless all of it is lost, and then no node is left that knows what it
 * decided), so nothing is decided twice. The view's number jumps: whatever the lost nodes may have decided unseen has
 * another number.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { ForgetOrder, type ForgetRefusal, type Waiting, type Word } from "./forget-order.ts";
import type { Joins } from "./joins.ts";
import type { MemberMessageBody, Of } from "./member-messages.ts";
import { type Changes, type Handover, nextView, type Removal } from "./next-view.ts";
import { type Accepted, type Ballot, isAbove } from "./paxos.ts";
import { ceilingsOf } from "./pledged-bound.ts";
import type { View } from "./view.ts";
import { majorityOf } from "./voters.ts";

/** Longest time for each step, in ms. Fences carry rows and may come from far away; votes are small. */
const STEP_MS = { fencing: 3_000, preparing: 1_500, accepting: 1_500 };

/** Between copies of a question to members that have not answered, in ms. Round trips around the world take 300. */
const AGAIN_MS = 400;

/** First pause after a failed try, in ms, and how often it doubles; chance adds as much again. */
const PAUSE_MS = 100;
const PAUSE_DOUBLINGS_MAX = 4;

/** How long members other than the eldest wait before they begin themselves, in ms; chance adds up to half. */
const PATIENCE_VOTED_MS = 1_500;
const PATIENCE_MS = 5_000;

/**
 * Silence beyond a lease before a removal is tried: a part of the lease and a fixed time, for voters that heard the
 * node a little later.
 */
const SILENCE_OF_LEASE = 0.1;
const SILENCE_MS = 500;

/**
 * Part of the members that may be silent while others are admitted. One of three may be: its replacement should not
 * have to wait.
 */
const SILENT_PART_MAX = 1 / 3;

/** Members of a view that removes nobody: of two, each may be the one that is cut off. */
const WITHOUT_REMOVAL_MAX = 2;

/** Numbers skipped by a view that an operator's order decided: more than the views that could be decided unseen. */
const FORGETTING_STEP = 1_000_000;

interface Attempt {
  step: "fencing" | "preparing" | "accepting";
  stepMs: number;
  askedMs: number;
  readonly removed: readonly NodeId[];
  readonly isForgetting: boolean;
  readonly fences: Map<NodeId, Of<"fenced">>;
  removal: Removal | undefined;
  ballot: Ballot;
  readonly promises: Map<NodeId, Accepted | null>;
  value: View | undefined;
  removes: readonly NodeId[];
  readonly votes: Set<NodeId>;
}

export interface ProposerParts {
  readonly self: NodeId;
  readonly incarnation: number;
  readonly leaseMs: number;
  readonly random: () => number;
  readonly joins: Joins;
  /** The view whose successor is sought. */
  readonly view: () => View;
  /** Those before it, each the successor of the next, as far as they are remembered. */
  readonly earlierViews: () => readonly View[];
  readonly isAnswering: (node: NodeId, now: Instant) => boolean;
  /** Whether `node` answers, or was heard so lately that it may. */
  readonly isHeard: (node: NodeId, now: Instant) => boolean;
  /** How long nothing has been heard from `node`; 0 for a node that is not listened to. */
  readonly quietMs: (node: NodeId, now: Instant) => number;
  /** Members that this node listens to. */
  readonly followed: () => Iterable<NodeId>;
  /** The member to which `node` has left; undefined for one that has not. */
  readonly heirOf: (node: NodeId) => NodeId | undefined;
  /** What this node has taken over itself. */
  readonly ownHandover: () => Handover | undefined;
  /** The longest island time that a member has, as far as this node knows. */
  readonly islandMs: () => number;
  /** A newer wire version to move to with a view that changes nothing else; undefined if there is none. */
  readonly nextWire: (now: Instant) => number | undefined;
  /** Whether this node understands the wire version of a view. */
  readonly understands: (view: View) => boolean;
  /** Whether this node has accepted something, or put up a fence, and the outcome is open. */
  readonly hasVoted: () => boolean;
  readonly hasFenced: () => boolean;
  readonly send: (to: NodeId, message: MemberMessageBody, now: Instant) => void;
  readonly decided: (view: View, now: Instant) => void;
  readonly log: (text: string) => void;
}

export class Proposer {
  readonly #parts: ProposerParts;
  #attempt: Attempt | undefined;
  #round = 0;
  #failures = 0;
  #notBeforeMs = 0;
  /** Since when something is to be decided, and the patience that chance has given this node. */
  #wanted: { readonly sinceMs: number; readonly share: number } | undefined;
  readonly #handovers = new Map<NodeId, Handover>();
  /** Nodes that other members have heard, and until when they are therefore not removed. */
  readonly #heardUntilMs = new Map<NodeId, number>();
  readonly #order = new ForgetOrder();

  constructor(parts: ProposerParts) {
    this.#parts = parts;
  }

  /** Accepts the operator's order for nodes, in addition to earlier ones. */
  forget(word: Word, now: Instant): void {
    const before = this.#ordered;
    this.#order.add(word, now);
    this.#orderChanged(before);
  }

  /** Members to forget. A node that was removed since is not one. */
  get #ordered(): readonly NodeId[] {
    const { nodes } = this.#order;
    return nodes.length === 0 ? nodes : this.#nodes().filter((node) => nodes.includes(node));
  }

  /** Whether no more orders are accepted. */
  get isFull(): boolean {
    return this.#order.isFull;
  }

  /** `from` says what it has taken over. */
  tookOver(handover: Handover): void {
    this.#handovers.set(handover.heir, handover);
  }

  /** The successor is known: everything starts over. */
  begin(): void {
    const members = this.#nodes();
    this.#attempt = undefined;
    this.#failures = 0;
    this.#notBeforeMs = 0;
    this.#wanted = undefined;
    this.#handovers.clear();
    for (const node of this.#heardUntilMs.keys()) if (!members.includes(node)) this.#heardUntilMs.delete(node);
    this.#order.endWhere(({ nodes }) => (nodes.some((node) => members.includes(node)) ? undefined : {}));
  }

  /** Gives up what is under way, for instance after this node has stopped. */
  stop(): void {
    this.#attempt = undefined;
    this.#wanted = undefined;
    this.#takeBack(() => ({ reason: "no-member", problem: "this node is stopping" }));
  }

  /** Call it often. */
  tick(now: Instant): void {
    this.#lookAtOrder(now);
    const attempt = this.#attempt;
    if (attempt === undefined) {
      if (now.steadyMs >= this.#notBeforeMs) this.#consider(now);
      return;
    }
    if (now.steadyMs - attempt.stepMs >= STEP_MS[attempt.step]) this.#fail(now);
    else if (now.steadyMs - attempt.askedMs >= AGAIN_MS) this.#ask(attempt, now);
  }

  /** An order ends when its time is over or when one of its nodes is back. */
  #lookAtOrder(now: Instant): void {
    const ordered = this.#ordered;
    if (ordered.length === 0) return;
    this.#takeBack(({ nodes, untilMs, forMs }) => {
      const back = nodes.filter((node) => ordered.includes(node) && this.#parts.isHeard(node, now));
      if (back.length > 0) return { reason: "answers", problem: `${back.join(", ")} answers` };
      if (now.steadyMs < untilMs) return undefined;
      const missing = this.missing(ordered, now);
      return missing.length > 0
        ? { reason: "others-silent", problem: `${missing.join(", ")} did not answer within ${forMs / 1_000} s` }
        : { reason: "not-agreed", problem: `not all other members agreed within ${forMs / 1_000} s` };
    });
  }

  /** Orders for which `why` gives a reason are no longer carried out, except what has been voted on. */
  #takeBack(why: (word: Waiting) => ForgetRefusal | undefined): void {
    const before = this.#ordered;
    this.#order.endWhere((word) => {
      const refusal = why(word);
      if (refusal === undefined) return undefined;
      const problem = `Cannot forget ${word.nodes.join(", ")} as ${refusal.problem}`;
      this.#parts.log(`${problem}: the order is withdrawn`);
      return { ...refusal, problem };
    });
    this.#orderChanged(before);
  }

  /** A try is given up if it is for other nodes than those to be forgotten now. */
  #orderChanged(before: readonly NodeId[]): void {
    const nodes = this.#ordered;
    if (before.join() === nodes.join()) return;
    if (this.#attempt?.isForgetting === true || nodes.length > before.length) this.#attempt = undefined;
    this.#notBeforeMs = 0;
  }

  /** Members that must be removed and can be: all others answer, a majority of voters among them. */
  #removable(now: Instant): NodeId[] {
    const { self, view, isAnswering, heirOf } = this.#parts;
    const { members, voters } = view();
    if (members.length <= WITHOUT_REMOVAL_MAX) return [];
    const isDue = (node: NodeId) => node !== self && this.#dueInMs(node, now) <= 0;
    const quiet: NodeId[] = [];
    for (const node of this.#parts.followed()) if (isDue(node)) quiet.push(node);
    if (quiet.length === 0) return [];
    const due = this.#nodes().filter((node) => {
      if (!quiet.includes(node)) return false;
      const heir = heirOf(node);
      return heir === undefined || (heir !== self && isDue(heir));
    });
    if (due.length === 0) return [];
    const isThere = (node: NodeId) => {
      const host = heirOf(node) ?? node;
      return host === self || (isAnswering(host, now) && !due.includes(host));
    };
    if (!this.#nodes().every((node) => due.includes(node) || isThere(node))) return [];
    return voters.filter(isThere).length >= majorityOf(voters) ? due : [];
  }

  /** Ms until `node` has been silent for long enough to be removed, if it stays so; 0 or less if it has. */
  #dueInMs(node: NodeId, now: Instant): number {
    const { quietMs, leaseMs } = this.#parts;
    const silenceMs = leaseMs * (1 + SILENCE_OF_LEASE) + SILENCE_MS;
    return Math.max(silenceMs - quietMs(node, now), (this.#heardUntilMs.get(node) ?? 0) - now.steadyMs);
  }

  /**
   * Ms until members that do not answer are removed, if they stay silent; 0 or less if that is due and others still
   * hear one of them. Undefined if it is impossible: no majority of voters is left, or the view is too small.
   */
  removalInMs(silent: readonly NodeId[], now: Instant): number | undefined {
    const { view, heirOf } = this.#parts;
    const { members, voters } = view();
    if (members.length <= WITHOUT_REMOVAL_MAX) return undefined;
    const there = voters.filter((voter) => !silent.includes(heirOf(voter) ?? voter));
    if (there.length < majorityOf(voters)) return undefined;
    return Math.max(...silent.map((node) => this.#dueInMs(node, now)));
  }

  /** Begins if something is to be decided and it is this node's turn. */
  #consider(now: Instant): void {
    const { self, isAnswering, heirOf, joins, hasVoted, hasFenced, random } = this.#parts;
    const ordered = this.#ordered;
    if (ordered.length > 0 && this.missing(ordered, now).length === 0) {
      this.#begin(ordered, true, now);
      return;
    }
    const removable = this.#removable(now);
    const areJoinsDue = joins.areDue(now.steadyMs) && !this.#areTooManySilent(now);
    const isWanted =
      removable.length > 0 || areJoinsDue || this.#usable().length > 0 || this.#parts.nextWire(now) !== undefined;
    if (!isWanted && !hasVoted() && !hasFenced()) {
      this.#wanted = undefined;
      return;
    }
    this.#wanted ??= { sinceMs: now.steadyMs, share: 1 + random() / 2 };
    const waitedMs = now.steadyMs - this.#wanted.sinceMs;
    const eldest = this.#nodes().find(
      (node) => node === self || (isAnswering(node, now) && heirOf(node) === undefined),
    );
    const isEldest = eldest === self;
    const patienceMs = isEldest ? 0 : (hasVoted() ? PATIENCE_VOTED_MS : PATIENCE_MS) * this.#wanted.share;
    // Fences alone do no harm: waits for members that will be removed with the others, but not for ever.
    const fencedMs = this.missing([], now).length > 0 || !isEldest ? 3 * this.#parts.leaseMs * this.#wanted.share : 0;
    if (waitedMs < (isWanted || hasVoted() ? patienceMs : fencedMs)) return;
    this.#begin(removable, false, now);
  }

  /**
   * Whether more members are silent than may be while others join: they are removed first. Otherwise a node that
   * starts, joins and dies again and again would leave members behind faster than any can be removed, since all members
   * that stay must answer for a removal.
   */
  #areTooManySilent(now: Instant): boolean {
    return this.missing([], now).length > this.#nodes().length * SILENT_PART_MAX;
  }

  /** Members other than `nodes` that do not answer: for a removal by the operator's order, all must. */
  missing(nodes: readonly NodeId[], now: Instant): NodeId[] {
    const { self, isAnswering, heirOf } = this.#parts;
    return this.#nodes().filter((node) => {
      const host = heirOf(node) ?? node;
      return !nodes.includes(node) && (nodes.includes(host) || (host !== self && !isAnswering(host, now)));
    });
  }

  #begin(removed: readonly NodeId[], isForgetting: boolean, now: Instant): void {
    const { self, incarnation } = this.#parts;
    const attempt: Attempt = {
      step: removed.length > 0 ? "fencing" : "preparing",
      stepMs: now.steadyMs,
      askedMs: now.steadyMs,
      removed,
      isForgetting,
      fences: new Map(),
      removal: undefined,
      ballot: [++this.#round, incarnation, self],
      promises: new Map(),
      value: undefined,
      removes: [],
      votes: new Set(),
    };
    this.#attempt = attempt;
    if (removed.length > 0) this.#parts.log(`${isForgetting ? "forgetting" : "removing"} ${removed.join(", ")}`);
    this.#ask(attempt, now);
  }

  /**
   * Asks the members that have not answered the question of this step; itself last, as its answer may be the last one
   * needed.
   */
  #ask(attempt: Attempt, now: Instant): void {
    const { self, send } = this.#parts;
    attempt.askedMs = now.steadyMs;
    const { step, ballot, removed, isForgetting, value, removes } = attempt;
    const message: MemberMessageBody | undefined =
      step === "fencing"
        ? { kind: "fence", nodes: removed, isForgetting }
        : step === "preparing"
          ? { kind: "prepare", ballot, all: isForgetting }
          : value && { kind: "accept", ballot, value, all: isForgetting, removes };
    if (message === undefined) return;
    const asked = step === "fencing" ? this.#fencing(attempt) : this.#voting(attempt);
    for (const node of asked) if (node !== self) send(node, message, now);
    if (asked.includes(self)) send(self, message, now);
  }

  /** Members that must put up a fence and have not: all that stay and have not left. */
  #fencing({ removed, fences }: Attempt): NodeId[] {
    const leavers = new Set([...fences.values()].flatMap(({ leavers }) => leavers));
    const { heirOf } = this.#parts;
    return this.#nodes().filter(
      (node) => !removed.includes(node) && !fences.has(node) && !leavers.has(node) && heirOf(node) === undefined,
    );
  }

  /** The members to ask for missing votes. */
  #voting({ isForgetting, removed, step, promises, votes }: Attempt): NodeId[] {
    const voters = isForgetting ? this.#nodes().filter((node) => !removed.includes(node)) : this.#parts.view().voters;
    const lacking = voters.filter((voter) => !(step === "preparing" ? promises.has(voter) : votes.has(voter)));
    return [...new Set(lacking.map((voter) => this.#parts.heirOf(voter) ?? voter))];
  }

  fenced(from: NodeId, answer: Of<"fenced">, now: Instant): void {
    const attempt = this.#attempt;
    if (attempt?.step !== "fencing" || answer.nodes.join() !== attempt.removed.join()) return;
    attempt.fences.set(from, answer);
    if (this.#fencing(attempt).length > 0) return;
    const staying = this.#nodes().filter((node) => attempt.fences.has(node));
    const leavers = new Set([...attempt.fences.values()].flatMap(({ leavers }) => leavers));
    const heir = attempt.isForgetting ? this.#parts.self : staying.find((node) => !leavers.has(node));
    if (heir === undefined) return;
    attempt.removal = {
      removed: attempt.removed,
      isForgetting: attempt.isForgetting,
      heir,
      claims: new Map([...attempt.fences].map(([node, { writes }]) => [node, writes])),
      copies: [...attempt.fences.values()].flatMap(({ copies }) => copies),
      sessionMinutes: Math.max(...Array.from(attempt.fences.values(), ({ sessionMinutes = 0 }) => sessionMinutes)),
      ceilings: ceilingsOf(attempt.removed, {
        views: [this.#parts.view(), ...this.#parts.earlierViews()],
        answers: new Map(
          Array.from(attempt.fences, ([node, { pledges = [], earlier = [] }]) => [node, { pledges, earlier }]),
        ),
      }),
      ...returningOf(attempt, leavers),
    };
    this.#step(attempt, "preparing", now);
  }

  /** `from` will not fence these nodes, because it has heard them. */
  heard(from: NodeId, nodes: readonly NodeId[], now: Instant): void {
    this.#noteHeard(nodes, now);
    const attempt = this.#attempt;
    if (attempt === undefined || !nodes.some((node) => attempt.removed.includes(node))) return;
    if (attempt.isForgetting) {
      const problem = `${from} hears ${nodes.join(", ")}`;
      const isHeard = (word: Word) => word.nodes.some((node) => nodes.includes(node));
      this.#takeBack((word) => (isHeard(word) ? { reason: "answers", problem } : undefined));
    } else this.#fail(now);
  }

  promised(promise: Of<"promise">, now: Instant): void {
    const attempt = this.#attempt;
    if (attempt?.step !== "preparing" || !isSame(promise.ballot, attempt.ballot)) return;
    for (const [voter, accepted] of promise.votes) attempt.promises.set(voter, accepted);
    if (!this.#isDecisive(attempt, attempt.promises)) return;
    let found: Accepted | undefined;
    for (const accepted of attempt.promises.values())
      if (accepted !== null && (found === undefined || isAbove(accepted.ballot, found.ballot))) found = accepted;
    // From a newer release, by which this node was started before: others finish it.
    if (found !== undefined && !this.#parts.understands(found.value)) {
      this.#fail(now);
      return;
    }
    attempt.value = found?.value ?? this.#ownValue(attempt, now);
    attempt.removes = found === undefined && !attempt.isForgetting ? attempt.removed : [];
    this.#step(attempt, "accepting", now);
  }

  accepted(vote: Of<"accepted">, now: Instant): void {
    const attempt = this.#attempt;
    if (attempt?.step !== "accepting" || !isSame(vote.ballot, attempt.ballot)) return;
    for (const voter of vote.voters) attempt.votes.add(voter);
    if (attempt.value !== undefined && this.#isDecisive(attempt, attempt.votes))
      this.#parts.decided(attempt.value, now);
  }

  refused({ ballot, promised, heard }: Of<"refusal">, now: Instant): void {
    if (promised !== undefined) this.saw(promised);
    if (this.#attempt === undefined || !isSame(ballot, this.#attempt.ballot)) return;
    this.#noteHeard(heard, now);
    this.#fail(now);
  }

  #noteHeard(nodes: readonly NodeId[], now: Instant): void {
    const members = this.#nodes();
    for (const node of nodes)
      if (members.includes(node)) this.#heardUntilMs.set(node, now.steadyMs + this.#parts.leaseMs);
  }

  /** A ballot of another node: own ones should be above it. */
  saw([round]: Ballot): void {
    this.#round = Math.max(this.#round, round);
  }

  #step(attempt: Attempt, step: Attempt["step"], now: Instant): void {
    attempt.step = step;
    attempt.stepMs = now.steadyMs;
    this.#ask(attempt, now);
  }

  /** Whether `voters` are enough: a majority or, with the operator's order for those lost, all others. */
  #isDecisive(attempt: Attempt, voters: { has(voter: NodeId): boolean }): boolean {
    const { view } = this.#parts;
    if (attempt.isForgetting) return this.#nodes().every((node) => attempt.removed.includes(node) || voters.has(node));
    const all = view().voters;
    return all.filter((voter) => voters.has(voter)).length >= majorityOf(all);
  }

  #ownValue({ removal, isForgetting, fences }: Attempt, now: Instant): View {
    const { view, joins, random } = this.#parts;
    const base = view();
    const step = Math.floor(base.number / FORGETTING_STEP) + 1 + random();
    const known = new Set([...base.heirs.map(([account]) => account as string), ...this.#nodes()]);
    const joiners = joins.batch(now.steadyMs).filter(({ node }) => !known.has(node));
    // Not together with other changes: a node that joins may not understand it.
    const wire = removal === undefined && joiners.length === 0 ? this.#parts.nextWire(now) : undefined;
    const changes: Changes = {
      number: isForgetting ? Math.floor(step * FORGETTING_STEP) : base.number + 1,
      nowMs: Math.round(now.wallMs),
      joins: joiners,
      handovers: removal === undefined ? this.#usable() : handoversOf(fences),
      removal,
      islandMs: Math.max(this.#parts.islandMs(), ...Array.from(fences.values(), ({ islandMs = 0 }) => islandMs)),
      wire,
    };
    return nextView(base, changes);
  }

  /** Handovers by members that have not themselves been handed over since. */
  #usable(): Handover[] {
    const own = this.#parts.ownHandover();
    const all = [...this.#handovers.values(), ...(own === undefined ? [] : [own])];
    if (all.length === 0) return [];
    const members = this.#nodes();
    const gone = new Set(all.flatMap(({ leavers }) => leavers));
    return all.filter(
      ({ heir, leavers }) =>
        members.includes(heir) && !gone.has(heir) && leavers.some((leaver) => members.includes(leaver)),
    );
  }

  #fail(now: Instant): void {
    this.#attempt = undefined;
    const pauseMs = PAUSE_MS * 2 ** Math.min(this.#failures, PAUSE_DOUBLINGS_MAX);
    this.#failures += 1;
    this.#notBeforeMs = now.steadyMs + pauseMs * (1 + this.#parts.random());
  }

  #nodes(): NodeId[] {
    return this.#parts.view().members.map(({ node }) => node);
  }
}

/** Which member left to which, as it came with the fences; what they claim to write says the rest. */
function handoversOf(fences: ReadonlyMap<NodeId, Of<"fenced">>): Handover[] {
  return [...fences].map(([heir, { leavers }]) => ({ heir, leavers, accounts: [], rows: [] }));
}

/**
 * The nodes that may return and report what they held. None, where a member that stays may lack gifts that it was
 * given, while its own sessions rest on them: the returned node's rows would have them, and they would seem to have
 * reached no node.
 */
function returningOf({ removed, fences }: Attempt, leavers: ReadonlySet<NodeId>): Pick<Removal, "returning"> {
  const answers = [...fences.values()];
  if (answers.some(({ runs, lacksGifts }) => runs === undefined || lacksGifts)) return {};
  const known = answers.flatMap(({ runs = [] }) => runs);
  const newest = (node: NodeId) => Math.max(...known.map(([each, run]) => (each === node ? run : 0)));
  return { returning: removed.filter((node) => !leavers.has(node)).map((node) => [node, newest(node)]) };
}

function isSame(one: Ballot, other: Ballot): boolean {
  return !isAbove(one, other) && !isAbove(other, one);
}
