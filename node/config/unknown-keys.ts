/**
 * The problems of unknown keys: the first ones each by name, the others by their number.
 *
 * A document of another kind may have any number of them. Comparing each with the known ones, and reporting each, would
 * block everything else for seconds.
 */

import type { Problem } from "./problem.ts";

/** More than any person mistypes in one document. */
const NAMED_MAX = 50;

/** The problem of each of the first `keys`; for the rest their number, at `place`. */
export function unknownKeys(keys: readonly string[], place: string, problemOf: (key: string) => Problem): Problem[] {
  const named = keys.slice(0, NAMED_MAX).map(problemOf);
  const others = keys.length - named.length;
  if (others === 0) return named;
  return [...named, { path: place, problem: `has ${others} more unknown fields`, repair: "remove them" }];
}
