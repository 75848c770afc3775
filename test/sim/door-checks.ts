/**
 * The checks of lanes over many runs. What may never happen at doors ends a run (door-watch.ts); that it happens at all
 * is tested in doors.test.ts.
 */

import { atLeast, type Check } from "../../cmd/checks.ts";
import type { DoorCounts } from "./door-watch.ts";

/**
 * In percent of what is due to a lane by its share. A visitor who is called counts as waiting until the next poll, so a
 * lane that has few in line gets less than is due: 82 of lane 1 in seeds 1 and 2, and 72 without lanes. Under faults, a
 * line that is continued by another node knows no lanes until its visitors have asked.
 */
const LANE_LEAST = { calm: 77, faulty: 50 };
/** With fewer admissions of a lane chance decides. */
const LANE_MIN = 50;

export function doorChecks(
  results: readonly { readonly doors: DoorCounts | undefined | null }[],
  isFaulty: boolean,
): Check[] {
  const all = results.flatMap(({ doors }) => doors ?? []);
  const lanes = [...new Set(all.flatMap(({ lanes }) => Object.keys(lanes)))].sort();
  return lanes.map((lane) => {
    const of = (what: "got" | "due"): number =>
      all.reduce((total, { lanes }) => total + (lanes[Number(lane)]?.[what] ?? 0), 0);
    const due = of("due");
    const limit = due < LANE_MIN ? null : LANE_LEAST[isFaulty ? "faulty" : "calm"];
    const name = lane === "0" ? "slots that visitors without a lane had, of their share" : `  lane ${lane} had`;
    return atLeast({ promise: "never lost", name, value: (100 * of("got")) / Math.max(1, due), limit, unit: "%" });
  });
}
