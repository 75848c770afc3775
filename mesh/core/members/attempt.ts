/**
 * One try to decide the next view (Paxos): its steps in order, and what the answers make of it.
 *
 * A view that drops members, removed or left, first collects fences from every member that stays. Then any change asks
 * the voters to promise, then to accept. A value that a voter has accepted before must be finished; otherwise it is
 * this node's own.
 *
 * With an operator's order that nodes run nowhere, every other member must vote, in place of a majority of the voters.
 * The view's number jumps then: whatever the lost nodes may have decided unseen has another number.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { isSendable } from "../wire/codec.ts";
import type { KeptPledge } from "./ceilings.ts";
import type { Joins } from "./joins.ts";
import type { SessionsOf } from "./longest-session.ts";
import type { MemberMessageBody, Of } from "./member-messages.ts";
import { type Changes, type Dropping, isUnmerged, nextView } from "./next-view.ts";
import { type Accepted, type Ballot, isAbove } from "./paxos.ts";
import { boundOf } from "./pledged-bound.ts";
import type { View } from "./view.ts";
import { majorityOf } from "./voters.ts";

/** Longest time for each step, in ms. Fences carry rows and may come from far away; votes are small. */
const STEP_MS = { fencing: 3_000, preparing: 1_500, accepting: 1_500 };

/** Between copies of a question to members that have not answered, in ms. Round trips around the world take 300. */
const AGAIN_MS = 400;

/** Numbers skipped by a view that an operator's order decided: more than the views that could be decided unseen. */
const FORGETTING_STEP = 1_000_000;

export interface AttemptParts {
  readonly self: NodeId;
  readonly random: () => number;
  readonly joins: Joins;
  /** The view whose successor is sought. */
  readonly view: () => View;
  readonly isAnswering: (node: NodeId, now: Instant) => boolean;
  /** The member to which `node` has left; undefined for one that has not. */
  readonly heirOf: (node: NodeId) => NodeId | undefined;
  /** How long a view keeps the name of a former member. */
  readonly nameKeptMs: () => number;
  /** What the next view is to say of sessions; undefined for the same as this one. */
  readonly nextSessions: (now: Instant) => SessionsOf | undefined;
  /** A newer wire version to move to with a view that changes nothing else; undefined if there is none. */
  readonly nextWire: (now: Instant) => number | undefined;
  /** Whether this node understands the wire version of a view. */
  readonly understands: (view: View) => boolean;
  readonly send: (to: NodeId, message: MemberMessageBody, now: Instant) => void;
  readonly decided: (view: View, now: Instant) => void;
  readonly log: (text: string) => void;
}

/** What a try is for. */
export interface AttemptAim {
  readonly removed: readonly NodeId[];
  /** Members that have left, to be dropped in the same view. */
  readonly left: readonly NodeId[];
  /** Whether the operator has ordered that they run nowhere. */
  readonly isForgetting: boolean;
  readonly ballot: Ballot;
}

export class Attempt {
  readonly removed: readonly NodeId[];
  readonly isForgetting: boolean;
  readonly #parts: AttemptParts;
  readonly #left: readonly NodeId[];
  readonly #dropped: readonly NodeId[];
  readonly #ballot: Ballot;
  #step: "fencing" | "preparing" | "accepting";
  #stepMs: number;
  #askedMs: number;
  readonly #fences = new Map<NodeId, Of<"fenced">>();
  #dropping: Dropping | undefined;
  readonly #promises = new Map<NodeId, Accepted | null>();
  /** By node that has promised: what it knows of pledges. */
  readonly #pledges = new Map<NodeId, readonly KeptPledge[]>();
  #value: View | undefined;
  /** Nodes that no voter may have heard; none where a value is finished that was accepted before. */
  #removes: readonly NodeId[] = [];
  readonly #votes = new Set<NodeId>();

  constructor(parts: AttemptParts, { removed, left, isForgetting, ballot }: AttemptAim, now: Instant) {
    this.#parts = parts;
    this.removed = removed;
    this.#left = left;
    this.#dropped = [...removed, ...left];
    this.isForgetting = isForgetting;
    this.#ballot = ballot;
    this.#step = this.#dropped.length > 0 ? "fencing" : "preparing";
    this.#stepMs = now.steadyMs;
    this.#askedMs = now.steadyMs;
  }

