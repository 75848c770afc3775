/** The part of the admin API about events: `/v1/rooms/NAME/events`. */

import { z } from "zod";
import { type EventDocument, eventDocument } from "../../config/event-schema.ts";
import { createEvent, deleteEvent, eventNamed, eventsOf, updateEvent } from "../../rooms/event-changes.ts";
import { type EventPhase, phaseOf } from "../../rooms/event-in-force.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { refusalFor } from "../access/other-rooms.ts";
import { changeIf, tagged } from "../calls/entity-tag.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { actorOf } from "../logs/audit.ts";
import { named } from "./common-shapes.ts";
import { EVENT, EVENT_EXAMPLE, EVENT_PATCH, NEW_EVENT } from "./event-shape.ts";
import { ROOM_BODY_BYTES_MAX, type RoomRoutes } from "./rooms.ts";

/** An event as the API gives it. */
export type ApiEvent = EventDocument & { readonly phase: EventPhase };

named("Event", EVENT);

const ALL = "/v1/rooms/{name}/events";
const ONE = "/v1/rooms/{name}/events/{event}";
const BODY = { bytesMax: ROOM_BODY_BYTES_MAX, read: "handler" } as const;
const ANSWER = {
  description: "the event",
  schema: named("EventAnswer", z.object({ event: EVENT })),
} as const;

const LIST = operation({
  id: "listEvents",
  method: "GET",
  path: ALL,
  topic: "events",
  scope: "read",
  isTagged: true,
  summary: "lists the events of a room by their start",
  answer: {
    description: "the events",
    schema: named("EventList", z.object({ events: z.array(EVENT).describe("by their start") })),
  },
  problems: ["not-found", "conflict"],
});

const READ = operation({
  id: "getEvent",
  method: "GET",
  path: ONE,
  topic: "events",
  scope: "read",
  isTagged: true,
  summary: "returns an event",
  answer: ANSWER,
  problems: ["not-found", "conflict"],
});

const CREATE = operation({
  id: "createEvent",
  method: "POST",
  path: ALL,
  topic: "events",
  scope: "configure",
  summary: "creates an event",
  body: { ...BODY, schema: named("NewEvent", NEW_EVENT), example: EVENT_EXAMPLE },
  answer: { ...ANSWER, status: 201, description: "the event, with its path in Location" },
  problems: ["not-found", "exists", "conflict"],
});

const UPDATE = operation({
  id: "updateEvent",
  method: "PATCH",
  path: ONE,
  topic: "events",
  scope: "configure",
  isTagged: true,
  summary: "changes these fields; `null` inherits from the room again",
  body: { ...BODY, schema: named("EventPatch", EVENT_PATCH), example: { new_users_per_minute: null } },
  answer: ANSWER,
  problems: ["not-found", "conflict"],
});

const REMOVE = operation({
  id: "deleteEvent",
  method: "DELETE",
  path: ONE,
  topic: "events",
  scope: "configure",
  isTagged: true,
  summary: "deletes an event",
  answer: { ...ANSWER, description: "the event as it was" },
  problems: ["not-found", "conflict"],
});

export const EVENT_OPERATIONS = [LIST, READ, CREATE, UPDATE, REMOVE];

type Found = { readonly live: LiveRoom; readonly event: Parameters<typeof eventDocument>[0] };

export function eventRoutes(serve: Serve, { rooms, audit }: Pick<RoomRoutes, "rooms" | "audit">): void {
  const documentOf = ({ live, event }: Found): ApiEvent => ({
    ...eventDocument(event),
    phase: phaseOf(event, live.nowMs),
  });
  const answer = (found: Found, status: 200 | 201 = 200): Response => {
    const event = documentOf(found);
    return tagged({ event }, event, status);
  };
  const eventNow = (room: string, event: string): object | undefined => {
    const found = eventNamed(rooms, room, event);
    return found.ok ? documentOf(found.value) : undefined;
  };

  serve(LIST, ({ c, params: { name } }) => {
    const named = rooms.named(name);
    if (!named.ok) return refusalFor(c, named.refusal);
    const live = named.value;
    const all = [...eventsOf(live)].sort((one, other) => one.startMs - other.startMs);
    const events = all.map((event) => documentOf({ live, event }));
    return tagged({ events }, events);
  });
  serve(READ, ({ c, params: { name, event } }) => {
    const found = eventNamed(rooms, name, event);
    return found.ok ? answer(found.value) : refusalFor(c, found.refusal);
  });
  serve(CREATE, ({ c, params: { name }, body }) => {
    const created = audit.tracked(actorOf(c), "event created", () => createEvent(rooms, name, body));
    if (!created.ok) return refusalFor(c, created.refusal);
    const made = answer(created.value, 201);
    made.headers.set("Location", `/v1/rooms/${encodeURIComponent(name)}/events/${created.value.event.name}`);
    return made;
  });
  serve(UPDATE, ({ c, params: { name: room, event: name }, body }) =>
    changeIf(c.req, eventNow(room, name), () => {
      const update = () => updateEvent(rooms, room, { name, patch: body });
      const updated = audit.tracked(actorOf(c), "event updated", update);
      return updated.ok ? answer(updated.value) : refusalFor(c, updated.refusal);
    }),
  );
  serve(REMOVE, ({ c, params: { name: room, event: name } }) =>
    changeIf(c.req, eventNow(room, name), () => {
      const deleted = audit.tracked(actorOf(c), "event deleted", () => deleteEvent(rooms, room, name));
      if (!deleted.ok) return refusalFor(c, deleted.refusal);
      return c.json({ event: documentOf(deleted.value) });
    }),
  );
}
