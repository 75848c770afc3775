/**
 * The newest view a node knows, and the rows of earlier ones that others may have missed.
 *
 * A view is accepted only whole and as decided, but a node that was away may skip numbers. The rows decided with the
 * skipped views must reach it all the same: it may be the heir of an account and learn of it only from the newer view.
 * So they are kept, on disk, until every member has been seen in a view that includes them.
 */

import { type AccountId, accountOf, type NodeId } from "../ids.ts";
import { BrokenInvariant } from "../invariant.ts";
import type { RowData } from "../ledger/row.ts";
import type { Member, View } from "./view.ts";

/** Nodes whose newest view is remembered. */
const SEEN_MAX = 2_000;

export interface ViewRecord {
  readonly view: View;
  /** `recent` is complete for a node whose view is at least this. */
  readonly since: number;
  /** Rows by the number of their view, those of the newest apart. */
  readonly recent: readonly (readonly [number: number, rows: readonly RowData[]])[];
}

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
  const writers = new Map([...brought, ...view.heirs]);
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
  #since = 0;
  #recent: ViewRecord["recent"] = [];
  readonly #seen = new Map<NodeId, number>();

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

  get record(): ViewRecord {
    return { view: this.known, since: this.#since, recent: this.#recent };
  }

  restore({ view, since, recent }: ViewRecord): void {
    this.#since = since;
    this.#recent = recent;
    this.#set(view);
  }

  /** Records that `node` knows view `number`. */
  saw(node: NodeId, number: number): void {
    if (number <= (this.#seen.get(node) ?? -1)) return;
    if (this.#seen.has(node) || this.#seen.size < SEEN_MAX) this.#seen.set(node, number);
  }

  /** The newest view that `node` was seen to know; 0 if none. */
  seenIn(node: NodeId): number {
    return this.#seen.get(node) ?? 0;
  }

  /** Accepts a view; `rows`: those of the skipped views, complete for a node that had view `since`. */
  learn(view: View, rows: readonly RowData[], since: number): void {
    const before = this.#view;
    const recent = [...this.#recent];
    if (before === undefined) this.#since = since;
    else if (before.rows.length > 0) recent.push([before.number, before.rows]);
    if (rows.length > 0) recent.push([view.number - 1, rows]);
    this.#set(view);
    for (const node of this.#seen.keys()) if (!this.#nodes.has(node)) this.#seen.delete(node);
    const known = Math.min(before?.number ?? 0, ...this.others.map((node) => this.#seen.get(node) ?? 0));
    this.#since = Math.max(this.#since, ...recent.map(([number]) => number).filter((number) => number <= known));
    this.#recent = recent.filter(([number]) => number > known);
  }

  /**
   * What a node that knows view `number` lacks, except the newest view's own rows, and from which view on it is
   * complete.
   */
  missedSince(number: number): { readonly rows: RowData[]; readonly since: number } {
    const rows = this.#recent.filter(([since]) => since > number).flatMap(([, some]) => some);
    return { rows, since: Math.max(number, this.#since) };
  }

  /** Accounts that `node` writes according to the view. */
  accountsOf(node: NodeId): readonly AccountId[] {
    return this.#index.accounts.get(node) ?? [];
  }

  #set(view: View): void {
    this.#view = view;
    this.#nodes = new Set(view.members.map(({ node }) => node));
    this.#index = indexOf(view);
  }
}
