/**
 * Events of rooms as an operator creates, changes and deletes them, one at a time.
 *
 * Events are a part of their room's document, so a change of one is checked with all others and spreads with the room.
 * Problems are named as those of the one event that was sent.
 */

import type { RoomEvent } from "../config/event.ts";
import { eventDocument } from "../config/event-schema.ts";
import { isObject } from "../config/is-object.ts";
import { type Problem, problemAt } from "../config/problem.ts";
import { type Changed, type Refused, refused } from "./changed.ts";
import type { LiveRoom } from "./live-room.ts";
import type { Beside, Rooms } from "./rooms.ts";

/** An event with its room, as it is after a change; as it was before, for one that is deleted. */
export interface ChangedEvent {
  readonly live: LiveRoom;
  readonly event: RoomEvent;
}

export function createEvent(rooms: Rooms, room: string, document: unknown): Changed<ChangedEvent> {
  const named = rooms.named(room);
  if (!named.ok) return named;
  const before = eventsOf(named.value);
  if (!isObject(document)) return notAnEvent(document);
  if (before.some(({ name }) => name === document.name)) {
    const message = `Cannot create event ${String(document.name)} as room ${room} has one of that name: update it, or choose another name`;
    return refused("exists", message);
  }
  return putEvents(rooms, named.value, { documents: [...before.map(eventDocument), document], index: before.length });
}

export function updateEvent(
  rooms: Rooms,
  room: string,
  change: { name: string; patch: unknown },
): Changed<ChangedEvent> {
  const found = eventNamed(rooms, room, change.name);
  if (!found.ok) return found;
  const { live, event } = found.value;
  const { patch } = change;
  if (!isObject(patch)) return notAnEvent(patch);
  const documents = eventsOf(live).map((each) =>
    each === event ? { ...eventDocument(each), ...patch } : eventDocument(each),
  );
  return putEvents(rooms, live, { documents, index: eventsOf(live).indexOf(event) });
}

export function deleteEvent(rooms: Rooms, room: string, name: string): Changed<ChangedEvent> {
  const found = eventNamed(rooms, room, name);
  if (!found.ok) return found;
  const { live, event } = found.value;
  const left = eventsOf(live).filter((each) => each !== event);
  const updated = rooms.update(live.room.name, { events: left.map(eventDocument) });
  return updated.ok ? { ok: true, value: { live: updated.value, event } } : updated;
}

/** The event called `name`, or a refusal that names those there are. */
export function eventNamed(rooms: Rooms, room: string, name: string): Changed<ChangedEvent> {
  const named = rooms.named(room);
  if (!named.ok) return named;
  const event = eventsOf(named.value).find((each) => each.name === name);
  if (event !== undefined) return { ok: true, value: { live: named.value, event } };
  const names = eventsOf(named.value).map((each) => each.name);
  const message = `Cannot find event ${name} in room ${room}: its events are ${names.join(", ") || "none"}`;
  return refused("not-found", message);
}

export function eventsOf({ declared }: LiveRoom): readonly RoomEvent[] {
  return declared.events ?? [];
}

/** Changes all events of a room on behalf of the one at `index`. */
export function putEvents(
  rooms: Rooms,
  live: LiveRoom,
  { documents, index, beside }: { documents: readonly object[]; index: number; beside?: Beside },
): Changed<ChangedEvent> {
  const updated = rooms.update(live.room.name, { events: documents }, { beside });
  if (!updated.ok) {
    const problems = problemsOfEvent(updated.refusal.problems, documents, index);
    return { ok: false, refusal: { ...updated.refusal, message: "Cannot change events", problems } };
  }
  const event = eventsOf(updated.value)[index];
  if (event === undefined) throw new Error(`Cannot find the event that was put at ${index}`);
  return { ok: true, value: { live: updated.value, event } };
}

/** Names problems by the fields of the event that was sent, and others by their events' names. */
export function problemsOfEvent(problems: readonly Problem[], documents: readonly object[], index: number): Problem[] {
  const nameAt = (at: number): string => String(Reflect.get(documents[at] ?? {}, "name"));
  return problems.map((problem): Problem => {
    const [, at, field = ""] = /^events\[(\d+)\]\.?(.*)$/.exec(problem.path) ?? [];
    const named = { ...problem, problem: problem.problem.replace(/ \(events\[\d+\]\)/, "") };
    if (at === undefined) return problem;
    return { ...named, path: Number(at) === index ? field : `event ${nameAt(Number(at))}.${field}` };
  });
}

function notAnEvent(document: unknown): Refused {
  const repair =
    "write the fields of an event: {name: sale, event_start_time: 2026-11-27T10:00:00Z, event_end_time: 2026-11-27T12:00:00Z}";
  const problems = [problemAt("", document, { problem: "is not an event", repair })];
  return refused("invalid", "Cannot change events", problems);
}
