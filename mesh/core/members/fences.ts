/**
 * Fences: "I accept nothing more from these nodes' accounts, from any sender, and give them nothing more".
 *
 * Before a node can be dropped, every member that stays has put up a fence, and has said what it gave the node's account
 * and got from it. Behind the fence both are final, so the decision folds them. That is why a fence stands, on disk,
 * until the next view is known, even if the node that asked for it is gone. What the nodes pledged is handed over as of
 * the fence too, since nothing is acknowledged after it.
 */

import type { AccountId, NodeId } from "../ids.ts";
import type { PledgesKnown } from "./pledged-bound.ts";

export interface FencesRecord {
  /** The view whose successor ends these fences. */
  readonly base: number;
  readonly nodes: readonly NodeId[];
  readonly accounts: readonly AccountId[];
  readonly pledges: PledgesKnown["pledges"];
  readonly earlier: PledgesKnown["earlier"];
}

const NOTHING_KNOWN: PledgesKnown = { pledges: [], earlier: [] };

export class Fences {
  #nodes = new Set<NodeId>();
  /** Those that had not left; all of them after a start. */
  #lost = new Set<NodeId>();
  /** Those that the nodes wrote. */
  #accounts = new Set<AccountId>();
  #pledges: PledgesKnown = NOTHING_KNOWN;

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
    return { base, nodes: [...this.#nodes], accounts: [...this.#accounts], ...this.#pledges };
  }

  restore({ nodes, accounts, pledges, earlier }: FencesRecord): void {
    this.#nodes = new Set(nodes);
    this.#lost = new Set(nodes);
    this.#accounts = new Set(accounts);
    this.#pledges = { pledges, earlier };
  }

  /**
   * Fences `nodes`, which write `accounts`; `known`: what they pledged, as far as known. Nodes that were fenced before
   * keep what was known then.
   */
  add(nodes: Iterable<NodeId>, accounts: readonly AccountId[], known: PledgesKnown = NOTHING_KNOWN): void {
    const isNew = ({ node }: { readonly node: NodeId }) => !this.#nodes.has(node);
    this.#pledges = {
      pledges: [...this.#pledges.pledges, ...known.pledges.filter(isNew)],
      earlier: [...this.#pledges.earlier, ...known.earlier.filter(isNew)],
    };
    for (const node of nodes) this.#nodes.add(node);
    for (const account of accounts) this.#accounts.add(account);
  }

  /** What `nodes` had pledged when they were fenced. */
  pledgesOf(nodes: readonly NodeId[]): PledgesKnown {
    const isAsked = ({ node }: { readonly node: NodeId }) => nodes.includes(node);
    return { pledges: this.#pledges.pledges.filter(isAsked), earlier: this.#pledges.earlier.filter(isAsked) };
  }

  /** The next view is known. */
  lift(): void {
    this.#nodes.clear();
    this.#lost.clear();
    this.#pledges = NOTHING_KNOWN;
    this.#accounts.clear();
  }
}
