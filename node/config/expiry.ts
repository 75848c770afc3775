/** Spans and times at which something ends, as operators write them: `12h`, `30d`, `2027-01-31T18:00:00Z`. */

import type { Complaint } from "./problem.ts";

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const DAY_MS = UNITS_MS.d;

/** How long a secret that is replaced still counts if nothing else is said: a day to bring the new one to all programs. */
export const GRACE = "24h";

/** The span in ms; undefined for a text that is none. */
export function spanMs(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** Unix ms of a span from now, or of a time, at most `daysMax` days ahead; `example` is a span for the repair. */
export function expiryOf(
  text: unknown,
  { nowMs, daysMax, example }: { readonly nowMs: number; readonly daysMax: number; readonly example: string },
): number | NonNullable<Complaint> {
  const repair = `write a span such as 12h or ${example}, or a time such as 2027-01-31T18:00:00Z`;
  if (typeof text !== "string") return { problem: "is not a text", repair };
  const span = spanMs(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/.test(text);
  const atMs = span === undefined ? (isTime ? Date.parse(text) : Number.NaN) : nowMs + span;
  if (Number.isNaN(atMs)) return { problem: "is neither a span nor a time with its zone", repair };
  if (atMs < nowMs + 1_000) return { problem: "has passed already", repair };
  if (atMs > nowMs + daysMax * DAY_MS) return { problem: `is more than ${daysMax} days ahead`, repair };
  return atMs;
}
