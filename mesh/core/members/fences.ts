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
import type { PledgesKnown } from "./pledged-bound.ts";

export interface FencesRecord {
  /** The view whose successor ends these fences. */
  readonly base: number;
  readonly nodes: readonly NodeId[];
  readonly copies: readonly RowData[];
  /** Missing in what an earlier version stored. */
  readonly pledges?: PledgesKnown["pledges"];
  readonly earlier?: PledgesKnown["earlier"];
}

const NOTHING_KNOWN: PledgesKnown = { pledges: [], earlier: [] };

export class Fences {
  #nodes = new Set<NodeId>();
  /** By account: each fenced account with its copy at that time. */
  #copies = new Map<AccountId, RowData>();
  #pledges: PledgesKnown = NOTHING_KNOWN;

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
    return { base, nodes: [...this.#nodes], copies: [...this.#copies.values()], ...this.#pledges };
  }

  restore({ nodes, copies, pledges = [], earlier = [] }: FencesRecord): void {
    this.#nodes = new Set(nodes);
    this.#copies = new Map(copies.map((copy) => [copy.account, copy]));
    this.#pledges = { pledges, earlier };
  }

  /**
   * Fences `nodes`; `copies`: what is known of their accounts, one row each; `known`: what they pledged, as far as
   * known. Nodes that were fenced before keep what was known then.
   */
  add(nodes: Iterable<NodeId>, copies: readonly RowData[], known: PledgesKnown = NOTHING_KNOWN): void {
    const isNew = ({ node }: { readonly node: NodeId }) => !this.#nodes.has(node);
    this.#pledges = {
      pledges: [...this.#pledges.pledges, ...known.pledges.filter(isNew)],
      earlier: [...this.#pledges.earlier, ...known.earlier.filter(isNew)],
    };
    for (const node of nodes) this.#nodes.add(node);
    for (const copy of copies) if (!this.#copies.has(copy.account)) this.#copies.set(copy.account, copy);
  }

  copiesOf(accounts: readonly AccountId[]): RowData[] {
    return accounts.flatMap((account) => this.#copies.get(account) ?? []);
  }

  /** What `nodes` had pledged when they were fenced. */
  pledgesOf(nodes: readonly NodeId[]): PledgesKnown {
    const isAsked = ({ node }: { readonly node: NodeId }) => nodes.includes(node);
    return { pledges: this.#pledges.pledges.filter(isAsked), earlier: this.#pledges.earlier.filter(isAsked) };
  }

  /** The next view is known. */
  lift(): void {
    this.#nodes.clear();
    this.#pledges = NOTHING_KNOWN;
    this.#copies.clear();
  }
}
