/**
 * Fences: "nothing more from these nodes' accounts, whoever passes it on; these are my copies".
 *
 * Before a node can be removed, every member that stays has put up a fence and handed over its copies. What is decided is
 * the join of them: so the heir knows of every gift that anybody who stays has taken, or will ever take. That is why a
 * fence stands, on disk, until the next view is known, whatever becomes of the node that asked for it. What the nodes pledged is
 * handed over as of the fence too, as nothing is acknowledged after it.
 */

import type { AccountId, NodeId } from "../ids.ts";
import type { RowData } from "../ledger/row.ts";
import type { KeptPledge } from "./kept-pledges.ts";

export interface FencesRecord {
  /** The view whose successor ends the fences. */
  readonly base: number;
  readonly nodes: readonly NodeId[];
  readonly copies: readonly RowData[];
  /** None in what an earlier version stored. */
  readonly pledges?: readonly KeptPledge[];
}

export class Fences {
  #nodes = new Set<NodeId>();
  /** By account; what is fenced, with the copy as of then. */
  #copies = new Map<AccountId, RowData>();
  #pledges: readonly KeptPledge[] = [];

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
    return { base, nodes: [...this.#nodes], copies: [...this.#copies.values()], pledges: this.#pledges };
  }

  restore({ nodes, copies, pledges = [] }: FencesRecord): void {
    this.#nodes = new Set(nodes);
    this.#copies = new Map(copies.map((copy) => [copy.account, copy]));
    this.#pledges = pledges;
  }

  /**
   * Fences `nodes`; `copies`: what is known of their accounts, one row for each; `pledges`: what they pledged, as far as is known. Those
   * fenced before keep what was known then.
   */
  add(nodes: Iterable<NodeId>, copies: readonly RowData[], pledges: readonly KeptPledge[] = []): void {
    this.#pledges = [...this.#pledges, ...pledges.filter(({ node }) => !this.#nodes.has(node))];
    for (const node of nodes) this.#nodes.add(node);
    for (const copy of copies) if (!this.#copies.has(copy.account)) this.#copies.set(copy.account, copy);
  }

  copiesOf(accounts: readonly AccountId[]): RowData[] {
    return accounts.flatMap((account) => this.#copies.get(account) ?? []);
  }

  /** What `nodes` had pledged when they were fenced. */
  pledgesOf(nodes: readonly NodeId[]): KeptPledge[] {
    return this.#pledges.filter(({ node }) => nodes.includes(node));
  }

  /** The next view is known. */
  lift(): void {
    this.#nodes.clear();
    this.#pledges = [];
    this.#copies.clear();
  }
}
