/**
 * The problems of keys that nothing knows: the first ones each by name, the others by their number.
 *
 * A document that is something else altogether may have any number of them. To compare each with the known ones, and to tell of each,
 * would hold up everything else for seconds.
 */

import type { Problem } from "./problem.ts";

/** More than anybody mistypes in one document. */
const NAMED_MAX = 50;

/** What `problemOf` says of the first of `keys`; of the rest how many they are, at `place`. */
export function unknownKeys(keys: readonly string[], place: string, problemOf: (key: string) => Problem): Problem[] {
  const named = keys.slice(0, NAMED_MAX).map(problemOf);
  const others = keys.length - named.length;
  if (others === 0) return named;
  return [...named, { path: place, problem: `has ${others} more unknown fields`, repair: "remove them" }];
}
