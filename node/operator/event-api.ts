/** The part of the admin API about events: `/v1/rooms/NAME/events`. */

import type { Hono } from "hono";
import { ROOM_BYTES_MAX } from "../../mesh/core/wire/shapes.ts";
import { type EventDocument, eventDocument } from "../config/event-schema.ts";
import { createEvent, deleteEvent, eventNamed, eventsOf, updateEvent } from "../rooms/event-changes.ts";
import { type EventPhase, phaseOf } from "../rooms/event-in-force.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { Changed, Rooms } from "../rooms/rooms.ts";
import { refusal, unread } from "./api-answers.ts";
import { type AdminEnv, type AuditLog, actorOf } from "./audit.ts";
import { jsonBody } from "./json-body.ts";
import { needs } from "./principal.ts";

/** An event of the largest size, with every character escaped as JSON may. */
const EVENT_BODY_BYTES_MAX = 6 * ROOM_BYTES_MAX;

/** An event as the API gives it. */
export type ApiEvent = EventDocument & { readonly phase: EventPhase };

export interface EventRoutes {
  readonly rooms: Rooms;
  readonly audit: AuditLog;
}

export function eventRoutes(app: Hono<AdminEnv>, { rooms, audit }: EventRoutes): void {
  const path = "/v1/rooms/:name/events";
  const answer = (
    found: Changed<{ live: LiveRoom; event: Parameters<typeof eventDocument>[0] }>,
    status: 200 | 201 = 200,
  ) =>
    found.ok
      ? Response.json(
          { event: { ...eventDocument(found.value.event), phase: phaseOf(found.value.event, found.value.live.nowMs) } },
          { status },
        )
      : refusal(found.refusal);

  app.get(path, needs("read"), (c) => {
    const named = rooms.named(c.req.param("name"));
    if (!named.ok) return refusal(named.refusal);
    const live = named.value;
    const events = [...eventsOf(live)].sort((one, other) => one.startMs - other.startMs);
    return c.json({ events: events.map((event) => ({ ...eventDocument(event), phase: phaseOf(event, live.nowMs) })) });
  });
  app.get(`${path}/:event`, needs("read"), (c) => answer(eventNamed(rooms, c.req.param("name"), c.req.param("event"))));
  app.post(path, needs("configure"), async (c) => {
    const body = await jsonBody(c.req, EVENT_BODY_BYTES_MAX);
    if (!body.ok) return unread(body);
    const room = c.req.param("name");
    const created = audit.tracked(actorOf(c), "event created", () => createEvent(rooms, room, body.value));
    return answer(created, 201);
  });
  app.patch(`${path}/:event`, needs("configure"), async (c) => {
    const body = await jsonBody(c.req, EVENT_BODY_BYTES_MAX);
    if (!body.ok) return unread(body);
    const { name: room, event: name } = c.req.param();
    const update = () => updateEvent(rooms, room, { name, patch: body.value });
    const updated = audit.tracked(actorOf(c), "event updated", update);
    return answer(updated);
  });
  app.delete(`${path}/:event`, needs("configure"), (c) => {
    const { name: room, event: name } = c.req.param();
    const deleted = audit.tracked(actorOf(c), "event deleted", () => deleteEvent(rooms, room, name));
    return answer(deleted);
  });
}
