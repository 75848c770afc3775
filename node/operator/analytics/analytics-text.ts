/** Analytics as CSV. */

import { HELD_REASONS, UNKNOWN_REASON } from "../../history/minute-record.ts";
import { POINT, type Point } from "./analytics.ts";

type Column = readonly [name: string, value: (point: Point) => string | number | null];

const PERCENTILES = ["p25", "p50", "p75", "p95"] as const;

/** The columns, in the order of a point's fields; localities have none. */
const COLUMNS = POINT.keyof().options.flatMap((field): Column[] => {
  if (field === "localities") return [];
  if (field === "waited_seconds")
    return PERCENTILES.map((part) => [`waited_${part}`, ({ waited_seconds: waited }) => waited?.[part] ?? null]);
  if (field === "held_back")
    return [...HELD_REASONS, UNKNOWN_REASON].map((why) => [
      `held_back_${why}`,
      ({ held_back: held }) => held[why] ?? 0,
    ]);
  return [[field, (point) => point[field]]];
});

/** RFC 4180; no value needs quotes: they are numbers and times. */
export function csvOf(points: readonly Point[]): string {
  const rows = points.map((point) => COLUMNS.map(([, value]) => value(point) ?? "").join(","));
  return [COLUMNS.map(([name]) => name).join(","), ...rows].map((row) => `${row}\r\n`).join("");
}
