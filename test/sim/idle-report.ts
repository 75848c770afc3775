/**
 * Idle slots that visitors in line could have used, over many runs: a table for people, and the same as data.
 */

import { styled, type TableOptions, table } from "../../cmd/print.ts";
import { IDLE_REASONS } from "./idle-reasons.ts";
import type { SeedResult } from "./seed-result.ts";

/**
 * By reason: part of the slots that visitors in line could have used, in percent, the largest first; without reasons
 * that never occurred.
 */
export function idleOf(results: readonly SeedResult[]): [reason: string, percent: number][] {
  const usable = results.reduce((sum, { counts }) => sum + counts.usableSeconds, 0);
  if (usable === 0) return [];
  const percents = IDLE_REASONS.map((reason): [string, number] => {
    const seconds = results.reduce((sum, { idle }) => sum + (idle[reason] ?? 0), 0);
    return [reason, (100 * seconds) / usable];
  });
  return percents.filter(([, percent]) => percent > 0).sort(([, one], [, other]) => other - one);
}

/** Reasons that are left out of the table, in percent. */
const SHOWN_MIN = 0.05;

/** The table; empty if no reason deserves a line. */
export function idleText(results: readonly SeedResult[], options: TableOptions): string {
  const rows = idleOf(results).filter(([, percent]) => percent >= SHOWN_MIN);
  if (rows.length === 0) return "";
  const heading = styled(
    "Slots of the whole room that visitors in line could have used, and why nobody did:",
    "dim",
    options.color,
  );
  const columns = [{ title: "", align: "right" as const }, { title: "" }];
  const lines = table(
    columns,
    rows.map(([reason, percent]) => [`${percent.toFixed(1)} %`, reason]),
    options,
  );
  return `${heading}\n${lines.slice(lines.indexOf("\n") + 1)}`;
}
