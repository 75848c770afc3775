/**
 * A view: the numbered, agreed list of members, which of them vote on the next one, which nodes answer for former
 * members, and what their accounts came to.
 *
 * Views are decided one number at a time (see members.ts); all nodes that know a number's view know the same one.
 */

import type { AccountId, NodeId } from "../ids.ts";
import { accountOf } from "../ids.ts";
import type { Accounts, OpeningsData } from "../ledger/openings.ts";
import type { Ceilings, KeptPledge } from "./ceilings.ts";
import type { Run } from "./known-runs.ts";

export interface Member {
  readonly node: NodeId;
  readonly locality: string;
  /** Unix ms, on the proposer's clock, at which the member was proposed. */
  readonly sinceMs: number;
}

/** Which member answers for a former one; since when, in Unix ms of the proposer's clock, it had to be inherited. */
export type Heir = readonly [former: AccountId, heir: NodeId, sinceMs: number];

export interface View extends OpeningsData {
  readonly number: number;
  /** Longest-standing first. */
  readonly members: readonly Member[];
  readonly voters: readonly NodeId[];
  /** Former members whose names sessions may still carry. */
  readonly heirs: readonly Heir[];
  /** The most minutes that its members let a session last; 1 if left out. See longest-session.ts. */
  readonly sessionMinutes?: number | undefined;
  /** Longer sessions that views before allowed, and that may still exist. */
  readonly earlierMinutes?: number | undefined;
  /** What its members had pledged at most when it was decided, as far as it was known. */
  readonly pledges?: readonly KeptPledge[] | undefined;
  /** The most slots that sessions hold on the accounts that this view gives an heir; all of theirs if left out. */
  readonly ceilings?: { readonly accounts: readonly AccountId[]; readonly rooms: Ceilings } | undefined;
  /** Nodes removed by this view that may report what they held when they return, each with its newest known start. */
  readonly returning?: readonly Run[] | undefined;
  /** The wire version that its members speak; see wire-range.ts for a view that names none. */
  readonly wire?: number | undefined;
}

/** Who is in the mesh by a view, as the ledger needs it. */
export function accountsOf(view: View): Accounts {
  return {
    openings: view,
    members: new Set(view.members.map(({ node }) => accountOf(node))),
    names: new Set(view.heirs.map(([account]) => account)),
  };
}

/** The only node that writes an account's row; undefined for an account that the view does not know. */
export function writerOf({ members, heirs }: View, account: AccountId): NodeId | undefined {
  const member = members.find(({ node }) => accountOf(node) === account);
  return member?.node ?? heirs.find(([inherited]) => inherited === account)?.[1];
}
