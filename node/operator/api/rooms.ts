/** The part of the admin API about rooms: `/v1/rooms`, and all of them at once, `/v1/rooms/apply`. */

import type { Context } from "hono";
import { z } from "zod";
import { ROOM_BYTES_MAX } from "../../../mesh/core/wire/shapes.ts";
import { ALL_ROOMS_BYTES_MAX } from "../../config/room-size.ts";
import { parseRooms } from "../../config/rooms-file.ts";
import { apiDocument } from "../../rooms/api-room.ts";
import { type Changed, unknownRoom } from "../../rooms/changed.ts";
import { APPLIED } from "../../rooms/declared-changes.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { authorOf, isHidden, nameOutside, refusalFor, takenProblem } from "../access/other-rooms.ts";
import { maySee } from "../access/principal.ts";
import { invalid, refusal } from "../calls/api-answers.ts";
import { changeIf, tagged } from "../calls/entity-tag.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { type AdminEnv, type AuditLog, actorOf } from "../logs/audit.ts";
import { named } from "./common-shapes.ts";
import { NEW_ROOM, ROOM, ROOM_EXAMPLE, ROOM_PATCH } from "./room-shape.ts";

/** One room or page of the largest size, with every character escaped as JSON may. */
export const ROOM_BODY_BYTES_MAX = 6 * ROOM_BYTES_MAX;

/** All rooms of a mesh, and the fields around them. */
export const APPLY_BYTES_MAX = ALL_ROOMS_BYTES_MAX + 1024 * 1024;

named("Room", ROOM);

/** What an answer about one room has. */
export const ROOM_ANSWER = {
  description: "the room",
  schema: named("RoomAnswer", z.object({ room: ROOM })),
} as const;

const ROOM_BODY = { bytesMax: ROOM_BODY_BYTES_MAX, read: "handler" } as const;

const LIST = operation({
  id: "listRooms",
  method: "GET",
  path: "/v1/rooms",
  topic: "rooms",
  scope: "read",
  isTagged: true,
  summary: "lists the rooms; `unreadable` names those that this node's release cannot read",
  answer: {
    description: "the rooms",
    schema: named(
      "RoomList",
      z.object({
        rooms: z.array(ROOM).describe("in no order"),
        unreadable: z.array(z.string()).optional().describe("names of rooms that this release cannot read"),
      }),
    ),
  },
});

const CREATE = operation({
  id: "createRoom",
  method: "POST",
  path: "/v1/rooms",
  topic: "rooms",
  scope: "configure",
  summary: "creates a room",
  body: { ...ROOM_BODY, schema: named("NewRoom", NEW_ROOM), example: ROOM_EXAMPLE },
  answer: { ...ROOM_ANSWER, status: 201, description: "the room, with its path in Location" },
  problems: ["exists", "conflict"],
});

const READ = operation({
  id: "getRoom",
  method: "GET",
  path: "/v1/rooms/{name}",
  topic: "rooms",
  scope: "read",
  isTagged: true,
  summary: "returns a room",
  answer: ROOM_ANSWER,
  problems: ["not-found", "conflict"],
});

const UPDATE = operation({
  id: "updateRoom",
  method: "PATCH",
  path: "/v1/rooms/{name}",
  topic: "rooms",
  scope: "configure",
  summary: "changes these fields",
  description:
    "A field replaces the old one whole, except that cookie_attributes, throttle and page keep what the change does not name.",
  isTagged: true,
  body: { ...ROOM_BODY, schema: named("RoomPatch", ROOM_PATCH), example: { total_active_users: 800 } },
  answer: ROOM_ANSWER,
  problems: ["not-found", "conflict"],
});

const REMOVE = operation({
  id: "deleteRoom",
  method: "DELETE",
  path: "/v1/rooms/{name}",
  topic: "rooms",
  scope: "configure",
  summary: "deletes a room",
  isTagged: true,
  answer: {
    description: "the room as it was; only its name if this release could not read it",
    schema: named(
      "RemovedRoom",
      z.object({
        room: z
          .union([ROOM, z.object({ name: ROOM.shape.name })])
          .describe("as it was; only its name if this release could not read it"),
      }),
    ),
  },
  problems: ["not-found"],
});

const APPLY = operation({
  id: "applyRooms",
  method: "POST",
  path: "/v1/rooms/apply",
  topic: "rooms",
  scope: "configure",
  summary:
    "creates or changes all of these rooms, or none; with `?dry_run=true` it only says what would change. `If-Match` is about the list of rooms",
  isTagged: true,
  query: z.object({
    dry_run: z
      .enum(["true", "false"], { error: "is not true or false" })
      .default("false")
      .describe("true to change nothing; false, or nothing, to apply the rooms"),
  }),
  body: {
    schema: named(
      "RoomsFile",
      z.strictObject({ rooms: z.array(NEW_ROOM).min(1).describe("the documents of the rooms") }),
    ),
    bytesMax: APPLY_BYTES_MAX,
    read: "handler",
    example: { rooms: [ROOM_EXAMPLE] },
  },
  answer: {
    description: "what became of each room",
    schema: named(
      "ApplyAnswer",
      z.object({
        dry_run: z.literal(true).optional().describe("there if nothing was changed"),
        results: z.array(APPLIED).describe("one for each room of the body"),
      }),
    ),
  },
  problems: ["conflict"],
});

