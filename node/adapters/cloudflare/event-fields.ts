/** An event in Cloudflare's form, and back to a document of ours. Fields that only we have travel in `anteroom`. */

import type { RoomEvent } from "../../config/event.ts";
import { EVENT_FIELD_NAMES, type EventField, eventDocument } from "../../config/event-schema.ts";
import { isObject } from "../../config/is-object.ts";
import { type Problem, problemAt } from "../../config/problem.ts";
import { unknownFields } from "../../config/unknown-keys.ts";
import { isoOf } from "../../iso-time.ts";
import { phaseOf } from "../../rooms/event-in-force.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { NOT_HERE } from "./envelope.ts";
import type { Item, KeptItem } from "./kept-ids.ts";
import type { ReadRoom } from "./room-fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields in `anteroom`. */
const OURS = ["draw", "draw_public_value", "ramp"] as const satisfies readonly EventField[];
const SAME = EVENT_FIELD_NAMES.filter((name) => !OURS.some((each) => each === name));
const READ_ONLY: readonly string[] = ["id", "created_on", "modified_on"];
/** Of the room; an event cannot change them here. */
const TURNSTILE: readonly string[] = ["turnstile_mode", "turnstile_action"];
const THEIRS: readonly string[] = [...SAME, ...TURNSTILE];

/** What an event inherits, and what else our documents leave out. */
const EMPTY = {
  description: "",
  suspended: false,
  prequeue_start_time: null,
  shuffle_at_event_start: false,
  total_active_users: null,
  new_users_per_minute: null,
  session_duration: null,
  disable_session_renewal: null,
  queueing_method: null,
  custom_page_html: null,
  turnstile_mode: null,
  turnstile_action: null,
};
const OURS_EMPTY = { draw: false, draw_public_value: "", ramp: "" };

export function eventItem(event: RoomEvent): Item {
  return { document: eventDocument(event), name: event.name };
}

export function eventAnswer(event: RoomEvent, kept: KeptItem, live: LiveRoom): Fields {
  const document: Fields = eventDocument(event);
  const ours = Object.fromEntries(OURS.flatMap((name) => (name in document ? [[name, document[name]]] : [])));
  return {
    id: kept.id,
    ...EMPTY,
    ...Object.fromEntries(SAME.flatMap((name) => (name in document ? [[name, document[name]]] : []))),
    created_on: isoOf(kept.created_ms),
    modified_on: isoOf(kept.modified_ms),
    anteroom: { ...OURS_EMPTY, ...ours, phase: phaseOf(event, live.nowMs) },
  };
}

/** The event as it works: what it inherits is filled in from the room as declared. */
export function eventDetails(event: RoomEvent, kept: KeptItem, live: LiveRoom): Fields {
  const { turnstile_mode: _mode, turnstile_action: _action, ...answer } = eventAnswer(event, kept, live);
  const { declared: room } = live;
  return {
    ...answer,
    total_active_users: event.totalActiveUsers ?? room.totalActiveUsers,
    new_users_per_minute: event.newUsersPerMinute ?? room.newUsersPerMinute,
    session_duration: event.sessionDuration ?? room.sessionDuration,
    disable_session_renewal: event.disableSessionRenewal ?? room.disableSessionRenewal,
    queueing_method: event.queueingMethod ?? room.queueingMethod,
    custom_page_html: event.customPageHtml === "" ? room.customPageHtml : event.customPageHtml,
  };
}

/** Reads a body; `whole` sets what it does not name to its default, and keeps our fields if it has no `anteroom`. */
export function readEvent(body: unknown, kind: "whole" | "part"): ReadRoom {
  if (!isObject(body)) {
    const problem = { problem: "is not an object", repair: "send the fields of an event as a JSON object" };
    return { document: {}, problems: [problemAt("", body, problem)] };
  }
  const { anteroom } = body;
  const ours = isObject(anteroom) ? anteroom : {};
  const defaults = kind === "part" ? [] : [...SAME, ...("anteroom" in body ? OURS : [])];
  const document = {
    ...Object.fromEntries(defaults.map((name) => [name, undefined])),
    ...Object.fromEntries(SAME.filter((name) => name in body).map((name) => [name, body[name]])),
    ...Object.fromEntries(OURS.filter((name) => name in ours).map((name) => [name, ours[name]])),
  };
  return { document, problems: [...unknownTheirs(body), ...turnstileProblems(body), ...oursProblems(anteroom)] };
}

function unknownTheirs(body: Fields): Problem[] {
  const repairOf = (key: string): string | undefined =>
    OURS.some((name) => name === key) ? `write it as anteroom: {${key}: …}` : undefined;
  return unknownFields(body, { known: [...THEIRS, "anteroom"], ignored: READ_ONLY, repairOf });
}

function turnstileProblems(body: Fields): Problem[] {
  return TURNSTILE.filter((name) => (body[name] ?? null) !== null).map((name) => {
    const problem = `${NOT_HERE}: an event inherits it from its room`;
    return problemAt(name, body[name], { problem, repair: "write null, and set it for the room" });
  });
}

function oursProblems(anteroom: unknown): Problem[] {
  if (anteroom === undefined) return [];
  const known = OURS.join(", ");
  if (!isObject(anteroom)) {
    const repair = `write an object with some of ${known}, or leave it out`;
    return [problemAt("anteroom", anteroom, { problem: "is not an object", repair })];
  }
  return unknownFields(anteroom, { known: OURS, ignored: ["phase"], place: "anteroom" });
}

/** A place in our document as the place in a body of theirs: `draw` is `anteroom.draw`. */
export function eventPlaceThere(path: string): string {
  return OURS.some((name) => name === path) ? `anteroom.${path}` : path;
}
