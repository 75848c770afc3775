/**
 * Shortens a plan of faults to those that still make a run fail: halves, quarters and so on are left out while it
 * fails.
 */

import type { FaultPlan } from "./fault-kinds.ts";

/** The shortest plan found with at most `tries` runs. `fails` is known to hold for `plan`. */
export function shrink(plan: FaultPlan, fails: (plan: FaultPlan) => boolean, tries: number): FaultPlan {
  let { faults } = plan;
  let left = tries;
  for (let size = Math.ceil(faults.length / 2); size >= 1 && left > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < faults.length && left > 0; ) {
      const without = [...faults.slice(0, from), ...faults.slice(from + size)];
      left -= 1;
      if (fails({ ...plan, faults: without })) faults = without;
      else from += size;
    }
  }
  const still = { clocks: [], faults };
  return left > 0 && plan.clocks.length > 0 && fails(still) ? still : { ...plan, faults };
}
