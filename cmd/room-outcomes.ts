/** What applying a rooms file does to each room, or would do, as lines for people. */

import type { Applied } from "../node/rooms/declared-changes.ts";

const TRIAL_WORDS: Readonly<Record<Applied["outcome"], string>> = {
  created: "would be created",
  updated: "would be updated",
  unchanged: "stays as it is",
};

/** One line for each room; in a trial also one for each field that would change, with both values. */
export function outcomeLines(results: readonly Applied[], { isTrial }: { readonly isTrial: boolean }): string[] {
  if (!isTrial) return results.map(({ name, outcome }) => `${outcome.padEnd(9)} ${name}`);
  return results.flatMap(({ name, outcome, changes = [] }) => [
    `room ${name}: ${TRIAL_WORDS[outcome]}`,
    ...changes.map(({ field, from, to }) => `  ${field}: ${from} → ${to}`),
  ]);
}
