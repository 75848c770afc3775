/** What a schema finds wrong with a document, as problems with a repair for each field. */

import type { z } from "zod";
import { placeOf, valueAt, wrong } from "./issue-words.ts";
import { didYouMean } from "./near-miss.ts";
import { type Problem, problemAt } from "./problem.ts";
import { unknownKeys } from "./unknown-keys.ts";

export interface AboutDocument {
  readonly document: unknown;
  /** Its fields, of which one may have been meant. */
  readonly known: readonly string[];
  /** By field: what to write; under "" for the document as a whole. */
  readonly repairs: Readonly<Record<string, string>>;
  /** Fields whose values are not shown. */
  readonly hidden: readonly string[];
}

/** All of them; none without an error. */
export function schemaProblems(
  error: z.ZodError | undefined,
  { document, known, repairs, hidden }: AboutDocument,
): Problem[] {
  return (error?.issues ?? []).flatMap((issue) => {
    const place = placeOf("", issue.path);
    const value = valueAt(document, issue.path);
    if (issue.code === "unrecognized_keys") {
      const otherwise = known.length === 0 ? "remove it" : `remove it; known are ${known.join(", ")}`;
      return unknownKeys(issue.keys, place, (key) => {
        const repair = didYouMean(key, known, otherwise);
        // A misspelt field may hold what a hidden one would.
        const shown = hidden.length > 0 ? undefined : valueAt(value, [key]);
        return problemAt(placeOf(place, [key]), shown, { problem: "is not a known field", repair });
      });
    }
    const field = String(issue.path[0] ?? "");
    const repair = repairs[field] ?? repairs[""] ?? `write a group of fields: ${known.join(", ") || "{}"}`;
    return [problemAt(place, hidden.includes(field) ? undefined : value, { problem: wrong(issue, value), repair })];
  });
}
