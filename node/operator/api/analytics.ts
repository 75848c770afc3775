/** The part of the admin API about what happened in a room: `/v1/rooms/NAME/analytics`. */

import type { Context } from "hono";
import { z } from "zod";
import { timeText } from "../../config/field-kinds.ts";
import { accepts } from "../../gate/accepts.ts";
import { stepsOf } from "../../history/span.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { refusalFor } from "../access/other-rooms.ts";
import type { Analytics, RoomAnalytics } from "../analytics/analytics.ts";
import { csvOf, ndjsonOf } from "../analytics/analytics-text.ts";
import { failure, invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { named } from "./common-shapes.ts";

/** Read at once: each takes its part of this process's time. */
const READS_MAX = 4;

/** The forms of an answer, by name, and their media types. */
const FORMATS = {
  json: "application/json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
} as const;
type Format = keyof typeof FORMATS;

const count = z.int().min(0);
const average = z.number().min(0);
const seconds = z.number().min(0);

const LOCALITY = named(
  "LocalityFigures",
  z.object({
    admitted: count.describe("sessions that began there"),
    inside: average.describe("visitors inside, on average"),
    waiting: average.describe("visitors in line, on average"),
  }),
);
const FIGURES = {
  inside: average.describe("visitors inside, on average"),
  inside_max: average.describe("the same in the highest minute"),
  limit: count.nullable().describe("the highest limit; null where it is not known"),
  minutes_over_limit: count.describe("minutes in which more visitors were inside than the limit of that minute"),
  over_limit_max: average.describe("how many more at most"),
  admitted: count.describe("sessions that began"),
  waiting: average.describe("visitors in line, on average"),
  waiting_max: average.describe("the same in the highest minute"),
  joined: count.describe("places that were taken in line"),
  waited_seconds: z
    .object({
      p25: seconds.describe("a quarter waited no longer"),
      p50: seconds.describe("half of them waited no longer"),
      p75: seconds.describe("three quarters waited no longer"),
      p95: seconds.describe("19 of 20 waited no longer"),
    })
    .nullable()
    .describe("waits of visitors admitted from the line; null if nobody was"),
  abandoned: count.describe("visitors who left the line, or stopped asking before they were called"),
  no_shows: count.describe("visitors who were called and did not come"),
  returned: count.describe("visitors who asked for a place that the line had given up"),
  revoked: count.describe("sessions that the origin ended by revoke"),
  completed: count.describe("sessions that the origin ended by complete"),
  bypassed: count.describe("requests that passed by a rule, an address or a staff pass, or of proven crawlers"),
  rejected: count.describe("requests of visitors who got neither a slot nor a place"),
  held_back: z.record(z.string(), seconds).describe("seconds in which visitors in line were held back, by reason"),
  localities: z.record(z.string(), LOCALITY).describe("by locality"),
};

const EXAMPLE_FIGURES = {
  ...{
    inside: 812.4,
    inside_max: 812.4,
    limit: 900,
    minutes_over_limit: 0,
    over_limit_max: 0,
    admitted: 120,
    waiting: 230.1,
    waiting_max: 230.1,
    joined: 140,
  },
  ...{ waited_seconds: { p25: 31, p50: 60, p75: 110, p95: 240 }, abandoned: 3, no_shows: 1, returned: 0, revoked: 0 },
  ...{ completed: 0, bypassed: 12, rejected: 0, held_back: { down: 12 } },
  localities: { eu: { admitted: 120, inside: 812.4, waiting: 230.1 } },
};

const READ = operation({
  ...{ id: "getAnalytics", method: "GET", path: "/v1/rooms/{name}/analytics", topic: "rooms", scope: "read" },
  summary: "what happened in a room, step by step, on all nodes: [analytics](analytics.md)",
  description:
    "With format=csv or format=ndjson, or with the Accept field, as CSV or as a JSON value per line. " +
    "A room that was deleted in the last 30 days still has its analytics.",
  query: z.object({
    from: z.string().optional().describe("the beginning: -2h, -7d or 2026-11-27T10:00:00Z; a day ago without it"),
    to: z.string().optional().describe("the end in the same form, or now; now without it"),
    step: z.string().optional().describe("the length of a step: 1m, 15m, 1h, 1d; as suits the span without it"),
    format: z.enum(["json", "csv", "ndjson"]).optional().describe("json, csv or ndjson"),
  }),
  answer: {
    status: 200,
    description: "the figures of each step",
    schema: named(
      "Analytics",
      z.object({
        room: z.string().describe("the room's name"),
        from: timeText.describe("where the first step begins"),
        to: timeText.describe("where the last step ends"),
        step_seconds: z.number().describe("the length of a step"),
        complete_until: timeText.describe("nothing before it changes any more"),
        missing: z
          .array(
            z.object({
              node: z.string().describe("the node's id"),
              name: z.string().optional().describe("what its operator calls it"),
              from: timeText.describe("the first minute that is missing"),
              to: timeText.describe("the end of the last one"),
            }),
          )
          .describe("minutes of nodes that are not in the answer, those lost for good too"),
        points: z
          .array(named("AnalyticsPoint", z.object({ at: timeText.describe("where the step begins"), ...FIGURES })))
          .describe("every step of the span"),
        totals: named("AnalyticsTotals", z.object(FIGURES)).describe("the whole span"),
      }),
    ),
    example: {
      ...{ room: "shop", from: "2026-11-27T10:00:00.000Z", to: "2026-11-27T10:01:00.000Z", step_seconds: 60 },
      ...{ complete_until: "2026-11-27T10:01:00.000Z", missing: [] },
      points: [{ at: "2026-11-27T10:00:00.000Z", ...EXAMPLE_FIGURES }],
      totals: EXAMPLE_FIGURES,
    },
  },
  problems: ["not-found", "too-many"],
});

export const ANALYTICS_OPERATIONS = [READ];

export interface AnalyticsRoutes {
  readonly rooms: Rooms;
  readonly analytics: RoomAnalytics;
}

export function analyticsRoutes(serve: Serve, { rooms, analytics }: AnalyticsRoutes): void {
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
      if (read !== undefined) return answer(read, format ?? formatOf(c));
    } finally {
      reads -= 1;
    }
    const unknown = rooms.named(name);
    return unknown.ok ? failure("not-found", `Cannot find room ${name}`) : refusalFor(c, unknown.refusal);
  });
}

function formatOf(c: Context): Format {
  const accept = c.req.header("Accept") ?? "";
  return (["csv", "ndjson"] as const).find((format) => accepts(accept, FORMATS[format])) ?? "json";
}

function answer(read: Analytics, format: Format): Response {
  if (format === "json") return Response.json(read);
  const text = format === "csv" ? csvOf(read.points) : ndjsonOf(read.points);
  return new Response(text, {
    headers: {
      "Content-Type": `${FORMATS[format]}; charset=utf-8`,
      "Anteroom-Complete-Until": read.complete_until,
      "Anteroom-Missing": String(read.missing.length),
    },
  });
}
