/**
 * Whether this node knows that its disk is not an old copy, and what operators have decided meanwhile.
 *
 * An old disk lacks gifts and counts that others know. So after a start a node does nothing with slots before a member
 * that is sure of its own disk has said what it knows about this node's rows. Registers are compared in the same way.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Members } from "../../mesh/core/members/members.ts";

/** After a member has said what it knows about this node's rows, questions about them are answered within this time. */
export const IN_STEP_MS = 500;
/** How long a node that has other members waits for one of them, after a start. */
const NOBODY_MS = 10_000;
/** How long registers may differ from those of a peer that was asked, before the known ones count as complete. */
const REGISTERS_MS = 10_000;
export interface OldDiskGuardParts {
  readonly self: NodeId;
  /** Whether this node creates the mesh now. */
  readonly founds: boolean;
  /** Whether there are addresses of other nodes to join by. */
  readonly hasSeeds: boolean;
  /** When the process started. */
  readonly start: Instant;
  readonly members: () => Members;
  /** Peers that are connected. */
  readonly up: ReadonlySet<NodeId>;
  /**
   * Whether members' disks can prove this one to be old, by gifts: not if it is new, or has lost commits with the
   * power.
   */
  readonly asksForGifts: () => boolean;
  readonly now: () => Instant;
}

export class OldDiskGuard {
  readonly #parts: OldDiskGuardParts;
  #isInStep = false;
  #knowsRegisters = false;
  /**
   * By node: when it first said what it knows about all rows, this node's included. Before this node joined counts as
   * well.
   */
  readonly #comparedMs = new Map<NodeId, number>();

  /**
   * Of these, those that were in step when they first spoke. One that came in step later has just started as well, and
   * knows only what is on its own disk.
   */
  readonly #inStepMs = new Map<NodeId, number>();
  /** Members whose disks have no gift of this node that its own disk lacks. */
  readonly #gifted = new Set<NodeId>();

  constructor(parts: OldDiskGuardParts) {
    this.#parts = parts;
  }

  /** Whether it is already known to be in step; avoids another check. */
  get wasInStep(): boolean {
    return this.#isInStep;
  }

  /**
   * Whether this node knows that its disk is not an old one: it has no other member, or has heard what one that is
   * itself in step knows about its rows, and which gifts it has, and has had time to get the answers to its questions.
   * Where all have just started, it has heard all. If no member answers, there is none to be out of step with.
   */
  get isInStep(): boolean {
    if (this.#isInStep) return true;
    const { steadyMs } = this.#parts.now();
    const sinceStartMs = steadyMs - this.#parts.start.steadyMs;
    // A view of one node may be an old one: a node that has others to ask waits for them, unless it has only just
    // begun.
    const mayBeAlone =
      this.#parts.founds || !this.#parts.hasSeeds || (this.#parts.up.size === 0 && sinceStartMs >= NOBODY_MS);
    const others = this.#parts.members().view?.members.filter(({ node }) => node !== this.#parts.self) ?? [];
    const isLongAgo = (atMs = Number.POSITIVE_INFINITY) => steadyMs - atMs >= IN_STEP_MS;
    const hasSaid = (node: NodeId) => isLongAgo(this.#comparedMs.get(node)) && this.#areGiftsKnown(node);
    const isSure = (node: NodeId) => isLongAgo(this.#inStepMs.get(node));
    const isCompared = others.some(({ node }) => hasSaid(node) && isSure(node));
    const haveAllSaid = others.length > 0 && others.every(({ node }) => hasSaid(node));
    const isAlone = this.#parts.members().reach.alive(this.#parts.now()).length <= 1;
    const hasWaited = (isAlone || this.#comparedMs.size > 0) && sinceStartMs >= NOBODY_MS;
    const isFounder = this.#parts.members().view !== undefined && others.length === 0 && mayBeAlone;
    this.#isInStep = isCompared || haveAllSaid || isFounder || hasWaited;
    return this.#isInStep;
  }

  /**
   * Whether this node knows the operators' decisions at other nodes: since the start its registers once equalled a
   * member's, or there is no other member. A register that is refused here because of its time must not keep it waiting
   * for ever.
   */
  get knowsRegisters(): boolean {
    if (this.#knowsRegisters) return true;
    const { founds, hasSeeds, start } = this.#parts;
    const { steadyMs } = this.#parts.now();
    const isLongAgo = (atMs: number) => steadyMs - atMs >= REGISTERS_MS;
    const isAlone = this.#parts.members().view?.members.length === 1 && this.#parts.up.size === 0;
    const hasNobodyToAsk = isAlone && (founds || !hasSeeds || isLongAgo(start.steadyMs));
    const isCompared = this.#parts.members().view !== undefined && [...this.#comparedMs.values()].some(isLongAgo);
    this.#knowsRegisters = hasNobodyToAsk || isCompared;
    return this.#knowsRegisters;
  }

  /** A peer has said what it knows about all rows. `isInStep`: it is sure of its own disk. */
  compared(from: NodeId, isInStep: boolean): void {
    if (this.#isInStep && this.#knowsRegisters) return;
    if (this.#comparedMs.has(from)) return;
    const { steadyMs } = this.#parts.now();
    this.#comparedMs.set(from, steadyMs);
    if (isInStep) this.#inStepMs.set(from, steadyMs);
  }

  /**
   * Whether to ask a member which gifts of this node are on its disk: one that has started since knows nothing else of
   * what this node has published.
   */
  wantsGifts(node: NodeId): boolean {
    return !this.#isInStep && !this.#areGiftsKnown(node) && this.#parts.members().isMember(node);
  }

  #areGiftsKnown(node: NodeId): boolean {
    return this.#gifted.has(node) || !this.#parts.asksForGifts();
  }

  /** The disk has all gifts that a member has. */
  hasGiftsTo(node: NodeId): void {
    this.#gifted.add(node);
  }

  /**
   * The connection to a peer has ended. If it has only just spoken, this node's questions may be lost with it: it says
   * again what it knows, unless its process has ended.
   */
  down(node: NodeId): void {
    const isJustNow = (atMs = Number.NEGATIVE_INFINITY) => this.#parts.now().steadyMs - atMs < IN_STEP_MS;
    if (isJustNow(this.#comparedMs.get(node))) this.#comparedMs.delete(node);
    if (isJustNow(this.#inStepMs.get(node))) this.#inStepMs.delete(node);
  }

  /**
   * The disk refused a commit, so the questions of this turn have not left the node. What peers said before does not
   * count: they say it again.
   */
  questionsLost(): void {
    this.#comparedMs.clear();
    this.#inStepMs.clear();
  }

  /** A member has the same registers. */
  registersAgree(): void {
    this.#knowsRegisters = true;
  }
}
