/**
 * The pot that a node gets with a view which names it the heir of others.
 */

import { type AccountId, accountOf } from "../ids.ts";
import type { View } from "./view.ts";

/** Accounts that were inherited with `view`. */
export function potOf(accounts: readonly AccountId[], { number, ceilings, returning = [] }: View) {
  // A node that missed a view inherits from two at once, and these are about the last one only.
  const areAll = ceilings !== undefined && new Set(ceilings.accounts).symmetricDifference(new Set(accounts)).size === 0;
  return {
    group: `view ${number}`,
    passedMs: 0,
    accounts,
    returning: returning.filter(([node]) => accounts.includes(accountOf(node))),
    ...(areAll && { ceilings: ceilings.rooms }),
  };
}
