/**
 * The columns of a CSV file from which passes are made.
 *
 * Columns that say nothing about a pass are copied. So a column that was meant to and is not read must not pass for one
 * of those: without its key a pass is good for any number of visitors.
 */

import { type Problem, problemAt } from "../../node/config/problem.ts";
import { PASS_FIELDS } from "../../node/cookie/pass-order.ts";

/** What spreadsheets put between values in place of a comma. */
const OTHER_SEPARATORS = /[;\t|]/;

/** Why the columns cannot be used. `place`: the file and their line. */
export function columnProblems(columns: readonly string[], place: string): Problem[] {
  return columns.flatMap((column, at): Problem[] => {
    const complaint = complaintAbout(column, columns.indexOf(column) < at);
    return complaint === undefined ? [] : [problemAt(`${place}: column ${at + 1}`, column, complaint)];
  });
}

function complaintAbout(column: string, isAgain: boolean): { problem: string; repair: string } | undefined {
  if (isAgain) return { problem: "is the name of an earlier column too", repair: "give each column its own name" };
  if (isField(column)) return undefined;
  const name = column.trim().toLowerCase();
  if (OTHER_SEPARATORS.test(column) && name.split(OTHER_SEPARATORS).some((part) => isField(part.trim())))
    return { problem: "holds several names", repair: "separate columns by commas" };
  if (!isField(name)) return undefined;
  return {
    problem: `looks like ${name}, and would not be read`,
    repair: `write ${name}, in small letters without blanks`,
  };
}

function isField(name: string): boolean {
  return PASS_FIELDS.some((field) => field === name);
}
