/**
 * What the next view is, given what has happened: which nodes join, leave (and to which heir) or are removed, and which
 * node writes each account.
 *
 * An account changes its writer in two ways only. Its leaver's heir has taken it over; or its writer is removed, and
 * one heir gets every account that no remaining member claims to write. The decided row is the merge of all copies that
 * the fences have collected, and of what the remaining members have given to it. It may have given that on; if its
 * giver were removed next, with another heir, no node would know who owns it. A view that names a writer that has
 * handed over since is late, not wrong: a node that handed over is silent.
 */

import type { AccountId, NodeId } from "../ids.ts";
import { accountOf } from "../ids.ts";
import { Ledger } from "../ledger/ledger.ts";
import type { RowData } from "../ledger/row.ts";
import type { Ceilings } from "./ceilings.ts";
import type { Run } from "./known-runs.ts";
import { type View, writerOf } from "./view.ts";
import { votersOf } from "./voters.ts";

/** What an heir has taken over from members that left. */
export interface Handover {
  readonly heir: NodeId;
  readonly leavers: readonly NodeId[];
  readonly accounts: readonly AccountId[];
  readonly rows: readonly RowData[];
}

export interface Removal {
  readonly removed: readonly NodeId[];
  /** Whether an operator ordered it (they run nowhere); otherwise they were silent. */
  readonly isForgetting: boolean;
  readonly heir: NodeId;
  /** The accounts that each remaining member claims to write. */
  readonly claims: ReadonlyMap<NodeId, readonly AccountId[]>;
  /** The copies that came with the fences. */
  readonly copies: readonly RowData[];
  /** The most slots that the removed nodes hold together, according to their pledges; not known if left out. */
  readonly ceilings?: Ceilings | undefined;
  /** The removed nodes that may report what they held when they return, each with its newest start by all fences. */
  readonly returning?: readonly Run[];
}

export interface Changes {
  readonly number: number;
  /** Unix ms. */
  readonly nowMs: number;
  readonly joins: readonly { readonly node: NodeId; readonly locality: string }[];
  readonly handovers: readonly Handover[];
  readonly removal: Removal | undefined;
  /** Members that do not answer the proposer: they do not vote on the view after, if enough others do. */
  readonly silent?: readonly NodeId[];
  /**
   * The longest session that may exist, in minutes, as far as the fences and the node that decides know; 0 or left out
   * if they know of no room. A node that was alone told nobody: those that join may remove it before it can.
   */
  readonly sessionMinutes?: number;
  /** The wire version to which the mesh moves; that of `base` if left out. */
  readonly wire?: number | undefined;
}

/** The view after `base`. */
export function nextView(base: View, changes: Changes): View {
  const { handovers, removal, nowMs, sessionMinutes = 0 } = changes;
  const gone = new Set([...handovers.flatMap(({ leavers }) => leavers), ...(removal?.removed ?? [])]);
  const joins = changes.joins.map(({ node, locality }) => ({ node, locality, sinceMs: nowMs }));
  const members = [...base.members.filter(({ node }) => !gone.has(node)), ...joins];

  const dropped = base.members.filter(({ node }) => gone.has(node)).map(({ node }) => accountOf(node));
  const writers = new Map<AccountId, NodeId>();
  for (const account of [...base.heirs.map(([account]) => account), ...dropped]) {
    const writer = writerAfter(base, account, changes);
    if (writer !== undefined) writers.set(account, writer);
  }
  const changed = new Set([...writers].flatMap(([account, node]) => (writerOf(base, account) === node ? [] : account)));
  const copies = [...handovers.flatMap(({ rows }) => rows), ...(removal?.copies ?? [])];
  // What an heir gets with one view is one pot: a ceiling covers all of it, because no node knows what the removed ones
  // gave each other.
  const inherited = [...writers.keys()].filter((account) => isInherited(account, changes));
  const wire = changes.wire ?? base.wire;
  const ceilings = removal?.ceilings && { accounts: inherited, rooms: removal.ceilings };
  return {
    number: changes.number,
    members,
    voters: votersOf(members, nowMs, { before: base.voters, silent: changes.silent }),
    heirs: [...writers],
    rows: joinRows(
      copies.filter(({ account, gifts }) => changed.has(account) || gifts.some(({ to }) => changed.has(to))),
    ),
    ...(removal?.isForgetting === true && { forgotten: removal.removed }),
    ...(sessionMinutes > 0 && { sessionMinutes }),
    ...(ceilings !== undefined && { ceilings }),
    ...(removal?.returning !== undefined && { returning: removal.returning }),
    ...(wire !== undefined && { wire }),
  };
}

function writerAfter(base: View, account: AccountId, { handovers, removal }: Changes): NodeId | undefined {
  const handover = handovers.find(({ accounts }) => accounts.includes(account));
  if (handover !== undefined) return handover.heir;
  if (removal === undefined) return writerOf(base, account);
  return claimantOf(account, removal) ?? removal.heir;
}

/** The remaining member that claims to write an account. */
function claimantOf(account: AccountId, { claims }: Removal): NodeId | undefined {
  for (const [node, accounts] of claims) if (accounts.includes(account)) return node;
  return undefined;
}

/** Whether an account goes to the heir of those that are removed. */
function isInherited(account: AccountId, { handovers, removal }: Changes): boolean {
  const isHandedOver = handovers.some(({ accounts }) => accounts.includes(account));
  return removal !== undefined && !isHandedOver && claimantOf(account, removal) === undefined;
}

/** Merged copies of rows, one for each account. */
export function joinRows(copies: readonly RowData[]): RowData[] {
  const [first] = copies;
  if (first === undefined) return [];
  const ledger = new Ledger({ self: first.account, founder: first.account });
  for (const copy of copies) ledger.merge(copy);
  return [...new Set(copies.map(({ account }) => account))].map((account) => ledger.row(account));
}
