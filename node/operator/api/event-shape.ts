/** An event as the API takes and gives it, for the OpenAPI document; EVENT_SCHEMA checks what comes. */

import { z } from "zod";
import { EVENT_FIELD_NAMES, EVENT_FIELDS, type EVENT_SCHEMA } from "../../config/event-schema.ts";

const FIELDS = describedFields();
const { name, event_start_time, event_end_time } = FIELDS;

const PHASE = z
  .enum(["suspended", "upcoming", "prequeue", "active", "ended"])
  .describe("where the event is: switched off, to come, holding visitors in line, in effect, or over");

export const EVENT = z.object({
  ...z.object(FIELDS).partial().shape,
  name,
  event_start_time,
  event_end_time,
  phase: PHASE,
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

function describedFields(): typeof EVENT_SCHEMA.shape {
  const entries = EVENT_FIELD_NAMES.map((field) => {
    const { schema, help } = EVENT_FIELDS[field];
    return [field, schema.meta({ description: help })];
  });
  return Object.fromEntries(entries) as typeof EVENT_SCHEMA.shape;
}
