/**
 * What the next view is, given what has happened: which nodes join, leave (and to which heir) or are removed, which node
 * answers for former members, and what their accounts come to.
 *
 * A member is dropped once all that stay have fenced it, and have said what they gave its account and got from it. All
 * of that is final, so the view that drops it folds it into openings. The account's name stays, with its own opening,
 * while sessions may carry it. It belongs to the member that claims it, which is the one that it has left to; or, for a
 * removed one, to the heir, which holds it in a pot. Once the member that writes it says that no pot has it any more, it
 * merges into that member's own account, and later the name goes. If the heir is removed before, it merges into the
 * heir's account, and both are in the pot of the next one.
 */

import type { AccountId, NodeId } from "../ids.ts";
import { accountOf } from "../ids.ts";
import { Ledger } from "../ledger/ledger.ts";
import { foldedOpenings, type OpeningsData } from "../ledger/openings.ts";
import type { RowData } from "../ledger/row.ts";
import { WITHOUT_LEASE_MAX } from "./authority-to-act.ts";
import type { KeptPledge } from "./ceilings.ts";
import type { Run } from "./known-runs.ts";
import type { SessionsOf } from "./longest-session.ts";
import { ceilingsOf } from "./pledged-bound.ts";
import { type Heir, type View, writerOf } from "./view.ts";
import { votersOf } from "./voters.ts";

/** What a member that stays says of the accounts that it writes. */
export interface Claim {
  readonly writes: readonly AccountId[];
  /** Those of them that are in pots. */
  readonly inPots: readonly AccountId[];
}

/** Members that are no longer in the next view. */
export interface Dropping {
  readonly removed: readonly NodeId[];
  /** Members that have left, each to one that claims its account. */
  readonly left: readonly NodeId[];
  readonly heir: NodeId;
  /** By member that stays. */
  readonly claims: ReadonlyMap<NodeId, Claim>;
  /** What came with the fences about gifts to and from the dropped members. */
  readonly copies: readonly RowData[];
  /** The removed nodes that may report what they held when they return, each with its newest start by all fences. */
  readonly returning?: readonly Run[];
}

export interface Changes {
  readonly number: number;
  /** Unix ms. */
  readonly nowMs: number;
  readonly joins: readonly { readonly node: NodeId; readonly locality: string }[];
  readonly dropping: Dropping | undefined;
  /** What a member of `base` has pledged at most; undefined if that is not known. */
  readonly pledgeOf?: (node: NodeId) => KeptPledge | undefined;
  /** How long the name of a former member is kept. */
  readonly nameKeptMs: number;
  /** Members that do not answer the proposer: they do not vote on the view after, if enough others do. */
  readonly silent?: readonly NodeId[];
  /** What it says of sessions; the same as `base` if left out. */
  readonly sessions?: SessionsOf | undefined;
  /** The wire version to which the mesh moves; that of `base` if left out. */
  readonly wire?: number | undefined;
}

/** The view after `base`. */
export function nextView(base: View, changes: Changes): View {
  const { dropping, nowMs, nameKeptMs, pledgeOf = () => undefined } = changes;
  const { sessionMinutes, earlierMinutes } = changes.sessions ?? base;
  const gone = new Set([...(dropping?.left ?? []), ...(dropping?.removed ?? [])]);
  const joins = changes.joins.map(({ node, locality }) => ({ node, locality, sinceMs: nowMs }));
  const members = [...base.members.filter(({ node }) => !gone.has(node)), ...joins];

  const dropped = new Set(Array.from(gone, accountOf));
  const writers = new Map<AccountId, NodeId>();
  for (const account of [...base.heirs.map(([account]) => account), ...dropped]) {
    const writer = writerAfter(base, account, dropping);
    if (writer !== undefined) writers.set(account, writer);
  }
  const folded = dropping === undefined ? openingsOf(base) : folding(base, { dropped, dropping, writers });
  const named = new Set([folded.root, ...folded.openings.map(([account]) => account)]);
  const before = new Map(base.heirs.map(([account, , sinceMs]) => [account, sinceMs]));
  const isInherited = (account: AccountId) => dropping !== undefined && claimantOf(account, dropping) === undefined;
  const heirs = Array.from(writers, ([account, writer]): Heir => {
    const isPotAgain = isInherited(account) && isUnmerged(base, account);
    return [account, writer, isPotAgain ? nowMs : (before.get(account) ?? nowMs)];
  }).filter(([account, , sinceMs]) => named.has(account) || nowMs - sinceMs <= nameKeptMs);
  // What an heir gets with one view is one pot: a ceiling covers all of it, because no node knows what the removed ones
  // gave each other.
  const inherited = heirs.map(([account]) => account).filter(isInherited);
  const wire = changes.wire ?? base.wire;
  const unclaimed = Array.from(gone).filter((node) => isInherited(accountOf(node)));
  const rooms = dropping && ceilingsOf(unclaimed.map(pledgeOf));
  const pledges = pledgesOf(base, { members, heirs, pledgeOf });
  return {
    number: changes.number,
    members,
    voters: votersOf(members, nowMs, { before: base.voters, silent: changes.silent }),
    heirs,
    ...folded,
    ...(sessionMinutes !== undefined && { sessionMinutes }),
    ...(earlierMinutes !== undefined && { earlierMinutes }),
    ...(pledges.length > 0 && { pledges }),
    ...(rooms !== undefined && { ceilings: { accounts: inherited, rooms } }),
    ...(dropping?.returning !== undefined && { returning: dropping.returning }),
    ...(wire !== undefined && { wire }),
  };
}

