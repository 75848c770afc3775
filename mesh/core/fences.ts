/**
 * Fences: "nothing more from these nodes' accounts, whoever passes it on; these are my copies".
 *
 * Before a node can be removed, every member that stays has put up a fence and handed over its copies. What is decided is
 * the join of them: so the heir knows of every gift that anybody who stays has taken, or will ever take. That is why a
 * fence stands, on disk, until the next view is known, whatever becomes of the node that asked for it.
 */

import type { AccountId, NodeId } from "./ids.ts";
import type { RowData } from "./row.ts";

export interface FencesRecord {
  /** The view whose successor ends the fences. */
  readonly base: number;
  readonly nodes: readonly NodeId[];
  readonly copies: readonly RowData[];
}

export class Fences {
  #nodes = new Set<NodeId>();
  /** By account; what is fenced, with the copy as of then. */
  #copies = new Map<AccountId, RowData>();

  get stand(): boolean {
    return this.#nodes.size > 0;
  }

  has(node: NodeId): boolean {
    return this.#nodes.has(node);
  }

  /** Whether nothing more may be taken from `account`, whoever passes it on. */
  isFenced(account: AccountId): boolean {
    return this.#copies.has(account);
  }

  record(base: number): FencesRecord {
    return { base, nodes: [...this.#nodes], copies: [...this.#copies.values()] };
  }

  restore({ nodes, copies }: FencesRecord): void {
    this.#nodes = new Set(nodes);
    this.#copies = new Map(copies.map((copy) => [copy.account, copy]));
  }

  /** Fences `nodes`; `copies`: what is known of their accounts, one row for each. Those fenced before keep their copy. */
  add(nodes: Iterable<NodeId>, copies: readonly RowData[]): void {
    for (const node of nodes) this.#nodes.add(node);
    for (const copy of copies) if (!this.#copies.has(copy.account)) this.#copies.set(copy.account, copy);
  }

  copiesOf(accounts: readonly AccountId[]): RowData[] {
    return accounts.flatMap((account) => this.#copies.get(account) ?? []);
  }

  /** The next view is known. */
  lift(): void {
    this.#nodes.clear();
    this.#copies.clear();
  }
}
