/**
 * The node that brings about the next view: when one is needed, and which node begins.
 *
 * The longest-standing member that answers begins; others only after a while, because a member that has fenced, promised
 * or voted must see a decision. Failed tries are repeated after a random pause that doubles, so duels end. attempt.ts has
 * the steps of a try, removals-due.ts says which members are to be removed.
 *
 * `forget` uses the operator's order in place of the votes of lost nodes: then every other member must vote. Any
 * majority of voters includes one of those (unless all of it is lost, and then no node is left that knows what it
 * decided), so nothing is decided twice.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { Attempt, type AttemptParts } from "./attempt.ts";
import { ForgetOrder, type ForgetRefusal, type Waiting, type Word } from "./forget-order.ts";
import type { Of } from "./member-messages.ts";
import type { Ballot } from "./paxos.ts";
import { RemovalsDue, type RemovalsDueParts } from "./removals-due.ts";

/** First pause after a failed try, in ms, and how often it doubles; chance adds as much again. */
const PAUSE_MS = 100;
const PAUSE_DOUBLINGS_MAX = 4;

/**
 * How long members other than the longest-standing one wait before they begin themselves, in ms; chance adds up to
 * half.
 */
const PATIENCE_VOTED_MS = 1_500;
const PATIENCE_MS = 5_000;

/** Said of an order that ends before its outcome is known. */
const MAY_BE_VOTED_ON = "members may have voted on it: then it is carried out all the same";

export interface ProposerParts extends AttemptParts, RemovalsDueParts {
  readonly incarnation: number;
  /** Whether `node` answers, or was heard so lately that it may. */
  readonly mayAnswer: (node: NodeId, now: Instant) => boolean;
  /** Whether this node has accepted something, or put up a fence, and the outcome is open. */
  readonly hasVoted: () => boolean;
  readonly hasFenced: () => boolean;
  /** Whether this node has given a promise for the next view. */
  readonly hasPromised: () => boolean;
  /** Whether this node has put up a fence against `node`. */
  readonly isFenced: (node: NodeId) => boolean;
  readonly log: (text: string) => void;
}

export class Proposer {
  readonly #parts: ProposerParts;
  readonly #due: RemovalsDue;
  #attempt: Attempt | undefined;
  #round = 0;
  #failures = 0;
  #notBeforeMs = 0;
  /** Since when something is to be decided, and the patience that chance has given this node. */
  #wanted: { readonly sinceMs: number; readonly share: number } | undefined;
  readonly #order = new ForgetOrder();

  constructor(parts: ProposerParts) {
    this.#parts = parts;
    this.#due = new RemovalsDue(parts);
  }

  /** Accepts the operator's order for nodes, in addition to earlier ones. */
  forget(word: Word, now: Instant): void {
    const before = this.#ordered;
    this.#order.add(word, now);
    this.#orderChanged(before);
  }

  /**
   * Whether members may have voted to forget one of these nodes, by an order at any member. Before the first vote, each
   * member that stays has fenced the node and given a promise: one that has not done both knows that there is none.
   */
  mayBeVotedOn(nodes: readonly NodeId[]): boolean {
    return this.#parts.hasPromised() && nodes.some((node) => this.#parts.isFenced(node));
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

  /** The successor is known: everything starts over. */
  begin(): void {
    const members = this.#nodes();
    this.#attempt = undefined;
    this.#failures = 0;
    this.#notBeforeMs = 0;
    this.#wanted = undefined;
    this.#due.begin();
    this.#order.endWhere(({ nodes, refusal }) => (nodes.some((node) => members.includes(node)) ? refusal : {}));
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
    if (attempt.isOverdue(now)) this.#fail(now);
    else attempt.askAgain(now);
  }

  /** An order ends when its time is over or when one of its nodes is back. */
  #lookAtOrder(now: Instant): void {
    if (this.#order.isEmpty) return;
    const ordered = this.#ordered;
    this.#takeBack(({ nodes, untilMs, forMs, refusal }) => {
      if (refusal !== undefined)
        return now.steadyMs < untilMs ? undefined : { reason: "not-agreed", problem: "it is back" };
      const back = nodes.filter((node) => ordered.includes(node) && this.#parts.mayAnswer(node, now));
      if (back.length > 0) return { reason: "answers", problem: `${back.join(", ")} answers` };
      if (now.steadyMs < untilMs) return undefined;
      const missing = this.missing(ordered, now);
      return missing.length > 0
        ? { reason: "others-silent", problem: `${missing.join(", ")} did not answer within ${forMs / 1_000} s` }
        : { reason: "not-agreed", problem: `not all other members agreed within ${forMs / 1_000} s` };
    });
  }

