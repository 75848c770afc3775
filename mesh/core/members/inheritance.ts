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
export function potsOf(inherited: readonly AccountId[], { number, forgotten = [], ceilings, returning = [] }: View) {
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
        passedMs: 0,
        runsNowhere,
        accounts,
        returning: back,
        ...(areAll && { ceilings: ceilings.rooms }),
      };
    })
    .filter(({ accounts }) => accounts.length > 0);
}
