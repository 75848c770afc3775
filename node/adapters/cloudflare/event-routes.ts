/** Cloudflare's routes for the events of a waiting room. */

import type { Hono } from "hono";
import { idsKey } from "../../../mesh/core/replica/register-keys.ts";
import type { RoomEvent } from "../../config/event.ts";
import { eventDocument } from "../../config/event-schema.ts";
import { patchRoom } from "../../config/room-document.ts";
import { needs } from "../../operator/access/principal.ts";
import type { AdapterParts } from "../../operator/admin-api.ts";
import { type AdminEnv, actorOf } from "../../operator/logs/audit.ts";
import { eventsOf, problemsOfEvent, putEvents } from "../../rooms/event-changes.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { Beside, Rooms } from "../../rooms/rooms.ts";
import { invalidBody, succeeded } from "./envelope.ts";
import { eventAnswer, eventDetails, eventItem, eventPlaceThere, readEvent } from "./event-fields.ts";
import { identified, identifiedAfter, type KeptItem, keptIn, keptRegister } from "./kept-ids.ts";
import { pageOf, pagingOf } from "./paging.ts";
import {
  type Asked,
  bodyOf,
  CHANGES,
  notFound,
  problemsThere,
  ROOM_PATH,
  refusedChange,
  roomIn,
  wordingFor,
} from "./zone.ts";

/** An event with its id and dates. */
export interface EventWithId {
  readonly event: RoomEvent;
  readonly kept: KeptItem;
}

const EVENTS_PATH = `${ROOM_PATH}/events`;
const EVENT_PATH = `${EVENTS_PATH}/:event`;

export function eventRoutesThere(app: Hono<AdminEnv>, parts: AdapterParts): void {
  const { rooms, audit } = parts;
  app.get(EVENTS_PATH, needs("read"), (c) => {
    const live = roomIn(c, rooms);
    if (live instanceof Response) return live;
    const paging = pagingOf(c.req.query());
    if (!paging.ok) return invalidBody(paging.problems);
    const events = eventsWithIds(live, rooms).sort(({ event: one }, { event: other }) => one.startMs - other.startMs);
    const { items, info } = pageOf(events, paging.value);
    return succeeded(
      items.map(({ event, kept }) => eventAnswer(event, kept, live)),
      info,
    );
  });
  for (const [path, answer] of [
    [EVENT_PATH, eventAnswer],
    [`${EVENT_PATH}/details`, eventDetails],
  ] as const)
    app.get(path, needs("read"), (c) => {
      const found = eventIn(c, rooms);
      return found instanceof Response ? found : succeeded(answer(found.event, found.kept, found.live));
    });
  app.post(EVENTS_PATH, needs("configure"), async (c) => {
    const live = roomIn(c, rooms);
    return live instanceof Response ? live : change(c, parts, { live, event: undefined, kind: "whole" });
  });
  for (const [method, kind] of CHANGES)
    app.on(method, EVENT_PATH, needs("configure"), async (c) => {
      const found = eventIn(c, rooms);
      return found instanceof Response ? found : change(c, parts, { ...found, kind });
    });
  app.delete(EVENT_PATH, needs("configure"), (c) => {
    const found = eventIn(c, rooms);
    if (found instanceof Response) return found;
    const { live, event, kept } = found;
    const all = eventsWithIds(live, rooms).filter((each) => each.event !== event);
    const documents = all.map((each) => eventDocument(each.event));
    const beside = eventIds(
      live,
      rooms,
      all.map((each) => each.kept),
    );
    const remove = () => rooms.update(live.declared.name, { events: documents }, { beside });
    const removed = audit.tracked(actorOf(c), "event deleted", remove);
    return removed.ok ? succeeded({ id: kept.id }) : refusedChange(removed.refusal, wordingFor(c, eventPlaceThere));
  });
}

/** The events of a room in the order of its document. */
export function eventsWithIds(live: LiveRoom, rooms: Rooms): EventWithId[] {
  const events = eventsOf(live);
  const ids = identified(events.map(eventItem), keptIn(rooms.beside(idsKey(live.id))).events, live);
  return events.flatMap((event, index) => {
    const kept = ids[index];
    return kept === undefined ? [] : [{ event, kept }];
  });
}

function eventIn(c: Asked, rooms: Rooms): (EventWithId & { readonly live: LiveRoom }) | Response {
  const live = roomIn(c, rooms);
  if (live instanceof Response) return live;
  const id = c.req.param("event") ?? "";
  const found = eventsWithIds(live, rooms).find(({ kept }) => kept.id === id);
  return found === undefined ? notFound("event", id, "list the room's events to see their ids") : { ...found, live };
}

/** Creates an event, or changes `event`. */
async function change(
  c: Asked,
  parts: AdapterParts,
  { live, event, kind }: { live: LiveRoom; event: RoomEvent | undefined; kind: "whole" | "part" },
): Promise<Response> {
  const { rooms, audit } = parts;
  const read = await bodyOf(c);
  if (read instanceof Response) return read;
  const { document, problems } = readEvent(read.body, kind);
  const all = eventsWithIds(live, rooms);
  const at = all.findIndex((each) => each.event === event);
  const index = at === -1 ? all.length : at;
  const documents: object[] = all.map((each) => eventDocument(each.event));
  documents[index] = { ...documents[index], ...document };
  const wording = wordingFor(c, eventPlaceThere, problems);
  if (problems.length > 0) {
    const parsed = patchRoom(live.declared, { events: documents });
    return invalidBody(problemsThere(parsed.ok ? [] : problemsOfEvent(parsed.problems, documents, index), wording));
  }
  const kept = all.map((each) => each.kept);
  const put = () => putEvents(rooms, live, { documents, index, beside: eventIds(live, rooms, kept) });
  const changed = audit.tracked(actorOf(c), event === undefined ? "event created" : "event updated", put);
  if (!changed.ok) return refusedChange(changed.refusal, wording);
  const now = eventsWithIds(changed.value.live, rooms)[index];
  if (now === undefined) throw new Error(`Cannot find the event that was put at ${index}`);
  return succeeded(eventAnswer(now.event, now.kept, live));
}

/** What is kept of a room's events after a change; `before` has what each was, in the new order. */
function eventIds(live: LiveRoom, rooms: Rooms, before: readonly KeptItem[]): Beside {
  const key = idsKey(live.id);
  return ({ events = [] }) => {
    const { rules } = keptIn(rooms.beside(key));
    const kept = { rules, events: identifiedAfter(events.map(eventItem), before, live.nowMs) };
    return new Map([[key, keptRegister(kept, live.firstName, live.nowMs)]]);
  };
}
