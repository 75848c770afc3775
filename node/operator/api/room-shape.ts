/**
 * A room as the API takes and gives it, for the OpenAPI document. Fields, ranges and defaults are those of ROOM_SCHEMA,
 * which also checks what comes; the meanings are those of `--help`.
 *
 * An answer leaves out what is empty, and a request may repeat what an answer had.
 */

import { z } from "zod";
import { EVENTS_MAX } from "../../config/event-schema.ts";
import { timeText } from "../../config/field-kinds.ts";
import { ORIGIN_FORMS } from "../../config/origin-fields.ts";
import { defaultOf, FIELD_NAMES, type FieldName, ROOM_FIELDS, type ROOM_SCHEMA } from "../../config/room-schema.ts";
import { EVENT_NOW, ROOM_ID } from "../../rooms/api-room.ts";
import { OPERATOR_ORDER } from "../../rooms/room-order.ts";
import { NEW_EVENT } from "./event-shape.ts";

/** A room with no more than it must have: what the others are by default. */
const SMALLEST = { name: "shop", host: "*", total_active_users: 500, new_users_per_minute: 100 } as const;

/** What says more than the schema that checks. */
const INSTEAD: Partial<Record<FieldName, z.ZodType>> = {
  origin: z.union(ORIGIN_FORMS),
  events: z.array(NEW_EVENT).max(EVENTS_MAX),
};

const FIELDS = describedFields();
const { name, host, total_active_users, new_users_per_minute } = FIELDS;

const READ_ONLY = {
  id: ROOM_ID,
  operator_order: OPERATOR_ORDER,
  current_event: EVENT_NOW,
  next_event_prequeue_start_time: timeText.nullable().describe("null if no event comes, or if it has no pre-queue"),
  next_event_start_time: timeText.nullable().describe("null if no event comes"),
  created_on: timeText.describe("when the room was created"),
  modified_on: timeText.describe("when its document was last changed"),
};

const REPEATED = z.object(READ_ONLY).partial().shape;

export const ROOM = z.object({
  ...z.object(FIELDS).partial().shape,
  name,
  host,
  total_active_users,
  new_users_per_minute,
  ...READ_ONLY,
});

export const NEW_ROOM = z.strictObject({ ...FIELDS, ...REPEATED });

export const ROOM_PATCH = z.strictObject({ ...z.object(FIELDS).partial().shape, ...REPEATED });

export const ROOM_EXAMPLE = {
  ...SMALLEST,
  host: "shop.example.com",
  path: "/tickets",
  session_duration: 5,
  queueing_method: "fifo",
} as const;

/** Each field with its meaning and its default. */
function describedFields(): typeof ROOM_SCHEMA.shape {
  const required: readonly string[] = Object.keys(SMALLEST);
  const entries = FIELD_NAMES.map((field) => {
    const { schema, help } = ROOM_FIELDS[field];
    const shape = INSTEAD[field] ?? schema;
    if (required.includes(field)) return [field, shape.meta({ description: help })];
    const fallback = defaultOf(field) ?? (field === "events" ? [] : null);
    return [field, shape.optional().meta({ description: help, fallback })];
  });
  return Object.fromEntries(entries) as typeof ROOM_SCHEMA.shape;
}
