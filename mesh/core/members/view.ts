/**
 * A view: the numbered, agreed list of members, which of them vote on the next one, and which nodes write the accounts
 * of former members.
 *
 * Views are decided one number at a time (see members.ts); all nodes that know a number's view know the same one.
 */

import type { AccountId, NodeId } from "../ids.ts";
import { accountOf } from "../ids.ts";
import type { RowData } from "../ledger/row.ts";
import type { Ceilings } from "./ceilings.ts";
import type { Run } from "./known-runs.ts";

export interface Member {
  readonly node: NodeId;
  readonly locality: string;
  /** Unix ms, on the proposer's clock, at which the member was proposed. */
  readonly sinceMs: number;
}

export interface View {
  readonly number: number;
  /** Longest-standing first. */
  readonly members: readonly Member[];
  readonly voters: readonly NodeId[];
  /** The writer of each account whose own node is not a member. */
  readonly heirs: readonly (readonly [AccountId, NodeId])[];
  /** The rows, decided with this view, of accounts whose writer changed in it. */
  readonly rows: readonly RowData[];
  /** Nodes that this view removes because an operator ordered that they run nowhere; none if left out. */
  readonly forgotten?: readonly NodeId[] | undefined;
  /** The longest session that may exist, in minutes; not known if left out. */
  readonly sessionMinutes?: number | undefined;
  /** The most slots that sessions hold on the accounts that this view gives an heir; all of theirs if left out. */
  readonly ceilings?: { readonly accounts: readonly AccountId[]; readonly rooms: Ceilings } | undefined;
  /** Nodes removed by this view that may report what they held when they return, each with its newest known start. */
  readonly returning?: readonly Run[] | undefined;
  /** The wire version that its members speak; see wire-range.ts for a view that names none. */
  readonly wire?: number | undefined;
}

/** The only node that writes an account's row; undefined for an account that the view does not know. */
export function writerOf({ members, heirs }: View, account: AccountId): NodeId | undefined {
  const member = members.find(({ node }) => accountOf(node) === account);
  return member?.node ?? heirs.find(([inherited]) => inherited === account)?.[1];
}
