/**
 * What an operator wants of a new pass, checked: from the admin API, from flags, or from a row of a CSV file.
 */

import { expiryOf } from "../config/expiry.ts";
import { isObject } from "../config/is-object.ts";
import { type Checked, type Complaint, checked, problemAt } from "../config/problem.ts";
import { unknownFields } from "../config/unknown-keys.ts";
import { PASS_KEY_CHARS_MAX, type Pass } from "./pass.ts";

export type PassOrder = Pick<Pass, "key" | "lane" | "isStaff" | "expiresMs">;

/** How long a pass is good if nothing else is said, and at most: everybody who has it can use it until then. */
export const PASS_EXPIRES = "30d";
const DAYS_MAX = 400;

/** The fields of a pass in documents. */
export const PASS_FIELDS = ["key", "lane", "staff", "expires"] as const;

/** Reads an order; `path` is put before the places of its problems. Text and empty text are values of a CSV file. */
export function parsePassOrder(
  document: unknown,
  { path, nowMs }: { path: string; nowMs: number },
): Checked<PassOrder> {
  const at = (field: string): string => (path === "" ? field : `${path}.${field}`);
  if (!isObject(document)) {
    const repair = `write {key: ${JSON.stringify("a-1")}, expires: ${PASS_EXPIRES}}; all fields may be left out`;
    return { ok: false, problems: [problemAt(path, document, { problem: "is no group of fields", repair })] };
  }
  const problems = unknownFields(document, { known: PASS_FIELDS, place: path });
  const complain = (field: string, complaint: Complaint): void => {
    if (complaint !== undefined) problems.push(problemAt(at(field), document[field], complaint));
  };
  const { key = "", lane = "", staff = "", expires = "" } = document;
  complain("key", keyComplaint(key));
  const laneGiven = lane === "" ? undefined : Number(lane);
  if (laneGiven !== undefined && !/^[1-9]$/.test(String(lane))) {
    complain("lane", { problem: "is not a lane", repair: "write a number from 1 to 9, or leave it out" });
  }
  const isStaff = staff === true || staff === "true";
  if (!isStaff && staff !== false && staff !== "false" && staff !== "") {
    complain("staff", { problem: "is not true or false", repair: "write true or false" });
  }
  const expiresMs = expiryOf(expires === "" ? PASS_EXPIRES : expires, {
    nowMs,
    daysMax: DAYS_MAX,
    example: PASS_EXPIRES,
  });
  if (typeof expiresMs !== "number") complain("expires", expiresMs);
  if (problems.length > 0 || typeof expiresMs !== "number") return { ok: false, problems };
  return checked(
    {
      ...(key !== "" && { key: String(key) }),
      ...(laneGiven !== undefined && { lane: laneGiven }),
      isStaff,
      expiresMs,
    },
    problems,
  );
}

function keyComplaint(key: unknown): Complaint {
  const repair = `write 1 to ${PASS_KEY_CHARS_MAX} characters, such as the number of an order`;
  if (typeof key !== "string") return { problem: "is not a text", repair };
  if ([...key].length > PASS_KEY_CHARS_MAX)
    return { problem: `is longer than ${PASS_KEY_CHARS_MAX} characters`, repair };
  if (!key.isWellFormed()) return { problem: "is not a valid text", repair };
  return /\p{Cc}/u.test(key) ? { problem: "has a control character", repair } : undefined;
}
