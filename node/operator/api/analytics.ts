/** The part of the admin API about what happened in a room: `/v1/rooms/NAME/analytics`. */

import { z } from "zod";
import { HELD_REASONS, UNKNOWN_REASON } from "../../history/minute-record.ts";
import { FIGURES, LOCALITY_FIGURES } from "../../history/points.ts";
import { stepsOf } from "../../history/span.ts";
import { accepts } from "../../http/fields.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { refusalFor } from "../access/other-rooms.ts";
import { ANALYTICS, type Analytics, POINT, type Point, type RoomAnalytics } from "../analytics/analytics.ts";
import { failure, invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { named } from "./common-shapes.ts";

/** Read at once: each takes its part of this process's time. */
const READS_MAX = 4;

const READ = operation({
  id: "getAnalytics",
  method: "GET",
  path: "/v1/rooms/{name}/analytics",
  topic: "rooms",
  scope: "read",
  summary: "what happened in a room, step by step, on all nodes: [analytics](analytics.md)",
  description:
    "With format=csv, or with Accept: text/csv, as CSV. " +
    "A room that was deleted in the last 30 days still has its analytics.",
  query: z.object({
    from: z.string().optional().describe("the beginning: -2h, -7d or 2026-11-27T10:00:00Z; a day ago without it"),
    to: z.string().optional().describe("the end in the same form, or now; now without it"),
    step: z.string().optional().describe("the length of a step: 1m, 15m, 1h, 1d; as suits the span without it"),
    format: z.enum(["json", "csv"]).optional().describe("json or csv"),
  }),
  answer: {
    description: "the figures of each step",
    schema: named("Analytics", ANALYTICS),
  },
  problems: ["not-found", "too-many"],
});

named("AnalyticsPoint", POINT);
named("AnalyticsTotals", FIGURES);
named("LocalityFigures", LOCALITY_FIGURES);

export const ANALYTICS_OPERATIONS = [READ];

export function analyticsRoutes(serve: Serve, rooms: Rooms, analytics: RoomAnalytics): void {
  let reads = 0;
  serve(READ, async ({ c, params: { name }, query: { format, ...text } }) => {
    const steps = stepsOf(text, { nowMs: analytics.nowMs, minuteMs: analytics.minuteMs });
    if (!steps.ok) return invalid(steps.problems);
    if (reads >= READS_MAX) {
      const detail = `Cannot read the analytics as ${READS_MAX} readers are served already`;
      return failure("too-many", detail, { hint: "try again in some seconds", headers: { "Retry-After": "5" } });
    }
    reads += 1;
    try {
      const read = await analytics.read(name, steps.value);
      const isCsv = format === undefined ? accepts(c.req.header("Accept") ?? "", "text/csv") : format === "csv";
      if (read !== undefined) return isCsv ? csvAnswer(read) : Response.json(read);
    } finally {
      reads -= 1;
    }
    const unknown = rooms.named(name);
    return unknown.ok ? failure("not-found", `Cannot find room ${name}`) : refusalFor(c, unknown.refusal);
  });
}

function csvAnswer({ points, complete_until, missing }: Analytics): Response {
  return new Response(csvOf(points), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Anteroom-Complete-Until": complete_until,
      "Anteroom-Missing": String(missing.length),
    },
  });
}

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
function csvOf(points: readonly Point[]): string {
  const rows = points.map((point) => COLUMNS.map(([, value]) => value(point) ?? "").join(","));
  return [COLUMNS.map(([name]) => name).join(","), ...rows].map((row) => `${row}\r\n`).join("");
}
