/**
 * The pots that a node gets with a view which names it the heir of others.
 */

import { type AccountId, accountOf } from "../ids.ts";
import type { View } from "./view.ts";

/**
 * Accounts that were inherited with `view`, except those of nodes that run nowhere by the operator's order. The order
 * is about those nodes only: an account that one of them had inherited may be in use at its own node, which was cut off
 * before.
 */
export function potsOf(
  inherited: readonly AccountId[],
  { number, forgotten = [], ceilings, returning = [], sessionMinutes, islandMs }: View,
) {
  const group = `view ${number}`;
  const ended = new Set(forgotten.map(accountOf));
  // A node that missed a view inherits from two at once, and these are about the last one only.
  const areAll =
    ceilings !== undefined && new Set(ceilings.accounts).symmetricDifference(new Set(inherited)).size === 0;
  return [true, false]
    .map((runsNowhere) => {
      const accounts = inherited.filter((each) => ended.has(each) === runsNowhere);
      const back = returning.filter(([node]) => accounts.includes(accountOf(node)));
      return {
        group,
        runsNowhere,
        accounts,
        sessionMinutes,
        islandMs,
        returning: back,
        ...(areAll && { ceilings: ceilings.rooms }),
      };
    })
    .filter(({ accounts }) => accounts.length > 0);
}

/**
 * Whether no node whose accounts `view` gives to its heir can still hold a lease, if for a lease the heir has known the
 * view `before`, or those that it follows on by nodes that joined only.
 *
 * All that stay have put up a fence against those that this view removes, after they had not heard them for a lease;
 * without a majority of voters among them no node is removed. Nodes that an earlier view removed lost theirs within a
 * lease of that. But a leaver may have heard a node that its heir, which votes for it, has not. And a node that missed
 * a view does not know what was decided with it.
 */
export function areLeasesOver(before: View, view: View, inherited: readonly AccountId[]): boolean {
  const staying = new Set(view.members.map(({ node }) => node));
  const gone = before.members.filter(({ node }) => !staying.has(node));
  return view.number === before.number + 1 && gone.every(({ node }) => inherited.includes(accountOf(node)));
}

/**
 * Whether nodes have only joined with `view`, and the voters are the same: it follows on `before`, and of any majority
 * that could grant a lease there, one puts up a fence before anybody is removed. With more voters, those that are
 * removed next may be such a majority.
 */
export function haveOnlyCome(before: View | undefined, view: View): boolean {
  if (before === undefined || view.number !== before.number + 1) return false;
  const nodes = new Set(view.members.map(({ node }) => node));
  const haveSameVoters = new Set(before.voters).symmetricDifference(new Set(view.voters)).size === 0;
  return haveSameVoters && before.members.every(({ node }) => nodes.has(node));
}
