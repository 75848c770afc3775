/**
 * Which members answer, as far as this node can tell (the failure detector's view).
 *
 * In a small mesh it pings all of them. In a mesh with two tiers it pings its locality and the voters, on whose answers
 * leases depend, and relies on the speakers of other localities for the rest. A removal depends only on heartbeats.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { MemberParts } from "./member-parts.ts";
import { hasTwoTiers, SIZES, type Sizes, speakerOf } from "./tiers.ts";

export type MemberState = "alive" | "unreachable" | "left" | "removed";

export interface ReachabilityOptions {
  /** From which size on the mesh has two tiers. */
  readonly sizes: Sizes | undefined;
  /** Whether this node is leaving. */
  readonly isStopped: () => boolean;
}

export class Reachability {
  readonly #parts: MemberParts;
  readonly #options: ReachabilityOptions;
  /** Peers that are connected. */
  readonly #up = new Set<NodeId>();
  /** Nodes of other localities that do not answer there, according to a speaker. */
  readonly #silent = new Set<NodeId>();
  #hasTwoTiers = false;
  #farVersion = 0;

  constructor(parts: MemberParts, options: ReachabilityOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Peers that are connected, members or not. */
  get connected(): Iterable<NodeId> {
    return this.#up;
  }

  up(node: NodeId): void {
    this.#up.add(node);
    this.#farVersion += 1;
    this.#parts.heartbeats.hurry(node);
  }

  down(node: NodeId): void {
    this.#up.delete(node);
    this.#farVersion += 1;
    this.#parts.heartbeats.lost(node);
  }

  /** A member may count as come or gone for another reason. */
  changed(): void {
    this.#farVersion += 1;
  }

  /** Changes whenever a node of another locality may have come or gone, in a mesh with two tiers. */
  get farVersion(): number {
    return this.#farVersion;
  }

  /** Whether the mesh is so large that this node hears about other localities from their speakers. */
  get hasTwoTiers(): boolean {
    return this.#hasTwoTiers;
  }

  state(node: NodeId, now: Instant): MemberState {
    if (node === this.#parts.self && this.#parts.tenure.over === undefined && this.#parts.book.nodes.has(node))
      return this.#options.isStopped() ? "left" : "alive";
    if (!this.#parts.book.nodes.has(node)) return this.#parts.succession.howGone(node);
    if (this.#parts.succession.heirOf(node) !== undefined) return "left";
    return this.isThere(node, now) && !this.#parts.fences.has(node) ? "alive" : "unreachable";
  }

  /** Members that answer, this node included; those that have left are not. */
  alive(now: Instant): NodeId[] {
    return [...this.#parts.book.nodes].filter((node) => this.state(node, now) === "alive");
  }

  /** Whether a member is of this node's locality. */
  isNear(node: NodeId): boolean {
    return this.#parts.book.localityOf(node) === this.#parts.locality;
  }

  /** Members of this node's locality that answer, itself included. */
  near(now: Instant): NodeId[] {
    const nodes = this.#parts.book.byLocality.get(this.#parts.locality) ?? [];
    return nodes.filter((node) => this.state(node, now) === "alive");
  }

  /** The speaker of this node's locality, as far as it knows. */
  isSpeaker(now: Instant): boolean {
    return speakerOf(this.#parts.locality, this.near(now)) === this.#parts.self;
  }

  /**
   * Members that do not answer, with how long nothing was heard from them in ms: undefined where other members listen
   * to them.
   */
  silent(now: Instant): { readonly node: NodeId; readonly quietMs: number | undefined }[] {
    const silent = [...this.#parts.book.nodes].filter((node) => this.state(node, now) === "unreachable");
    return silent.map((node) => ({ node, quietMs: this.#parts.heartbeats.quietMs(node, now) }));
  }

  /** A locality's speaker says which of its members do not answer there, by their places among them. */
  reported(locality: string, silent: ReadonlySet<number>): void {
    if (silent.size === 0 && this.#silent.size === 0) return;
    for (const [place, node] of (this.#parts.book.byLocality.get(locality) ?? []).entries()) {
      if (silent.has(place) === this.#silent.has(node)) continue;
      if (silent.has(place)) this.#silent.add(node);
      else this.#silent.delete(node);
      this.#farVersion += 1;
    }
  }

  /**
   * Nodes of other localities are up while they are connected and no neighbour of theirs says otherwise; a removal
   * depends on neither.
   */
  isThere(node: NodeId, now: Instant): boolean {
    if (this.#hasTwoTiers && !this.isNear(node)) return this.#up.has(node) && !this.#silent.has(node);
    return this.#parts.heartbeats.isAnswering(node, now);
  }

  /** Whether a node answers, or was heard so lately that it may. */
  mayAnswer(node: NodeId, now: Instant): boolean {
    return this.isThere(node, now) || this.#parts.heartbeats.mayAnswer(node, now);
  }

  /**
   * Whether a node may have been heard within a lease, by this process or an earlier one of its identity, or is this
   * one; for a member that is not followed here, its followers must answer that.
   */
  mayHaveHeard(node: NodeId, now: Instant): boolean {
    if (this.#parts.heartbeats.isUnheard(node)) return false;
    const isOthers = this.#hasTwoTiers && this.#parts.book.others.includes(node);
    const quietMs = this.#parts.heartbeats.quietMs(node, now) ?? (isOthers ? Number.POSITIVE_INFINITY : 0);
    return quietMs < this.#parts.leaseMs;
  }

  /**
   * The nodes with which this node exchanges heartbeats. In a mesh with two tiers: its locality, and the voters, on
   * whose answers leases depend, and which alone remove a silent node. So a voter does so with every node.
   */
  follow(now: Instant): void {
    const { self } = this.#parts;
    const { others, known } = this.#parts.book;
    this.#hasTwoTiers = hasTwoTiers(others.length + 1, this.#parts.book.byLocality.size, this.#options.sizes ?? SIZES);
    this.#farVersion += 1;
    for (const node of this.#silent) if (!this.#parts.book.nodes.has(node)) this.#silent.delete(node);
    if (!this.#hasTwoTiers) {
      this.#parts.heartbeats.follow(others, now);
      return;
    }
    const voters = new Set(known.voters);
    const followed = others.filter((node) => voters.has(self) || voters.has(node) || this.isNear(node));
    this.#parts.heartbeats.follow(followed, now, new Set(followed.filter((node) => !this.isNear(node))));
  }

  /** Whether a node answers what this node asks; for one that is not pinged: whether it is up. */
  isAnswering(node: NodeId, now: Instant): boolean {
    const { heartbeats } = this.#parts;
    return heartbeats.isFollowed(node) ? heartbeats.isAnswering(node, now) : this.isThere(node, now);
  }
}
