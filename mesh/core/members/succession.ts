/**
 * Which node writes which accounts: by the view, by what this node has taken over itself, and by others' reports about
 * members that left to them.
 */

import { type AccountId, accountOf, type NodeId } from "../ids.ts";
import type { Handovers } from "./handovers.ts";
import type { View } from "./view.ts";
import type { ViewBook } from "./view-book.ts";

export class Succession {
  /** Accounts that this node writes while it is a member. */
  written: readonly AccountId[] = [];
  readonly #self: NodeId;
  readonly #book: ViewBook;
  readonly #handovers: Handovers;
  /** By former member: the heir. */
  readonly #heirs = new Map<NodeId, NodeId>();
  /** Former members that the view names, and how they went. */
  readonly #gone = new Map<NodeId, "left" | "removed">();

  constructor(self: NodeId, book: ViewBook, handovers: Handovers) {
    this.#self = self;
    this.#book = book;
    this.#handovers = handovers;
  }

  /** The view has changed, or what this node has taken over. */
  renew(): void {
    this.written = this.accountsOf(this.#self);
  }

  /** The node that writes an account, as far as this node knows. */
  writerOf(account: AccountId): NodeId | undefined {
    return this.written.includes(account) ? this.#self : this.#book.writerOf(account);
  }

  /** Accounts that `node` writes by the view, and by what this node itself has taken over. */
  accountsOf(node: NodeId): AccountId[] {
    const taken = node === this.#self ? this.#handovers.accounts : [];
    return [...new Set([...this.#book.accountsOf(node), ...taken])];
  }

  /** The member that a member has left to. */
  heirOf(node: NodeId): NodeId | undefined {
    return this.#handovers.leavers.includes(node) ? this.#self : this.#heirs.get(node);
  }

  /** Members that have not left. */
  get staying(): NodeId[] {
    return [...this.#book.nodes].filter((node) => this.heirOf(node) === undefined);
  }

  /** Whether `node` votes for `voter`, as far as this node knows: an heir's word may come before the news of it. */
  isKeptBy(node: NodeId, voter: NodeId): boolean {
    return voter === node || this.heirOf(voter) === node;
  }

  /** A member has left to `heir`. */
  left(leaver: NodeId, heir: NodeId): void {
    if (this.#book.nodes.has(leaver)) this.#heirs.set(leaver, heir);
  }

  /** There is a new view after `before`. Returns the nodes that are no longer members. */
  viewChanged(before: View | undefined): NodeId[] {
    const { nodes, known } = this.#book;
    const gone = (before?.members ?? []).map(({ node }) => node).filter((node) => !nodes.has(node));
    for (const node of gone) this.#gone.set(node, this.heirOf(node) === undefined ? "removed" : "left");
    const named = new Set(known.heirs.map(([account]) => account));
    for (const node of this.#gone.keys()) if (!named.has(accountOf(node))) this.#gone.delete(node);
    for (const [node, heir] of this.#heirs) if (!nodes.has(node) || !nodes.has(heir)) this.#heirs.delete(node);
    return gone;
  }

  /** How a former member went. */
  howGone(node: NodeId): "left" | "removed" {
    return this.#gone.get(node) ?? "removed";
  }
}
