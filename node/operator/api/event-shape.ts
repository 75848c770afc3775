/** An event as the API takes and gives it, for the OpenAPI document; EVENT_SCHEMA checks what comes. */

import { z } from "zod";
import { eventFieldHelp } from "../../config/event-help.ts";
import { EVENT_FIELDS, EVENT_SCHEMA } from "../../config/event-schema.ts";

const FIELDS = describedFields();
const { name, event_start_time, event_end_time } = FIELDS;

const PHASE = z
  .enum(["suspended", "upcoming", "prequeue", "active", "ended"])
  .describe("where the event is: switched off, to come, holding visitors in line, in effect, or over");

export const EVENT = z.object({
  ...z.object(FIELDS).partial().shape,
  ...{ name, event_start_time, event_end_time, phase: PHASE },
});

const REPEATED = { phase: PHASE.optional() };

export const NEW_EVENT = z.strictObject({ ...FIELDS, ...REPEATED });

/** In a change, null inherits from the room again. */
export const EVENT_PATCH = z.strictObject({ ...z.object(FIELDS).partial().shape, ...REPEATED });

export const EVENT_EXAMPLE = {
  name: "sale",
  event_start_time: "2026-11-27T10:00:00Z",
  event_end_time: "2026-11-27T12:00:00Z",
  prequeue_start_time: "2026-11-27T09:30:00Z",
  shuffle_at_event_start: true,
} as const;

export const EVENT_ANSWER_EXAMPLE = {
  ...EVENT_EXAMPLE,
  ...{ suspended: false, phase: "upcoming" },
} as const;

function describedFields(): typeof EVENT_SCHEMA.shape {
  const help = new Map(eventFieldHelp().map((each) => [each.field, each.help]));
  const entries = EVENT_FIELDS.map((field) => [
    field,
    EVENT_SCHEMA.shape[field].meta({ description: help.get(field) }),
  ]);
  return Object.fromEntries(entries) as typeof EVENT_SCHEMA.shape;
}
