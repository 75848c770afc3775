/**
 * The fields of an event: for each its type, what it means, and what to write instead of a wrong value.
 *
 * Names and meanings follow Cloudflare's Waiting Room API; null, or nothing, inherits from the room. What must hold
 * between fields and between events is in event-rules.ts.
 */

import { z } from "zod";
import { ROOM_BYTES_MAX } from "../../mesh/core/wire/shapes.ts";
import { isoOf } from "../iso-time.ts";
import {
  field,
  mapped,
  named,
  readFields,
  type Shape,
  schemasOf,
  type ValuesOf,
  without,
  writeFields,
} from "./document-fields.ts";
import { limit, queueingMethod, rampField, rampForm, sessionMinutes, toggle } from "./field-kinds.ts";
import { MOMENT_REPAIR, momentComplaint, momentOf } from "./moment.ts";
import { templateComplaint } from "./template-check.ts";
import { oneLineComplaint } from "./text-checks.ts";
import { text } from "./text-field.ts";

const DESCRIPTION_MAX = 1_000;

/** Characters of the words that announce a public value, and of the value itself. */
export const DRAW_VALUE_MAX = 200;

const moment = text(momentComplaint).transform((written) => isoOf(momentOf(written) ?? 0));

/** Most events of a room: one a day for almost three years. All of a room's document is at most 256 KiB. */
export const EVENTS_MAX = 1_000;

const INHERITS = "empty for the room's";

/** A field that an event need not set. */
function inherited<Schema extends z.ZodType>(schema: Schema, help: string) {
  const optional = schema.nullable().default(null);
  type Written = z.output<typeof optional>;
  return mapped(optional, {
    help,
    read: (written) => (written ?? undefined) as Shape<Schema> | undefined,
    write: (value) => (value ?? null) as Written,
  });
}

/** A moment that every event has. */
function requiredMoment(help: string) {
  return mapped(moment, {
    help,
    repair: MOMENT_REPAIR,
    read: (written) => momentOf(written) ?? 0,
    write: isoOf,
  });
}

/** All fields of an event, in the order of its document. */
export const EVENT_FIELDS = {
  name: field(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "is not an event's name"), {
    help: "required; 1 to 64 letters, digits, - and _; each event of a room has its own",
    repair: "write 1 to 64 letters, digits, hyphens and underscores",
  }),
  description: field(z.string().max(DESCRIPTION_MAX).default(""), {
    help: "for people",
    repair: `write a text of at most ${DESCRIPTION_MAX} characters`,
  }),
  suspended: toggle("true: the room takes no notice of the event"),
  event_start_time: named(
    "startMs",
    requiredMoment("required; when the event's values begin to apply, such as 2026-11-27T10:00:00+01:00"),
  ),
  event_end_time: named("endMs", requiredMoment("required; when the room's own values apply again")),
  prequeue_start_time: named(
    "prequeueMs",
    mapped(moment.nullable().default(null), {
      help: "from when on new visitors are held in line, and see a countdown, such as 2026-11-27T09:30:00+01:00; empty for no pre-queue",
      read: (written) => (written === null ? undefined : momentOf(written)),
      write: (ms) => (ms === undefined ? null : isoOf(ms)),
    }),
  ),
  shuffle_at_event_start: named("shuffles", toggle("true: the places of all who are there at the start are drawn")),
  draw: named(
    "isDrawn",
    toggle("true: that is a draw that anybody can check afterwards; it needs shuffle_at_event_start"),
  ),
  draw_public_value: named(
    "drawValue",
    field(
      text(oneLineComplaint, DRAW_VALUE_MAX).default(""),
      "which public value goes into the draw, in words; the draw waits until it is given",
    ),
  ),
  total_active_users: inherited(limit, `most sessions at once; ${INHERITS}; both limits or none`),
  new_users_per_minute: inherited(limit, `most visitors admitted per minute; ${INHERITS}; both limits or none`),
  session_duration: inherited(
    sessionMinutes,
    `minutes that a session lasts after its last request, 1 to 30; ${INHERITS}`,
  ),
  disable_session_renewal: inherited(z.boolean(), `true: a session ends that long after it began; ${INHERITS}`),
  queueing_method: inherited(queueingMethod, `fifo, random, passthrough or reject; ${INHERITS}`),
  custom_page_html: field(
    text(templateComplaint, ROOM_BYTES_MAX)
      .nullable()
      .transform((html) => html ?? "")
      .default(""),
    `Mustache template of the waiting page, from the pre-queue on; ${INHERITS}`,
  ),
  ramp: mapped(z.preprocess((ramp) => ramp ?? "", rampField).default(""), {
    help: `start/percent/minutes; the start of an event is a cold start; ${INHERITS}`,
    ...rampForm,
  }),
};

export type EventField = keyof typeof EVENT_FIELDS;
export const EVENT_FIELD_NAMES = Object.keys(EVENT_FIELDS) as readonly EventField[];

/** The document of one event, field by field; unknown fields are refused. */
export const EVENT_SCHEMA = z.strictObject(schemasOf(EVENT_FIELDS));

/** Fields that Cloudflare's API adds to an event; they are ignored. */
const READ_ONLY: readonly string[] = ["id", "created_on", "modified_on", "phase"];

/** A room's events; undefined where its document says nothing about them. */
export const EVENTS = z
  .array(z.preprocess((event) => without(event, READ_ONLY), EVENT_SCHEMA))
  .max(EVENTS_MAX)
  .optional();

export type EventDocument = z.output<typeof EVENT_SCHEMA>;

type Values = ValuesOf<typeof EVENT_FIELDS>;

export function eventOf(document: EventDocument): Values {
  return readFields(EVENT_FIELDS, document);
}

/** The event's document: what it does not set is left out. */
export function eventDocument(event: Values): EventDocument {
  const { draw, ...document } = writeFields(EVENT_FIELDS, event);
  return { ...document, ...(draw === true && { draw }) } as EventDocument;
}

/** One entry for each field, in the order of the document. */
export function eventFieldHelp(): { readonly field: EventField; readonly help: string }[] {
  return EVENT_FIELD_NAMES.map((name) => ({ field: name, help: EVENT_FIELDS[name].help }));
}