  /**
   * Orders for which `why` gives a reason are no longer tried. What has been voted on is carried out all the same: if
   * there may be votes, an order whose node is back ends when the next view is known.
   */
  #takeBack(why: (word: Waiting) => ForgetRefusal | undefined): void {
    const before = this.#ordered;
    const open: [Waiting, ForgetRefusal][] = [];
    this.#order.endWhere((word) => {
      const found = why(word);
      if (found === undefined) return undefined;
      const mayBeVotedOn = this.mayBeVotedOn(word.nodes);
      const problem = `Cannot forget ${word.nodes.join(", ")} as ${found.problem}`;
      const inFull = `${problem}; ${mayBeVotedOn ? MAY_BE_VOTED_ON : "the order is withdrawn"}`;
      this.#parts.log(inFull);
      if (!mayBeVotedOn) return { ...found, problem };
      if (found.reason !== "answers") return { ...found, problem: inFull };
      open.push([word, { ...found, problem }]);
      return undefined;
    });
    for (const [word, refusal] of open) this.#order.leaveOpen(word, refusal);
    this.#orderChanged(before);
  }

  /** A try is given up if it is for other nodes than those to be forgotten now. */
  #orderChanged(before: readonly NodeId[]): void {
    const nodes = this.#ordered;
    if (before.join() === nodes.join()) return;
    if (this.#attempt?.isForgetting === true || nodes.length > before.length) this.#attempt = undefined;
    this.#notBeforeMs = 0;
  }

  /** See `RemovalsDue.removalInMs`. */
  removalInMs(silent: readonly NodeId[], now: Instant): number | undefined {
    return this.#due.removalInMs(silent, now);
  }

  /** See `RemovalsDue.missing`. */
  missing(nodes: readonly NodeId[], now: Instant): NodeId[] {
    return this.#due.missing(nodes, now);
  }

  /** Begins if something is to be decided and it is this node's turn. */
  #consider(now: Instant): void {
    const { self, isAnswering, heirOf, joins, hasVoted, hasPromised, hasFenced, random } = this.#parts;
    const ordered = this.#ordered;
    if (ordered.length > 0 && this.missing(ordered, now).length === 0) {
      this.#begin(ordered, true, now);
      return;
    }
    const removable = this.#due.removable(now);
    const areJoinsDue = joins.areDue(now.steadyMs) && !this.#due.areTooManySilent(now);
    const left = this.#left(removable, now);
    const isNewlySaid = this.#parts.nextWire(now) !== undefined || this.#parts.nextSessions(now) !== undefined;
    const isWanted = removable.length > 0 || areJoinsDue || left.length > 0 || isNewlySaid;
    if (!isWanted && !hasPromised() && !hasFenced()) {
      this.#wanted = undefined;
      return;
    }
    this.#wanted ??= { sinceMs: now.steadyMs, share: 1 + random() / 2 };
    const waitedMs = now.steadyMs - this.#wanted.sinceMs;
    const longestStanding = this.#nodes().find(
      (node) => node === self || (isAnswering(node, now) && heirOf(node) === undefined),
    );
    const isLongestStanding = longestStanding === self;
    const patienceMs = isLongestStanding ? 0 : (hasVoted() ? PATIENCE_VOTED_MS : PATIENCE_MS) * this.#wanted.share;
    // Fences of a removal that was given up keep healthy members apart, and who has promised acknowledges no pledge: a
    // view that changes nothing ends both soon. Not while members are silent: a removal may be due for these, and has
    // use for the fences.
    const isRemoving = !isWanted && !hasVoted() && this.missing([], now).length > 0;
    if (waitedMs < (isRemoving ? 3 * this.#parts.leaseMs * this.#wanted.share : patienceMs)) return;
    this.#begin(removable, false, now);
  }

  #begin(removed: readonly NodeId[], isForgetting: boolean, now: Instant): void {
    const { self, incarnation, log } = this.#parts;
    const ballot: Ballot = [++this.#round, incarnation, self];
    const left = this.#left(removed, now);
    const attempt = new Attempt(this.#parts, { removed, left, isForgetting, ballot }, now);
    this.#attempt = attempt;
    if (removed.length > 0) log(`${isForgetting ? "forgetting" : "removing"} ${removed.join(", ")}`);
    attempt.ask(now);
  }

  fenced(from: NodeId, answer: Of<"fenced">, now: Instant): void {
    this.#attempt?.fenced(from, answer, now);
  }

  /** `from` will not fence these nodes, because it has heard them. */
  heard(from: NodeId, nodes: readonly NodeId[], now: Instant): void {
    this.#due.noteHeard(nodes, now);
    const attempt = this.#attempt;
    if (attempt === undefined || !nodes.some((node) => attempt.removed.includes(node))) return;
    if (attempt.isForgetting) {
      const problem = `${from} hears ${nodes.join(", ")}`;
      const isHeard = (word: Word) => word.nodes.some((node) => nodes.includes(node));
      this.#takeBack((word) => (isHeard(word) ? { reason: "answers", problem } : undefined));
    } else this.#fail(now);
  }

  promised(from: NodeId, promise: Of<"promise">, now: Instant): void {
    if (this.#attempt?.promised(from, promise, now) === false) this.#fail(now);
  }

  accepted(vote: Of<"accepted">, now: Instant): void {
    this.#attempt?.accepted(vote, now);
  }

  refused({ ballot, promised, heard }: Of<"refusal">, now: Instant): void {
    if (promised !== undefined) this.saw(promised);
    if (!this.#attempt?.isOf(ballot)) return;
    this.#due.noteHeard(heard, now);
    this.#fail(now);
  }

  /** A ballot of another node: own ones should be above it. */
  saw([round]: Ballot): void {
    this.#round = Math.max(this.#round, round);
  }

  /**
   * Members that have left and can be dropped now, together with `removed`: all others must answer, as they say what
   * they gave the leaver. So a leave waits for a silent member, and both are dropped in one view.
   */
  #left(removed: readonly NodeId[], now: Instant): NodeId[] {
    const left = this.#nodes().filter((node) => !removed.includes(node) && this.#parts.heirOf(node) !== undefined);
    return left.length > 0 && this.missing(removed, now).length === 0 ? left : [];
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
