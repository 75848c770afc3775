/**
 * Which members are to be removed, and when: those that have been silent for longer than a lease, where all others are
 * there and a majority of the voters is among these.
 *
 * A node that another member has heard lately is not removed: it may only be cut off from this one.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { WITHOUT_LEASE_MAX } from "./authority-to-act.ts";
import type { View } from "./view.ts";
import { majorityOf } from "./voters.ts";

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

export interface RemovalsDueParts {
  readonly self: NodeId;
  readonly leaseMs: number;
  /** The view whose successor is sought. */
  readonly view: () => View;
  /** Whether `node` answers, or others hear it. */
  readonly isThere: (node: NodeId, now: Instant) => boolean;
  /** How long nothing has been heard from `node`; 0 for this node. */
  readonly quietMs: (node: NodeId, now: Instant) => number;
  /** The member to which `node` has left; undefined for one that has not. */
  readonly heirOf: (node: NodeId) => NodeId | undefined;
}

export class RemovalsDue {
  readonly #parts: RemovalsDueParts;
  /** Nodes that other members have heard, and until when they are therefore not removed. */
  readonly #heardUntilMs = new Map<NodeId, number>();

  constructor(parts: RemovalsDueParts) {
    this.#parts = parts;
  }

  /** There is a new view: what was heard of others than its members counts no more. */
  begin(): void {
    const members = this.#nodes();
    for (const node of this.#heardUntilMs.keys()) if (!members.includes(node)) this.#heardUntilMs.delete(node);
  }

  /** Other members have heard these nodes. */
  noteHeard(nodes: readonly NodeId[], now: Instant): void {
    const members = this.#nodes();
    for (const node of nodes)
      if (members.includes(node)) this.#heardUntilMs.set(node, now.steadyMs + this.#parts.leaseMs);
  }

  /** Silent members that must be removed and can be: all others are there, a majority of voters among them. */
  removable(now: Instant): NodeId[] {
    const { self, view, isThere: isHeard, heirOf } = this.#parts;
    const { members, voters } = view();
    if (members.length <= WITHOUT_LEASE_MAX) return [];
    const isDue = (node: NodeId) => node !== self && !isHeard(node, now) && this.#dueInMs(node, now) <= 0;
    const quiet = this.#nodes().filter(isDue);
    if (quiet.length === 0) return [];
    const due = quiet.filter((node) => {
      const heir = heirOf(node);
      return heir === undefined || (heir !== self && isDue(heir));
    });
    if (due.length === 0) return [];
    const isThere = (node: NodeId) => {
      const host = heirOf(node) ?? node;
      return host === self || (isHeard(host, now) && !due.includes(host));
    };
    if (!this.#nodes().every((node) => due.includes(node) || isThere(node))) return [];
    return voters.filter(isThere).length >= majorityOf(voters) ? due : [];
  }

  /**
   * Ms until members that do not answer are removed, if they stay silent; 0 or less if that is due and others still
   * hear one of them. Undefined if it is impossible: no majority of voters is left, or the view is too small.
   */
  removalInMs(silent: readonly NodeId[], now: Instant): number | undefined {
    const { view, heirOf } = this.#parts;
    const { members, voters } = view();
    if (members.length <= WITHOUT_LEASE_MAX) return undefined;
    const there = voters.filter((voter) => !silent.includes(heirOf(voter) ?? voter));
    if (there.length < majorityOf(voters)) return undefined;
    return Math.max(...silent.map((node) => this.#dueInMs(node, now)));
  }

  /**
   * Whether more members are silent than may be while others join: they are removed first. Otherwise a node that
   * starts, joins and dies again and again would leave members behind faster than any can be removed, since all members
   * that stay must answer for a removal.
   */
  areTooManySilent(now: Instant): boolean {
    return this.missing([], now).length > this.#nodes().length * SILENT_PART_MAX;
  }

  /** Members other than `nodes` that are not there: for a removal by the operator's order, all must be. */
  missing(nodes: readonly NodeId[], now: Instant): NodeId[] {
    const { self, isThere, heirOf } = this.#parts;
    return this.#nodes().filter((node) => {
      const host = heirOf(node) ?? node;
      return !nodes.includes(node) && (nodes.includes(host) || (host !== self && !isThere(host, now)));
    });
  }

  /** Ms until `node` has been silent for long enough to be removed, if it stays so; 0 or less if it has. */
  #dueInMs(node: NodeId, now: Instant): number {
    const { quietMs, leaseMs } = this.#parts;
    const silenceMs = leaseMs * (1 + SILENCE_OF_LEASE) + SILENCE_MS;
    return Math.max(silenceMs - quietMs(node, now), (this.#heardUntilMs.get(node) ?? 0) - now.steadyMs);
  }

  #nodes(): NodeId[] {
    return this.#parts.view().members.map(({ node }) => node);
  }
}
