/**
 * Rooms as documents and back: the snake_case form of YAML, JSON and the admin API, and the `Room` that the code uses.
 *
 * A document is checked whole: every problem comes back with its place, its value and its repair. `roomDocument` writes
 * every field, defaults included, but leaves out what is empty; it parses back to the same room.
 */

import { z } from "zod";
import { messageOf } from "../message-of.ts";
import type { RoomClaim } from "./check-rooms.ts";
import { readFields, without, writeFields } from "./document-fields.ts";
import { eventProblems } from "./event-rules.ts";
import { isObject } from "./is-object.ts";
import { type Checked, checked } from "./problem.ts";
import type { Room } from "./room.ts";
import { problemsOfIssue } from "./room-problems.ts";
import { READ_ONLY, ROOM_FIELDS, ROOM_SCHEMA } from "./room-schema.ts";
import { documentSizeProblems } from "./room-size.ts";

/** A room in snake_case, as in files and on the API. */
export type RoomDocument = Partial<z.output<typeof ROOM_SCHEMA>>;

const ROUTE_SCHEMA = z.object({ host: ROOM_SCHEMA.shape.host, path: ROOM_SCHEMA.shape.path });

/** Reads a document; `path` is put before the places of its problems, for instance `rooms[0]`. */
export function parseRoom(document: unknown, path = ""): Checked<Room> {
  const result = ROOM_SCHEMA.safeParse(without(document, READ_ONLY));
  const events = isObject(document) ? eventProblems(document.events, path === "" ? "events" : `${path}.events`) : [];
  if (!result.success) {
    const problems = result.error.issues.flatMap((issue) => problemsOfIssue(issue, document, path));
    return { ok: false, problems: [...problems, ...events] };
  }
  const room: Room = readFields(ROOM_FIELDS, result.data);
  return checked(room, [...events, ...documentSizeProblems(roomDocument(room), path)]);
}

/**
 * Reads a document that some release of anteroom has stored as JSON. Fields that a newer release has written are left
 * out.
 */
export function parseStoredRoom(text: string, path: string): Checked<Room> {
  try {
    return parseRoom(withoutUnknown(JSON.parse(text)), path);
  } catch (error) {
    // The other rooms are unaffected: whatever a member has stored, only its own room is lost.
    const repair = "delete the room, or apply it again from its file";
    return { ok: false, problems: [{ path, problem: `cannot be read: ${messageOf(error)}`, repair }] };
  }
}

function withoutUnknown(document: unknown): unknown {
  const read = ROOM_SCHEMA.safeParse(without(document, READ_ONLY));
  for (const issue of read.error?.issues ?? []) {
    if (issue.code !== "unrecognized_keys") continue;
    let place = document;
    for (const step of issue.path)
      place = isObject(place) || Array.isArray(place) ? Reflect.get(place, step) : undefined;
    if (isObject(place)) for (const key of issue.keys) Reflect.deleteProperty(place, key);
  }
  return document;
}

/**
 * The room with the fields of `patch` in place of its own. A given field replaces the old one whole, except that
 * `cookie_attributes`, `throttle` and `page` keep what the patch does not name.
 */
export function patchRoom(room: Room, patch: unknown, path = ""): Checked<Room> {
  if (!isObject(patch)) return parseRoom(patch, path);
  const old = roomDocument(room);
  const groups = (["cookie_attributes", "throttle", "page"] as const).flatMap((group) => {
    const given = patch[group];
    return isObject(given) ? [[group, { ...old[group], ...given }] as const] : [];
  });
  return parseRoom({ ...old, ...patch, ...Object.fromEntries(groups) }, path);
}

/** The room's document: all fields except empty ones. */
export function roomDocument(room: Room): RoomDocument {
  return writeFields(ROOM_FIELDS, room) as RoomDocument;
}

/** What a document with problems claims, as far as it can be read. */
export function claimOf(document: unknown): RoomClaim {
  if (!isObject(document)) return { name: undefined, routes: [] };
  const others = Array.isArray(document.additional_routes) ? document.additional_routes : [];
  return {
    name: ROOM_SCHEMA.shape.name.safeParse(document.name).data,
    routes: [document, ...others].map((route) => ROUTE_SCHEMA.safeParse(route).data),
  };
}