function writerAfter(base: View, account: AccountId, dropping: Dropping | undefined): NodeId | undefined {
  if (dropping === undefined) return writerOf(base, account);
  return claimantOf(account, dropping) ?? dropping.heir;
}

/** The remaining member that claims to write an account. */
function claimantOf(account: AccountId, { claims }: Dropping): NodeId | undefined {
  for (const [node, { writes }] of claims) if (writes.includes(account)) return node;
  return undefined;
}

/**
 * What the members of the next view have pledged at most. A joiner has taken nothing yet. Nothing is known of a member
 * to which accounts come, as sessions come with them, nor in a view whose members need not pledge.
 */
function pledgesOf(
  base: View,
  { members, heirs, pledgeOf }: Pick<View, "members" | "heirs"> & Required<Pick<Changes, "pledgeOf">>,
): KeptPledge[] {
  if (members.length <= WITHOUT_LEASE_MAX) return [];
  const gaining = new Set(heirs.flatMap(([account, heir]) => (writerOf(base, account) === heir ? [] : heir)));
  const before = new Set(base.members.map(({ node }) => node));
  return members.flatMap(({ node }) => {
    if (!before.has(node)) return { node, version: 0, isWhole: false, rooms: [] };
    return gaining.has(node) ? [] : (pledgeOf(node) ?? []);
  });
}

function openingsOf({ openings, root, from }: View): OpeningsData {
  return { openings, root, ...(from !== undefined && { from }) };
}

function folding(
  base: View,
  { dropped, dropping, writers }: { dropped: Set<AccountId>; dropping: Dropping; writers: Map<AccountId, NodeId> },
): OpeningsData {
  const merged = new Map<AccountId, AccountId>();
  for (const [account, writer] of writers) {
    const claim = dropping.claims.get(writer);
    const isClaimed = claim?.writes.includes(account) === true;
    if (isClaimed && !claim.inPots.includes(account)) merged.set(account, accountOf(writer));
    // What a removed heir held is one pot with its own account. One that had left before it learnt that it was the heir
    // is in no pot itself.
    const [, removed] = base.heirs.find(([former]) => former === account) ?? [];
    const isUnclaimed = (each: AccountId) => claimantOf(each, dropping) === undefined;
    if (removed !== undefined && isUnclaimed(account) && isUnclaimed(accountOf(removed)))
      merged.set(account, accountOf(removed));
  }
  return foldedOpenings(base, { dropped, gifts: joinRows(dropping.copies), merged });
}

/** Whether the account of a former member may still be in a pot: nothing of it has merged into another one. */
export function isUnmerged({ openings, root }: View, account: AccountId): boolean {
  return root === account || openings.some(([of]) => of === account);
}

/** Merged copies of rows, one for each account. */
export function joinRows(copies: readonly RowData[]): RowData[] {
  const [first] = copies;
  if (first === undefined) return [];
  const ledger = new Ledger({ self: first.account, founder: first.account });
  for (const copy of copies) ledger.merge(copy);
  return [...new Set(copies.map(({ account }) => account))].map((account) => ledger.row(account));
}
