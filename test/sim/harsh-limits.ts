/**
 * When a limit under harsh faults counts: seeds differ, so it does only for many of them together.
 */

import type { Scenario } from "./scenario.ts";
import type { SeedResult } from "./seed-result.ts";

/** What many runs have together, and three standard deviations of one run. */
export interface Usual {
  readonly usual: number;
  readonly spread: number;
}

/** From this many harsh runs on, single ones say little. */
const HARSH_RUNS_MIN = 100;

/** The limits under harsh faults, when so many runs are judged that chance hardly matters. */
export function isHarsh(results: readonly SeedResult[], { name }: Pick<Scenario, "name">): boolean {
  return name === "harsh" && results.length >= HARSH_RUNS_MIN;
}

/** The most that so many runs together may have. */
export function mostOf({ usual, spread }: Usual, runs: number): number {
  return usual + spread / Math.sqrt(runs);
}
