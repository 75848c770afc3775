/**
 * The fields of an event's document. Names and meanings follow Cloudflare's Waiting Room API; null, or nothing,
 * inherits from the room. What must hold between fields and between events is in event-rules.ts.
 */

import { z } from "zod";
import { ROOM_BYTES_MAX } from "../../mesh/core/wire/shapes.ts";
import { isoOf } from "../iso-time.ts";
import { EVENTS_MAX, type RoomEvent } from "./event.ts";
import { limit, queueingMethod, rampField, sessionMinutes } from "./field-kinds.ts";
import { isObject } from "./is-object.ts";
import { MOMENT_REPAIR, momentComplaint, momentOf } from "./moment.ts";
import { rampOf, rampText } from "./ramp.ts";
import { templateComplaint } from "./template-check.ts";
import { oneLineComplaint } from "./text-checks.ts";
import { text } from "./text-field.ts";

const DESCRIPTION_MAX = 1_000;

/** Characters of the words that announce a public value, and of the value itself. */
export const DRAW_VALUE_MAX = 200;

const moment = text(momentComplaint).transform((written) => isoOf(momentOf(written) ?? 0));

/** The document of one event, field by field; unknown fields are refused. */
export const EVENT_SCHEMA = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "is not an event's name"),
  description: z.string().max(DESCRIPTION_MAX).default(""),
  suspended: z.boolean().default(false),
  event_start_time: moment,
  event_end_time: moment,
  prequeue_start_time: moment.nullable().default(null),
  shuffle_at_event_start: z.boolean().default(false),
  draw: z.boolean().default(false),
  draw_public_value: text(oneLineComplaint, DRAW_VALUE_MAX).default(""),
  total_active_users: limit.nullable().default(null),
  new_users_per_minute: limit.nullable().default(null),
  session_duration: sessionMinutes.nullable().default(null),
  disable_session_renewal: z.boolean().nullable().default(null),
  queueing_method: queueingMethod.nullable().default(null),
  custom_page_html: text(templateComplaint, ROOM_BYTES_MAX)
    .nullable()
    .transform((html) => html ?? "")
    .default(""),
  ramp: z.preprocess((ramp) => ramp ?? "", rampField).default(""),
});

export type EventField = keyof typeof EVENT_SCHEMA.shape;
export const EVENT_FIELDS = Object.keys(EVENT_SCHEMA.shape) as readonly EventField[];

/** Fields that Cloudflare's API adds to an event; they are ignored. */
const READ_ONLY: readonly string[] = ["id", "created_on", "modified_on", "phase"];

/** A room's events; undefined where its document says nothing about them. */
export const EVENTS = z.array(z.preprocess(withoutReadOnly, EVENT_SCHEMA)).max(EVENTS_MAX).optional();

export type EventDocument = z.output<typeof EVENT_SCHEMA>;

/** What to write in each field. */
export const EVENT_REPAIRS: Readonly<Record<EventField, string>> = {
  name: "write 1 to 64 letters, digits, hyphens and underscores",
  description: `write a text of at most ${DESCRIPTION_MAX} characters`,
  suspended: "write true or false",
  event_start_time: MOMENT_REPAIR,
  event_end_time: MOMENT_REPAIR,
  prequeue_start_time: `${MOMENT_REPAIR}; or leave it out if nobody is to wait before the start`,
  shuffle_at_event_start: "write true or false",
  draw: "write true or false",
  draw_public_value: `write in one line of at most ${DRAW_VALUE_MAX} characters which public value it will be, such as "EuroJackpot numbers of 2026-11-27"; or leave it out`,
  total_active_users: "write how many visitors may have a session at once, 1 to 10,000,000; or leave both limits out",
  new_users_per_minute: "write how many visitors may be admitted per minute, 1 to 10,000,000; or leave both limits out",
  session_duration: "write the minutes that a session lasts after its last request, 1 to 30; or leave it out",
  disable_session_renewal: "write true or false, or leave it out",
  queueing_method: "write fifo, random, passthrough or reject, or leave it out",
  custom_page_html: "write a Mustache template, or leave it out for the room's page",
  ramp: 'write new users per minute, percent and minutes, such as "500/50/5", or leave it out',
};

/** The names of the fields and of those that are ignored. */
function withoutReadOnly(document: unknown): unknown {
  if (!isObject(document)) return document;
  return Object.fromEntries(Object.entries(document).filter(([key]) => !READ_ONLY.includes(key)));
}

export function eventOf(document: EventDocument): RoomEvent {
  return {
    name: document.name,
    description: document.description,
    suspended: document.suspended,
    startMs: momentOf(document.event_start_time) ?? 0,
    endMs: momentOf(document.event_end_time) ?? 0,
    prequeueMs: momentOf(document.prequeue_start_time),
    shuffles: document.shuffle_at_event_start,
    isDrawn: document.draw,
    drawValue: document.draw_public_value,
    totalActiveUsers: document.total_active_users ?? undefined,
    newUsersPerMinute: document.new_users_per_minute ?? undefined,
    sessionDuration: document.session_duration ?? undefined,
    disableSessionRenewal: document.disable_session_renewal ?? undefined,
    queueingMethod: document.queueing_method ?? undefined,
    customPageHtml: document.custom_page_html,
    ramp: document.ramp === "" ? undefined : rampOf(document.ramp),
  };
}

/** The event's document: what it does not set is left out. */
export function eventDocument(event: RoomEvent): EventDocument {
  const document: EventDocument = {
    name: event.name,
    description: event.description,
    suspended: event.suspended,
    event_start_time: isoOf(event.startMs),
    event_end_time: isoOf(event.endMs),
    prequeue_start_time: event.prequeueMs === undefined ? null : isoOf(event.prequeueMs),
    shuffle_at_event_start: event.shuffles,
    draw: event.isDrawn ?? false,
    draw_public_value: event.drawValue ?? "",
    total_active_users: event.totalActiveUsers ?? null,
    new_users_per_minute: event.newUsersPerMinute ?? null,
    session_duration: event.sessionDuration ?? null,
    disable_session_renewal: event.disableSessionRenewal ?? null,
    queueing_method: event.queueingMethod ?? null,
    custom_page_html: event.customPageHtml,
    ramp: event.ramp === undefined ? "" : rampText(event.ramp),
  };
  const isSaid = (key: string, value: unknown) => value !== null && value !== "" && (key !== "draw" || value === true);
  const kept = Object.entries(document).filter(([key, value]) => isSaid(key, value));
  return Object.fromEntries(kept) as EventDocument;
}
