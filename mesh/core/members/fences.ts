/**
 * Fences: "I accept nothing more from these nodes' accounts, from any sender; these are my copies".
 *
 * Before a node can be removed, every member that stays has put up a fence and handed over its copies. The decision
 * merges them, so the heir knows every gift that any remaining member has accepted or ever will. That is why a fence
 * stands, on disk, until the next view is known, even if the node that asked for it is gone. What the nodes pledged is
 * handed over as of the fence too, since nothing is acknowledged after it.
 */

import type { AccountId, NodeId } from "../ids.ts";
import type { RowData } from "../ledger/row.ts";
import type { KeptPledge } from "./kept-pledges.ts";

export interface FencesRecord {
  /** The view whose successor ends these fences. */
  readonly base: number;
  readonly nodes: readonly NodeId[];
  readonly copies: readonly RowData[];
  /** Missing in what an earlier version stored. */
  readonly pledges?: readonly KeptPledge[];
}

export class Fences {
  #nodes = new Set<NodeId>();
  /** By account: each fenced account with its copy at that time. */
  #copies = new Map<AccountId, RowData>();
  #pledges: readonly KeptPledge[] = [];

  get stand(): boolean {
    return this.#nodes.size > 0;
  }

  has(node: NodeId): boolean {
    return this.#nodes.has(node);
  }

  /** Whether nothing more may be accepted from `account`, from any sender. */
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
   * Fences `nodes`; `copies`: what is known of their accounts, one row each; `pledges`: what they pledged, as far as
   * known. Nodes that were fenced before keep what was known then.
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
