/**
 * The problems of unknown keys: the first ones each by name, the others by their number.
 *
 * A document of another kind may have any number of them. Comparing each with the known ones, and reporting each, would
 * block everything else for seconds.
 */

import { didYouMean } from "./near-miss.ts";
import { type Problem, problemAt } from "./problem.ts";

/** More than any person mistypes in one document. */
const NAMED_MAX = 50;

/** The problem of each of the first `keys`; for the rest their number, at `place`. */
export function unknownKeys(keys: readonly string[], place: string, problemOf: (key: string) => Problem): Problem[] {
  const named = keys.slice(0, NAMED_MAX).map(problemOf);
  const others = keys.length - named.length;
  if (others === 0) return named;
  return [...named, { path: place, problem: `has ${others} more unknown fields`, repair: "remove them" }];
}

export interface KnownFields {
  /** What a misspelt name may have meant. */
  readonly known: readonly string[];
  /** Fields that are let through besides. */
  readonly ignored?: readonly string[];
  /** The place of the group in its document. */
  readonly place?: string;
  /** A better repair for some names than the nearest known one. */
  readonly repairOf?: (name: string) => string | undefined;
}

/** The problem of each field of `group` that is not known. */
export function unknownFields(
  group: Readonly<Record<string, unknown>>,
  { known, ignored = [], place = "", repairOf }: KnownFields,
): Problem[] {
  const keys = Object.keys(group).filter((key) => !known.includes(key) && !ignored.includes(key));
  const otherwise = `remove it; known ${known.length === 1 ? "is" : "are"} ${known.join(", ")}`;
  return unknownKeys(keys, place, (key) => {
    const repair = repairOf?.(key) ?? didYouMean(key, known, otherwise);
    return problemAt(place === "" ? key : `${place}.${key}`, group[key], { problem: "is not a known field", repair });
  });
}
