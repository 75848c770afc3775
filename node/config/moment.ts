/** A moment in a document: an ISO 8601 timestamp with its offset, such as 2026-11-27T10:00:00+01:00. */

import type { Complaint } from "./problem.ts";

const FORM = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|z|[+-]\d\d:\d\d)$/;

export const MOMENT_REPAIR =
  'write a time with its zone, such as "2026-11-27T10:00:00Z" or "2026-11-27T11:00:00+01:00"';

/** Unix ms; undefined where `text` is no moment. */
export function momentOf(text: unknown): number | undefined {
  const [, day, time, offset] = FORM.exec(typeof text === "string" ? text : "") ?? [];
  if (day === undefined || time === undefined || offset === undefined) return undefined;
  const ms = Date.parse(`${day}T${time}${offset.toUpperCase()}`);
  const local = Date.parse(`${day}T${time}Z`);
  // Some days do not exist, and would be taken for one of the next month.
  if (!(ms >= 0) || Number.isNaN(local) || !new Date(local).toISOString().startsWith(day)) return undefined;
  return ms;
}

export function momentComplaint(text: string): Complaint {
  return momentOf(text) === undefined ? { problem: "is not a time with its zone", repair: MOMENT_REPAIR } : undefined;
}
