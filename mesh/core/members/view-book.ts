/**
 * The newest view a node knows, and what is looked up in it.
 *
 * A view is accepted only whole and as decided. It says all that the ones before said, so a node that was away may skip
 * numbers.
 */

import { type AccountId, accountOf, type NodeId } from "../ids.ts";
import { BrokenInvariant } from "../invariant.ts";
import type { Member, View } from "./view.ts";

/** What is looked up in a view. */
interface ViewIndex {
  readonly members: ReadonlyMap<NodeId, Member>;
  readonly byLocality: ReadonlyMap<string, readonly NodeId[]>;
  readonly writers: ReadonlyMap<AccountId, NodeId>;
  readonly accounts: ReadonlyMap<NodeId, readonly AccountId[]>;
}

/** By view: a simulation of many nodes has one view for all of them. */
const INDEXES = new WeakMap<View, ViewIndex>();

function indexOf(view: View): ViewIndex {
  return INDEXES.get(view) ?? newIndex(view);
}

function newIndex(view: View): ViewIndex {
  const byLocality = new Map<string, NodeId[]>();
  for (const { node, locality } of view.members) byLocality.getOrInsertComputed(locality, () => []).push(node);
  const brought = view.members.map(({ node }) => [accountOf(node), node] as const);
  const members = new Map(view.members.map((member) => [member.node, member]));
  const former = view.heirs.map(([account, heir]) => [account, heir] as const);
  const writers = new Map([...brought, ...former]);
  const accounts = Map.groupBy(writers.keys(), (account) => writers.get(account) as NodeId);
  const index = { members, byLocality, writers, accounts };
  INDEXES.set(view, index);
  return index;
}

const NO_INDEX: ViewIndex = { members: new Map(), byLocality: new Map(), writers: new Map(), accounts: new Map() };

export class ViewBook {
  readonly #self: NodeId;
  #view: View | undefined;
  #nodes: ReadonlySet<NodeId> = new Set();
  #index = NO_INDEX;

  constructor(self: NodeId) {
    this.#self = self;
  }

  /** Undefined until the node has been admitted. */
  get view(): View | undefined {
    return this.#view;
  }

  /** The same, asserting that there is one. */
  get known(): View {
    if (this.#view === undefined)
      throw new BrokenInvariant("Cannot look at a view as there must be one: current value is none");
    return this.#view;
  }

  /** 0 without a view. */
  get number(): number {
    return this.#view?.number ?? 0;
  }

  get nodes(): ReadonlySet<NodeId> {
    return this.#nodes;
  }

  localityOf(node: NodeId): string | undefined {
    return this.#index.members.get(node)?.locality;
  }

  /** Unix ms, by its proposer's clock, since when a node is a member. */
  sinceMs(node: NodeId): number | undefined {
    return this.#index.members.get(node)?.sinceMs;
  }

  /** Members by locality, the longest-standing first. */
  get byLocality(): ReadonlyMap<string, readonly NodeId[]> {
    return this.#index.byLocality;
  }

  /** The only node that writes an account according to the view; undefined for an account that it does not know. */
  writerOf(account: AccountId): NodeId | undefined {
    return this.#index.writers.get(account);
  }

  get others(): NodeId[] {
    return [...this.#nodes].filter((node) => node !== this.#self);
  }

  /** Accepts a view. */
  learn(view: View): void {
    this.#view = view;
    this.#nodes = new Set(view.members.map(({ node }) => node));
    this.#index = indexOf(view);
  }

  /** Accounts that `node` writes according to the view. */
  accountsOf(node: NodeId): readonly AccountId[] {
    return this.#index.accounts.get(node) ?? [];
  }
}
