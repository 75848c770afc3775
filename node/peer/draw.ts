/**
 * One draw at one node: from its commitment to the outcome that all nodes agree on.
 *
 *     commit ──► (start) knew ──► close ──► reveal ──► propose ──► decided
 *
 * The voters of the view take part. Each commits to a secret when the pre-queue begins; notes at the start from whom it
 * has commitments; and reveals its secret once a list of those who are drawn is closed. The first voter that answers
 * closes the list, collects the secrets and proposes the outcome.
 *
 * Outcomes are agreed on by single-decree Paxos in which every voter of the view must promise and accept. Two views
 * that follow each other have voters in common, and a proposer looks for accepted outcomes at all nodes that it has
 * heard of; decision 231 says what follows. A voter that is gone holds the draw up until a view removes it. Then its
 * secret is left out, if it has not revealed it.
 *
 * Nodes send each other what they have done so far, signed, as often as is needed; so anything may be lost, doubled or
 * late. What is promised or accepted is on the disk before it is sent.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import { type Ballot, isAbove as comesAfter } from "../../mesh/core/members/paxos.ts";
import { COMMITMENT_SHAPE, type DrawCommitment, type DrawList } from "../admission/draw/draw-document.ts";
import { commitmentOf, type DrawTerms, drawKeyOf, type Secret, seedOf } from "../admission/draw/draw-seed.ts";
import type { DrawPlan } from "../admission/draw/room-draws.ts";
import { isSignedBy, readStatement, signedStatement } from "../admission/statement.ts";
import { isoOf } from "../iso-time.ts";
import type { Notary } from "../notary.ts";
import { type DrawOutcome, type DrawState, STATE_SHAPE, type StoredDraw } from "./draw-messages.ts";

/**
 * How long a node that commits after the start, as one that has just become a voter, listens for commitments of others.
 * The list, too, is closed so long after the start at all voters: those who joined at the last moment are on their way.
 */
export const SETTLE_MS = 1_000;

/** How long a proposer waits for the others before it tries with a higher ballot. */
const AGAIN_MS = 3_000;

export interface DrawMembers {
  /** The voters of the view, longest-standing first; none without a view. */
  readonly voters: readonly NodeId[];
  isMember(node: NodeId): boolean;
  /** Whether it answers; this node always does. */
  isAnswering(node: NodeId): boolean;
}

export interface DrawParts {
  readonly self: NodeId;
  readonly mesh: string;
  readonly incarnation: number;
  readonly notary: Notary;
  readonly members: DrawMembers;
  /** 64 hexadecimal digits that nobody can guess. */
  readonly newSecret: () => string;
  /** Puts it on the disk before anything is sent. */
  readonly store: (stored: StoredDraw) => void;
  /** The list of those who are drawn, once it is computed; asked again and again until then. */
  readonly list: () => DrawList | undefined;
}

export interface DrawTime {
  readonly roomMs: number;
  readonly steadyMs: number;
}

export class Draw {
  readonly key: string;
  readonly terms: DrawTerms;
  readonly #parts: DrawParts;
  #plan: DrawPlan;
  #secret: string | undefined;
  #own: DrawState;
  #ownText: string | undefined;
  /** By node: its newest state, and the text that it signed. */
  readonly #others = new Map<NodeId, { readonly state: DrawState; readonly text: string }>();
  /** By node: its commitment, as it signed it. */
  readonly #commitments = new Map<NodeId, { readonly said: DrawCommitment; readonly text: string }>();
  #committedMs = Number.NEGATIVE_INFINITY;
  /** Since when the event has begun at every voter that answers, on the steady clock; undefined before. */
  #begunMs: number | undefined;
  #proposedMs = Number.NEGATIVE_INFINITY;
  #seed: string | undefined;