  /** Whether a step has taken too long. */
  isOverdue(now: Instant): boolean {
    return now.steadyMs - this.#stepMs >= STEP_MS[this.#step];
  }

  isOf(ballot: Ballot): boolean {
    return isSame(ballot, this.#ballot);
  }

  /** Asks those that have not answered again, if that is due. */
  askAgain(now: Instant): void {
    if (now.steadyMs - this.#askedMs >= AGAIN_MS) this.ask(now);
  }

  /**
   * Asks the members that have not answered the question of this step; itself last, as its answer may be the last one
   * needed.
   */
  ask(now: Instant): void {
    const { self, send } = this.#parts;
    this.#askedMs = now.steadyMs;
    const message = this.#question();
    if (message === undefined) return;
    const asked = this.#step === "fencing" ? this.#fencing() : this.#voting();
    for (const node of asked) if (node !== self) send(node, message, now);
    if (asked.includes(self)) send(self, message, now);
  }

  #question(): MemberMessageBody | undefined {
    const [ballot, value, all] = [this.#ballot, this.#value, this.isForgetting];
    if (this.#step === "fencing")
      return { kind: "fence", nodes: [...this.#dropped], left: [...this.#left], isForgetting: all };
    if (this.#step === "preparing") return { kind: "prepare", ballot, all };
    return value && { kind: "accept", ballot, value, all, removes: this.#removes };
  }

  /**
   * Members that must put up a fence and have not: all that stay. For one that has left its heir answers, once more if
   * it had answered before: what the leaver knew of the dropped members must be among what the heir says.
   */
  #fencing(): NodeId[] {
    const leavers = this.#leavers();
    const lacking = this.#nodes().filter(
      (node) => !this.#dropped.includes(node) && !this.#fences.has(node) && !leavers.has(node),
    );
    return [...new Set(lacking.map((node) => this.#parts.heirOf(node) ?? node))];
  }

  /** Members that have left, as it came with the fences. */
  #leavers(): ReadonlySet<NodeId> {
    return new Set([...this.#fences.values()].flatMap(({ leavers }) => leavers));
  }

  /** The members to ask for missing votes. */
  #voting(): NodeId[] {
    const voters = this.isForgetting
      ? this.#nodes().filter((node) => !this.removed.includes(node))
      : this.#parts.view().voters;
    const given = this.#step === "preparing" ? this.#promises : this.#votes;
    const lacking = voters.filter((voter) => !given.has(voter));
    return [...new Set(lacking.map((voter) => this.#parts.heirOf(voter) ?? voter))];
  }

  fenced(from: NodeId, answer: Of<"fenced">, now: Instant): void {
    if (this.#step !== "fencing" || answer.nodes.join() !== this.#dropped.join()) return;
    this.#fences.set(from, answer);
    if (this.#fencing().length > 0) return;
    const leavers = this.#leavers();
    const heir = this.isForgetting
      ? this.#parts.self
      : this.#nodes().find((node) => this.#fences.has(node) && !leavers.has(node));
    if (heir === undefined) return;
    this.#dropping = this.#droppingTo(heir);
    this.#begin("preparing", now);
  }

  /** What the fences say about the nodes that are dropped. */
  #droppingTo(heir: NodeId): Dropping {
    const fences = [...this.#fences];
    const answers = fences.map(([, answer]) => answer);
    return {
      removed: this.removed,
      left: this.#left,
      heir,
      claims: new Map(fences.map(([node, { writes, inPots }]) => [node, { writes, inPots }])),
      copies: answers.flatMap(({ copies }) => copies),
      ...returningOf(this.#parts.view(), this.removed, answers),
    };
  }

  /** Returns whether the try can go on. */
  promised(from: NodeId, promise: Of<"promise">, now: Instant): boolean {
    if (this.#step !== "preparing" || !this.isOf(promise.ballot)) return true;
    for (const [voter, accepted] of promise.votes) this.#promises.set(voter, accepted);
    this.#pledges.set(from, promise.pledges);
    if (!this.#isDecisive(this.#promises)) return true;
    let found: Accepted | undefined;
    for (const accepted of this.#promises.values())
      if (accepted !== null && (found === undefined || isAbove(accepted.ballot, found.ballot))) found = accepted;
    // From a newer release, by which this node was started before: others finish it.
    if (found !== undefined && !this.#parts.understands(found.value)) return false;
    const value = found?.value ?? this.#ownValue(now);
    // A vote for a value that no other node can get would bind its voter for good.
    if (found === undefined && !isSendable(value)) {
      this.#parts.log(`Cannot propose view ${value.number} as it is larger than a message`);
      return false;
    }
    this.#value = value;
    this.#removes = found === undefined && !this.isForgetting ? this.removed : [];
    this.#begin("accepting", now);
    return true;
  }

  accepted(vote: Of<"accepted">, now: Instant): void {
    if (this.#step !== "accepting" || !this.isOf(vote.ballot)) return;
    for (const voter of vote.voters) this.#votes.add(voter);
    if (this.#value !== undefined && this.#isDecisive(this.#votes)) this.#parts.decided(this.#value, now);
  }

  #begin(step: "preparing" | "accepting", now: Instant): void {
    this.#step = step;
    this.#stepMs = now.steadyMs;
    this.ask(now);
  }

  /** Whether `voters` are enough: a majority or, with the operator's order for those lost, all others. */
  #isDecisive(voters: { has(voter: NodeId): boolean }): boolean {
    if (this.isForgetting) return this.#nodes().every((node) => this.removed.includes(node) || voters.has(node));
    const all = this.#parts.view().voters;
    return all.filter((voter) => voters.has(voter)).length >= majorityOf(all);
  }

  #ownValue(now: Instant): View {
    const { view, joins, random } = this.#parts;
    const base = view();
    const step = Math.floor(base.number / FORGETTING_STEP) + 1 + random();
    const known = new Set([...base.heirs.map(([account]) => account as string), ...this.#nodes()]);
    // A view that is about something else does not cut their batch short.
    const isTaking = this.#dropping !== undefined || joins.areDue(now.steadyMs);
    const joiners = (isTaking ? joins.batch(now.steadyMs) : []).filter(({ node }) => !known.has(node));
    const dropping = this.#dropping;
    // Not together with other changes: a node that joins may not understand it.
    const wire = dropping === undefined && joiners.length === 0 ? this.#parts.nextWire(now) : undefined;
    const changes: Changes = {
      number: this.isForgetting ? Math.floor(step * FORGETTING_STEP) : base.number + 1,
      nowMs: Math.round(now.wallMs),
      joins: joiners,
      dropping,
      nameKeptMs: this.#parts.nameKeptMs(),
      pledgeOf: (node) => boundOf(node, base.voters, this.#pledges),
      silent: this.#nodes().filter((node) => node !== this.#parts.self && !this.#parts.isAnswering(node, now)),
      sessions: this.#parts.nextSessions(now),
      wire,
    };
    return nextView(base, changes);
  }

  #nodes(): NodeId[] {
    return this.#parts.view().members.map(({ node }) => node);
  }
}

/**
 * The removed node, if it may return and report what it held. Not one of several: what these gave each other may be
 * known to no other node, and in use at one of them. Not one that held a pot, as its account has what is in that. None,
 * where a member that stays may lack gifts that it was given, while its own sessions rest on them.
 */
function returningOf(
  base: View,
  removed: readonly NodeId[],
  answers: readonly Of<"fenced">[],
): Pick<Dropping, "returning"> {
  const [node] = removed;
  if (node === undefined || removed.length > 1) return {};
  if (base.heirs.some(([account, heir]) => heir === node && isUnmerged(base, account))) return {};
  if (answers.some(({ lacksGifts }) => lacksGifts)) return {};
  const known = answers.flatMap(({ runs }) => runs);
  return { returning: [[node, Math.max(0, ...known.map(([each, run]) => (each === node ? run : 0)))]] };
}

function isSame(one: Ballot, other: Ballot): boolean {
  return !isAbove(one, other) && !isAbove(other, one);
}
