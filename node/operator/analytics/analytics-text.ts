/** Analytics as CSV and as a JSON value per line. */

import { HELD_REASONS, UNKNOWN_REASON } from "../../history/minute-record.ts";
import type { Point } from "./analytics.ts";

const HELD = [...HELD_REASONS, UNKNOWN_REASON];

/** The columns of the CSV form, in order; localities have none. */
const COLUMNS: readonly (readonly [name: string, value: (point: Point) => string | number | null])[] = [
  ["at", ({ at }) => at],
  ["inside", ({ inside }) => inside],
  ["inside_max", (point) => point.inside_max],
  ["limit", ({ limit }) => limit],
  ["admitted", ({ admitted }) => admitted],
  ["waiting", ({ waiting }) => waiting],
  ["waiting_max", (point) => point.waiting_max],
  ["joined", ({ joined }) => joined],
  ["waited_p25", ({ waited_seconds: waited }) => waited?.p25 ?? null],
  ["waited_p50", ({ waited_seconds: waited }) => waited?.p50 ?? null],
  ["waited_p75", ({ waited_seconds: waited }) => waited?.p75 ?? null],
  ["waited_p95", ({ waited_seconds: waited }) => waited?.p95 ?? null],
  ["abandoned", ({ abandoned }) => abandoned],
  ["no_shows", (point) => point.no_shows],
  ["returned", ({ returned }) => returned],
  ["revoked", ({ revoked }) => revoked],
  ["completed", ({ completed }) => completed],
  ["bypassed", ({ bypassed }) => bypassed],
  ["rejected", ({ rejected }) => rejected],
  ["minutes_over_limit", (point) => point.minutes_over_limit],
  ["over_limit_max", (point) => point.over_limit_max],
  ...HELD.map((reason) => [`held_back_${reason}`, (point: Point) => point.held_back[reason] ?? 0] as const),
];

/** RFC 4180; no value needs quotes: they are numbers and times. */
export function csvOf(points: readonly Point[]): string {
  const rows = points.map((point) => COLUMNS.map(([, value]) => value(point) ?? "").join(","));
  return [COLUMNS.map(([name]) => name).join(","), ...rows].map((row) => `${row}\r\n`).join("");
}

export function ndjsonOf(points: readonly Point[]): string {
  return points.map((point) => `${JSON.stringify(point)}\n`).join("");
}
