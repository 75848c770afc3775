/**
 * The checks of passes, lanes and proofs over many runs. What may never happen ends a run (door-watch.ts);
 * these are shares, and how often each thing happened: a net that meets none of it says nothing.
 */

import { atLeast, atMost, type Check } from "../../cmd/checks.ts";
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
  if (all.length === 0) return [];
  const sum = (of: (counts: DoorCounts) => number): number => all.reduce((total, each) => total + of(each), 0);
  const counted = (name: string, value: number, unit: string): Check =>
    atMost({ promise: "never lost", name, value, limit: null, unit });
  return [
    ...laneChecks(all, isFaulty),
    counted(
      "passes that two visitors had at once, in a cut",
      sum(({ keys }) => keys.twice),
      "times",
    ),
    counted(
      "  the later of them lost place or session",
      sum(({ keys }) => keys.lost),
      "visitors",
    ),
    counted(
      "passes refused: in use, bad, or none",
      sum(({ keys, refused }) => keys.refused + refused),
      "answers",
    ),
    counted(
      "requests of staff",
      sum(({ staff }) => staff),
      "requests",
    ),
    counted(
      "outside the line before a proof",
      sum(({ unproved }) => unproved),
      "visitors",
    ),
    counted(
      "slots given back by visitors who did not enter",
      sum(({ returned }) => returned),
      "slots",
    ),
  ];
}

function laneChecks(all: readonly DoorCounts[], isFaulty: boolean): Check[] {
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
