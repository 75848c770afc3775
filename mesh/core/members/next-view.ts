/**
 * What the next view is, given what has happened: who comes, who left to whom, who is removed, and who writes what.
 *
 * An account changes its writer in two ways only. Its leaver's heir has taken it over; or its writer is removed, and then
 * one heir gets every account that no staying member says it writes. Its row as decided is the join of all copies that the
 * fences have collected, and with it goes what those that stay have given to it: it may have given that on, and if its giver
 * were removed next, by another heir's account, nobody would know whose it was. A view that names a writer who has handed over since is late, not wrong: who handed over is silent.
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
  /** Whether it is the operator's word that they run nowhere; else they were silent. */
  readonly isForgetting: boolean;
  readonly heir: NodeId;
  /** The accounts that each staying member says it writes. */
  readonly claims: ReadonlyMap<NodeId, readonly AccountId[]>;
  /** The copies that came with the fences. */
  readonly copies: readonly RowData[];
  /** The longest session that may be about, by all fences, in minutes; 0 where nobody knows of a room. */
  readonly sessionMinutes: number;
  /** The most slots that the removed nodes hold together, by what they pledged; not known if left out. */
  readonly ceilings?: Ceilings | undefined;
  /** Of the removed those that may say what they held when they return, with the newest start of each by all fences. */
  readonly returning?: readonly Run[];
}

export interface Changes {
  readonly number: number;
  /** Unix ms. */
  readonly nowMs: number;
  readonly joins: readonly { readonly node: NodeId; readonly locality: string }[];
  readonly handovers: readonly Handover[];
  readonly removal: Removal | undefined;
  /** The longest island time of a member, or of one that is removed; not known if left out. */
  readonly islandMs?: number;
  /** The wire version that the mesh goes over to; that of `base` if left out. */
  readonly wire?: number | undefined;
}

/** The view that follows `base`. */
export function nextView(base: View, changes: Changes): View {
  const { handovers, removal, nowMs } = changes;
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
  // What an heir gets with one view is one pot: a ceiling is about all of it, as nobody knows what the removed gave each other.
  const inherited = [...writers.keys()].filter((account) => isInherited(account, changes));
  const wire = changes.wire ?? base.wire;
  const ceilings = removal?.ceilings && { accounts: inherited, rooms: removal.ceilings };
  return {
    number: changes.number,
    members,
    voters: votersOf(members, nowMs),
    heirs: [...writers],
    rows: joinRows(
      copies.filter(({ account, gifts }) => changed.has(account) || gifts.some(({ to }) => changed.has(to))),
    ),
    ...(removal?.isForgetting === true && { forgotten: removal.removed }),
    ...(removal !== undefined && removal.sessionMinutes > 0 && { sessionMinutes: removal.sessionMinutes }),
    ...(changes.islandMs !== undefined && { islandMs: changes.islandMs }),
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

/** The staying member that says it writes an account. */
function claimantOf(account: AccountId, { claims }: Removal): NodeId | undefined {
  for (const [node, accounts] of claims) if (accounts.includes(account)) return node;
  return undefined;
}

/** Whether an account goes to the heir of those that are removed. */
function isInherited(account: AccountId, { handovers, removal }: Changes): boolean {
  const isHandedOver = handovers.some(({ accounts }) => accounts.includes(account));
  return removal !== undefined && !isHandedOver && claimantOf(account, removal) === undefined;
}

/** Copies of rows joined, one for each account. */
export function joinRows(copies: readonly RowData[]): RowData[] {
  const [first] = copies;
  if (first === undefined) return [];
  const ledger = new Ledger({ self: first.account, founder: first.account });
  for (const copy of copies) ledger.merge(copy);
  return [...new Set(copies.map(({ account }) => account))].map((account) => ledger.row(account));
}
