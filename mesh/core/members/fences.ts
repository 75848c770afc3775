/**
 * Fences: "I accept nothing more from these nodes' accounts, from any sender, and give them nothing more".
 *
 * Before a node can be dropped, every member that stays has put up a fence, and has said what it gave the node's account
 * and got from it. Behind the fence both are final, so the decision folds them. That is why a fence stands, on disk,
 * until the next view is known, even if the node that asked for it is gone.
 */

import type { AccountId, NodeId } from "../ids.ts";

export interface FencesRecord {
  /** The view whose successor ends these fences. */
  readonly base: number;
  readonly nodes: readonly NodeId[];
  readonly accounts: readonly AccountId[];
}

export class Fences {
  #nodes = new Set<NodeId>();
  /** Those that had not left; all of them after a start. */
  #lost = new Set<NodeId>();
  /** Those that the nodes wrote. */
  #accounts = new Set<AccountId>();

  get stand(): boolean {
    return this.#nodes.size > 0;
  }

  /** Whether a node is fenced that had not left when it was, as far as is known. */
  get hasLost(): boolean {
    return this.#lost.size > 0;
  }

  /** These are fenced, and had not left. */
  noteLost(nodes: readonly NodeId[]): void {
    for (const node of nodes) this.#lost.add(node);
  }

  has(node: NodeId): boolean {
    return this.#nodes.has(node);
  }

  /** Whether nothing more may be accepted from `account`, from any sender. */
  isFenced(account: AccountId): boolean {
    return this.#accounts.has(account);
  }

  record(base: number): FencesRecord {
    return { base, nodes: [...this.#nodes], accounts: [...this.#accounts] };
  }

  restore({ nodes, accounts }: FencesRecord): void {
    this.#nodes = new Set(nodes);
    this.#lost = new Set(nodes);
    this.#accounts = new Set(accounts);
  }

  /** Fences `nodes`, which write `accounts`. */
  add(nodes: Iterable<NodeId>, accounts: readonly AccountId[]): void {
    for (const node of nodes) this.#nodes.add(node);
    for (const account of accounts) this.#accounts.add(account);
  }

  /** The next view is known. */
  lift(): void {
    this.#nodes.clear();
    this.#lost.clear();
    this.#accounts.clear();
  }
}