export const ROOM_OPERATIONS = [LIST, CREATE, READ, UPDATE, REMOVE, APPLY];

/** What most parts of the API are given. */
export interface RoomRoutes {
  readonly rooms: Rooms;
  readonly audit: AuditLog;
  /** Unix ms. */
  readonly nowMs: () => number;
}

/** A room as what a condition is about. */
function roomNow(rooms: Rooms, name: string): object | undefined {
  const live = rooms.byName(name);
  return live && apiDocument(live);
}

/** Changes a room if the condition of the request holds: the answer is the room, or why it was not changed. */
export function changeRoom(
  c: Context<AdminEnv>,
  { rooms, name }: { readonly rooms: Rooms; readonly name: string },
  change: () => Changed<LiveRoom> | Promise<Changed<LiveRoom>>,
): Response | Promise<Response> {
  return changeIf(c.req, roomNow(rooms, name), async () => {
    const changed = await change();
    return changed.ok ? roomAnswer(changed.value) : refusalFor(c, changed.refusal);
  });
}

/** A room as an answer, with its ETag. */
function roomAnswer(live: LiveRoom, status: 200 | 201 = 200): Response {
  const room = apiDocument(live);
  const answer = tagged({ room }, room, status);
  if (status === 201) answer.headers.set("Location", `/v1/rooms/${encodeURIComponent(live.room.name)}`);
  return answer;
}

export function roomRoutes(serve: Serve, { rooms, audit }: RoomRoutes): void {
  const documents = ({ var: { principal } }: Context<AdminEnv>) =>
    rooms.all().flatMap((live) => (maySee(principal, live.room.name) ? [apiDocument(live)] : []));

  serve(LIST, ({ c }) => {
    const unreadable = rooms.unreadable.map(({ name }) => name).filter((name) => maySee(c.var.principal, name));
    const all = documents(c);
    return tagged({ rooms: all, ...(unreadable.length > 0 && { unreadable }) }, listed(all));
  });
  serve(CREATE, ({ c, body }) => {
    const outside = nameOutside(c.var.principal, body);
    if (outside !== undefined) return invalid([outside]);
    const created = audit.tracked(actorOf(c), "room created", () => rooms.create(body, authorOf(c.var.principal)));
    return created.ok ? roomAnswer(created.value, 201) : refusalFor(c, created.refusal);
  });
  serve(READ, ({ c, params }) => {
    const named = rooms.named(params.name);
    return named.ok ? roomAnswer(named.value) : refusalFor(c, named.refusal);
  });
  serve(UPDATE, ({ c, params: { name }, body }) => {
    const outside = nameOutside(c.var.principal, body);
    if (outside !== undefined) return invalid([outside]);
    const author = authorOf(c.var.principal);
    return changeRoom(c, { rooms, name }, () =>
      audit.tracked(actorOf(c), "room updated", () => rooms.update(name, body, { author })),
    );
  });
  serve(REMOVE, ({ c, params: { name } }) =>
    changeIf(c.req, roomNow(rooms, name), () => {
      const removed = audit.tracked(actorOf(c), "room deleted", () => rooms.remove(name));
      if (!removed.ok) return refusalFor(c, removed.refusal);
      return c.json({ room: removed.value === undefined ? { name } : apiDocument(removed.value) });
    }),
  );
  serve(APPLY, ({ c, query, body }) => {
    const parsed = parseRooms(body);
    if (!parsed.ok) return invalid(parsed.problems);
    const { principal, roomNames } = c.var;
    const outside = parsed.value.map(({ name }) => name).filter((name) => !maySee(principal, name));
    if (outside.length > 0) return refusal(unknownRoom(outside.join(", "), roomNames()));
    // A file may name a room by its first name, under which this principal sees it no more.
    const hidden = parsed.value.filter(({ name }) =>
      isHidden(principal, rooms.byName(name) ?? rooms.byFirstName(name)),
    );
    if (hidden.length > 0) return invalid(hidden.map(({ name }) => takenProblem(name)));
    const isTrial = query.dry_run === "true";
    const apply = () => rooms.apply(parsed.value, { isTrial, author: authorOf(principal) });
    return changeIf(c.req, listed(documents(c)), () => {
      const applied = isTrial ? apply() : audit.tracked(actorOf(c), "rooms applied", apply);
      if (!applied.ok) return refusalFor(c, applied.refusal);
      return tagged({ ...(isTrial && { dry_run: true }), results: applied.value }, listed(documents(c)));
    });
  });
}

/** All rooms in an order that every node has. */
function listed(documents: readonly { readonly id: string }[]): readonly object[] {
  return [...documents].sort(({ id: one }, { id: other }) => (one < other ? -1 : 1));
}
