/** Which members answer, as far as this node can tell (the failure detector's view): it pings all of them. */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { MemberParts } from "./member-parts.ts";

export type MemberState = "alive" | "unreachable" | "left" | "removed";

export interface ReachabilityOptions {
  /** Whether this node is leaving. */
  readonly isStopped: () => boolean;
}

export class Reachability {
  readonly #parts: MemberParts;
  readonly #options: ReachabilityOptions;
  /** Peers that are connected. */
  readonly #up = new Set<NodeId>();

  constructor(parts: MemberParts, options: ReachabilityOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Peers that are connected, members or not. */
  get connected(): ReadonlySet<NodeId> {
    return this.#up;
  }

  up(node: NodeId): void {
    this.#up.add(node);
    this.#parts.heartbeats.hurry(node);
  }

  down(node: NodeId): void {
    this.#up.delete(node);
    this.#parts.heartbeats.lost(node);
  }

  state(node: NodeId, now: Instant): MemberState {
    if (node === this.#parts.self && this.#parts.tenure.over === undefined && this.#parts.book.nodes.has(node))
      return this.#options.isStopped() ? "left" : "alive";
    if (!this.#parts.book.nodes.has(node)) return this.#parts.succession.howGone(node);
    if (this.#parts.succession.heirOf(node) !== undefined) return "left";
    return this.#parts.heartbeats.isAnswering(node, now) && !this.#parts.fences.has(node) ? "alive" : "unreachable";
  }

  /** Members that answer, this node included; those that have left are not. */
  alive(now: Instant): NodeId[] {
    return [...this.#parts.book.nodes].filter((node) => this.state(node, now) === "alive");
  }

  /** Whether a member is of this node's locality. */
  isNear(node: NodeId): boolean {
    return this.#parts.book.localityOf(node) === this.#parts.locality;
  }

  /** Members that do not answer, with how long nothing was heard from them in ms. */
  silent(now: Instant): { readonly node: NodeId; readonly quietMs: number }[] {
    const silent = [...this.#parts.book.nodes].filter((node) => this.state(node, now) === "unreachable");
    return silent.map((node) => ({ node, quietMs: this.#parts.heartbeats.quietMs(node, now) ?? 0 }));
  }

  /** Whether a node answers, or was heard so lately that it may. */
  mayAnswer(node: NodeId, now: Instant): boolean {
    return this.#parts.heartbeats.mayAnswer(node, now);
  }

  /**
   * Whether a node may have been heard within a lease, by this process or an earlier one of its identity, or is this
   * one.
   */
  mayHaveHeard(node: NodeId, now: Instant): boolean {
    if (this.#parts.heartbeats.isUnheard(node)) return false;
    return (this.#parts.heartbeats.quietMs(node, now) ?? 0) < this.#parts.leaseMs;
  }

  /** Exchanges heartbeats with all other members of the view. */
  follow(now: Instant): void {
    this.#parts.heartbeats.follow(this.#parts.book.others, now);
  }
}