  constructor(plan: DrawPlan, parts: DrawParts, stored?: StoredDraw) {
    this.#parts = parts;
    this.#plan = plan;
    this.terms = termsOf(plan, parts.mesh);
    this.key = drawKeyOf(this.terms);
    this.#secret = stored?.secret;
    this.#own = stored?.state ?? {
      ...{ anteroom: "draw state 1", draw: this.key, node: parts.self, version: 0 },
    };
    for (const text of stored?.commitments ?? []) this.#learnCommitment(text);
  }

  get plan(): DrawPlan {
    return this.#plan;
  }

  /** What all nodes agree on; undefined until then. */
  get outcome(): DrawOutcome | undefined {
    return this.#own.decided;
  }

  /** What the order follows from; undefined until it is decided. */
  get seed(): string | undefined {
    const { decided } = this.#own;
    if (decided !== undefined) this.#seed ??= seedOf(this.terms, decided.secrets, decided.value);
    return this.#seed;
  }

  /** The commitments that are known here, as they were signed. */
  get commitments(): readonly string[] {
    return Array.from(this.#commitments.values(), ({ text }) => text);
  }

  /** The lists that were closed, as their nodes said it. */
  get closed(): readonly (DrawList & { readonly node: NodeId })[] {
    return this.#states.flatMap(({ node, closed }) => (closed === undefined ? [] : [{ node, ...closed }]));
  }

  /** The public value, as it was given at any node; undefined until then. */
  get given(): string | undefined {
    return this.outcome?.value ?? this.#given();
  }

  /** Whether the draw waits for the public value that was announced. */
  isWaitingForValue(roomMs: number): boolean {
    const { announced, startMs } = this.terms;
    return announced !== "" && roomMs >= startMs && this.outcome === undefined && this.#given() === undefined;
  }

  /** Voters for which the draw waits. */
  get missing(): readonly NodeId[] {
    return this.outcome === undefined
      ? this.#parts.members.voters.filter((node) => !this.#parts.members.isAnswering(node))
      : [];
  }

  /** The plan as it is now: the room may have another name, and the event another end. */
  replan(plan: DrawPlan): void {
    if (plan.name === this.#plan.name && plan.endMs === this.#plan.endMs) return;
    this.#plan = plan;
    this.#save();
  }

  /** An operator gives the public value. */
  give(value: string): void {
    this.#change({ given: value });
  }

  /** What this node says: its own state, and those of others that it knows, with their versions. */
  get states(): ReadonlyMap<NodeId, { readonly version: number; readonly text: string }> {
    const states = new Map<NodeId, { version: number; text: string }>();
    for (const [node, { state, text }] of this.#others) states.set(node, { version: state.version, text });
    if (this.#own.version > 0) {
      this.#ownText ??= signedStatement(this.#own, this.#parts.notary);
      states.set(this.#parts.self, { version: this.#own.version, text: this.#ownText });
    }
    return states;
  }

  /** Another node's state, as any node passed it on. Returns whether it is news. */
  hear(text: string): boolean {
    const { self, members, notary } = this.#parts;
    const reading = readStatement(text, STATE_SHAPE);
    if (!("statement" in reading)) return false;
    const { fields: state } = reading.statement;
    if (state.draw !== this.key || state.node === self) return false;
    const before = this.#others.get(state.node)?.state.version ?? 0;
    if (state.version <= before || !isSignedBy(reading.statement, state.node, notary)) return false;
    // From a node that was removed meanwhile, only the outcome and what it said before counts.
    if (!members.isMember(state.node) && state.decided === undefined) {
      // A node that came after the outcome needs the commitments for the file.
      if (this.outcome !== undefined && this.#learnCommitment(state.commitment)) this.#save();
      return false;
    }
    this.#others.set(state.node, { state, text });
    if (this.#learnCommitment(state.commitment)) this.#save();
    return true;
  }

  /**
   * Does what is due. Call it often, and after anything was heard. `isHeld`: whether the room still has the event; if
   * not, this node only learns what the others have decided.
   */
  tick(now: DrawTime, isHeld = true): void {
    if (this.outcome !== undefined) return;
    const { voters, isVoter } = this.#voters;
    this.#adopt();
    if (!isHeld || now.roomMs < this.#plan.prequeueMs) return;
    if (isVoter) this.#commit(now);
    // A member that has lost its vote since it committed still owes its secret: the others wait for that.
    if (this.#own.commitment === undefined || now.roomMs < this.terms.startMs) return;
    this.#note(now);
    if (isVoter) this.#close(voters, now);
    this.#reveal();
    if (!isVoter) return;
    this.#vote(voters);
    this.#propose(voters, now);
    this.#count(voters);
  }

  get #voters(): { readonly voters: readonly NodeId[]; readonly isVoter: boolean } {
    const { voters } = this.#parts.members;
    return { voters, isVoter: voters.includes(this.#parts.self) };
  }

  #stateOf(node: NodeId): DrawState | undefined {
    return node === this.#parts.self ? this.#own : this.#others.get(node)?.state;
  }

  get #states(): readonly DrawState[] {
    return [this.#own, ...Array.from(this.#others.values(), ({ state }) => state)];
  }

  #commit(now: DrawTime): void {
    if (this.#own.commitment !== undefined) return;
    this.#secret = this.#parts.newSecret();
    const { mesh, room, event, startMs, announced } = this.terms;
    const said: DrawCommitment = {
      ...{ anteroom: "draw commitment 1", mesh, room, event, start: isoOf(startMs), announced },
      ...{ commitment: commitmentOf(this.#secret), made: isoOf(now.roomMs), node: this.#parts.self },
    };
    const text = signedStatement(said, this.#parts.notary);
    this.#commitments.set(said.node, { said, text });
    this.#committedMs = now.steadyMs;
    this.#change({ commitment: text });
  }

  /** From the start on no other commitment counts: its node could choose its secret by those of others. */
  #note(now: DrawTime): void {
    if (this.#own.knew !== undefined || now.steadyMs - this.#committedMs < SETTLE_MS) return;
    this.#change({ knew: [...this.#commitments.keys()].sort() });
  }

  #close(voters: readonly NodeId[], now: DrawTime): void {
    if (this.#own.closed !== undefined || !this.#isFirst(voters)) return;
    this.#begunMs = this.#hasBegun(voters) ? (this.#begunMs ?? now.steadyMs) : undefined;
    if (this.#begunMs === undefined || now.steadyMs - this.#begunMs < SETTLE_MS) return;
    const closed = this.#parts.list();
    if (closed !== undefined) this.#change({ closed });
  }

  /**
   * Clocks differ by some seconds, and until the start by its own clock a node gives places to visitors who are drawn.
   */
  #hasBegun(voters: readonly NodeId[]): boolean {
    const { self, members } = this.#parts;
    const heard = voters.filter((node) => node === self || members.isAnswering(node));
    return heard.every((node) => this.#stateOf(node)?.knew !== undefined);
  }

  /** Whether this node is the first voter that answers: the others leave it to that one. */
  #isFirst(voters: readonly NodeId[]): boolean {
    return voters.find((node) => this.#parts.members.isAnswering(node)) === this.#parts.self;
  }

  #reveal(): void {
    if (this.#own.secret !== undefined || this.#own.knew === undefined || this.#secret === undefined) return;
    if (this.#states.some(({ closed }) => closed !== undefined)) this.#change({ secret: this.#secret });
  }

  /** Promises the highest ballot that it has heard of, and accepts what its node proposes by it. */
  #vote(voters: readonly NodeId[]): void {
    if (this.#own.knew === undefined) return;
    for (const node of voters) {
      const { promised, accepted } = this.#others.get(node)?.state ?? {};
      if (promised !== undefined && isAbove(promised, this.#own.promised)) this.#change({ promised });
      const isProposed = accepted !== undefined && accepted.ballot[2] === node;
      if (!isProposed || isAbove(this.#own.promised, accepted.ballot)) continue;
      if (isAbove(accepted.ballot, this.#own.accepted?.ballot)) this.#change({ promised: accepted.ballot, accepted });
    }
  }

  #propose(voters: readonly NodeId[], now: DrawTime): void {
    const { self, incarnation } = this.#parts;
    const { promised, accepted, closed } = this.#own;
    if (closed === undefined || !this.#isFirst(voters)) return;
    const isMine = promised?.[2] === self && promised[1] === incarnation;
    const isStuck = now.steadyMs - this.#proposedMs >= AGAIN_MS;
    if (isStuck && (!isMine || !isSame(accepted?.ballot, promised))) {
      // Nobody is asked before there is something to propose.
      if (this.#proposal(voters, closed) === undefined && this.#found === undefined) return;
      this.#proposedMs = now.steadyMs;
      const round = Math.max(0, ...this.#states.map(({ promised: each }) => each?.[0] ?? 0)) + 1;
      this.#change({ promised: [round, incarnation, self] });
    }
    const ballot = this.#own.promised;
    if (ballot === undefined || ballot[2] !== self || isSame(this.#own.accepted?.ballot, ballot)) return;
    if (!voters.every((node) => isSame(this.#stateOf(node)?.promised, ballot))) return;
    const outcome = this.#found ?? this.#proposal(voters, closed);
    if (outcome !== undefined) this.#change({ accepted: { ballot, outcome } });
  }

  /** What was accepted by the highest ballot, at any node that was heard: it may be decided already. */
  get #found(): DrawOutcome | undefined {
    let found: DrawState["accepted"];
    for (const { accepted } of this.#states)
      if (accepted !== undefined && isAbove(accepted.ballot, found?.ballot)) found = accepted;
    return found?.outcome;
  }

  /** The outcome by what is known here; undefined while a member's secret, or the public value, is still to come. */
  #proposal(voters: readonly NodeId[], list: DrawList): DrawOutcome | undefined {
    const knew = voters.map((node) => this.#stateOf(node)?.knew);
    const candidates = (this.#own.knew ?? []).filter((node) => knew.every((known) => known?.includes(node) === true));
    if (knew.includes(undefined)) return undefined;
    const secrets = candidates.flatMap((node): Secret[] => {
      const secret = this.#stateOf(node)?.secret;
      const isRight = secret !== undefined && this.#commitments.get(node)?.said.commitment === commitmentOf(secret);
      return isRight ? [[node, secret]] : [];
    });
    const revealed = new Set(secrets.map(([node]) => node));
    if (candidates.some((node) => !revealed.has(node) && this.#parts.members.isMember(node))) return undefined;
    const value = this.terms.announced === "" ? "" : this.#given();
    return value === undefined ? undefined : { secrets, value, list };
  }

  /** Of several nodes at which it was given, that of the lowest id: they should have been given the same. */
  #given(): string | undefined {
    const given = this.#states.filter((state) => state.given !== undefined);
    return given.sort((one, other) => (one.node < other.node ? -1 : 1))[0]?.given;
  }

  /** Whether every voter has accepted one ballot. */
  #count(voters: readonly NodeId[]): void {
    const { accepted } = this.#own;
    if (accepted === undefined) return;
    if (voters.every((node) => isSame(this.#stateOf(node)?.accepted?.ballot, accepted.ballot)))
      this.#change({ decided: accepted.outcome });
  }

  /** Another node knows the outcome. */
  #adopt(): void {
    const known = this.#states.find(({ decided }) => decided !== undefined)?.decided;
    if (known !== undefined) this.#change({ decided: known });
  }

  /** A commitment is the first one that its node has signed for this draw. */
  #learnCommitment(text: string | undefined): boolean {
    if (text === undefined) return false;
    const reading = readStatement(text, COMMITMENT_SHAPE);
    if (!("statement" in reading)) return false;
    const { fields: said } = reading.statement;
    const { mesh, room, event, startMs, announced } = this.terms;
    const isOfThis = said.mesh === mesh && said.room === room && said.event === event && said.start === isoOf(startMs);
    if (!isOfThis || said.announced !== announced || this.#commitments.has(said.node)) return false;
    if (!isSignedBy(reading.statement, said.node, this.#parts.notary)) return false;
    this.#commitments.set(said.node, { said, text });
    return true;
  }

  #change(change: Partial<DrawState>): void {
    this.#own = { ...this.#own, ...change, version: this.#own.version + 1 };
    this.#ownText = undefined;
    this.#save();
  }

  #save(): void {
    this.#parts.store({
      plan: this.#plan,
      ...(this.#secret !== undefined && { secret: this.#secret }),
      state: this.#own,
      commitments: this.commitments,
    });
  }
}

export function termsOf({ room, event, startMs, announced }: DrawPlan, mesh: string): DrawTerms {
  return { mesh, room, event, startMs, announced };
}

/** Whether ballot `one` comes after `other`; every ballot comes after none. */
function isAbove(one: Ballot | undefined, other: Ballot | undefined): boolean {
  return one !== undefined && (other === undefined || comesAfter(one, other));
}

function isSame(one: Ballot | undefined, other: Ballot | undefined): boolean {
  return one !== undefined && other !== undefined && !isAbove(one, other) && !isAbove(other, one);
}
