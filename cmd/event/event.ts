/**
 * `anteroom event …`: the events of a room, by the admin API of a running node.
 *
 * Every change reports the new state. The node checks its input, together with the room's other events.
 */

import type { ApiEvent } from "../../node/operator/api/events.ts";
import { adminClient, answerField, roomPath } from "../admin-client.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { number, table, tableOptions } from "../print.ts";
import { readFields } from "../room/room-input.ts";

export async function createEvent(invocation: Invocation): Promise<number> {
  const [room = "", ...words] = invocation.positionals;
  const document = readFields(words, invocation.io);
  const event = eventIn(await adminClient(invocation).call("POST", pathOf(room), document));
  return answer(invocation, `Created event ${event.name} of room ${room}: ${summary(event)}.`);
}

export async function listEvents(invocation: Invocation): Promise<number> {
  const [room = ""] = invocation.positionals;
  const body = await adminClient(invocation).call("GET", pathOf(room));
  const events = answerField(body, "events") as readonly ApiEvent[];
  if (isOn(invocation, "json")) return answer(invocation, JSON.stringify({ events }));
  if (events.length > 0) return answer(invocation, eventTable(events, invocation));
  invocation.io.talk(`No events in room ${room} yet. Create one with: anteroom event create ${room}`);
  return EXIT.ok;
}

export async function updateEvent(invocation: Invocation): Promise<number> {
  const [room = "", name = "", ...words] = invocation.positionals;
  const fields = readFields(words, invocation.io);
  const event = eventIn(await adminClient(invocation).call("PATCH", pathOf(room, name), fields));
  const renamed = event.name === name ? "" : ` (was ${name})`;
  return answer(invocation, `Updated event ${event.name}${renamed} of room ${room}: ${summary(event)}.`);
}

export async function deleteEvent(invocation: Invocation): Promise<number> {
  const [room = "", name = ""] = invocation.positionals;
  const event = eventIn(await adminClient(invocation).call("DELETE", pathOf(room, name)));
  const effect =
    event.phase === "active" || event.phase === "prequeue" ? "the room's own values apply now" : "nothing else changes";
  return answer(invocation, `Deleted event ${name} of room ${room}: ${effect}.`);
}

function eventIn(body: unknown): ApiEvent {
  return answerField(body, "event") as ApiEvent;
}

function pathOf(room: string, event?: string): string {
  const events = `${roomPath(room)}/events`;
  return event === undefined ? events : `${events}/${encodeURIComponent(event)}`;
}

function answer({ io }: Invocation, text: string): number {
  io.answer(text);
  return EXIT.ok;
}

function summary(event: ApiEvent): string {
  const { phase, prequeue_start_time: prequeue, shuffle_at_event_start: shuffles } = event;
  const from = prequeue ? `pre-queue from ${prequeue}${shuffles ? ", shuffled at the start" : ""}, ` : "";
  return `${phase}, ${from}from ${event.event_start_time} to ${event.event_end_time}, ${limits(event)}`;
}

function limits({ total_active_users: inside, new_users_per_minute: perMinute }: ApiEvent): string {
  // Both or none.
  return inside && perMinute ? `${number(inside)} inside, ${number(perMinute)} per minute` : "limits of the room";
}

function eventTable(events: readonly ApiEvent[], { io }: Invocation): string {
  const columns = [
    { title: "EVENT", cutTo: 8 },
    { title: "PHASE" },
    { title: "PRE-QUEUE" },
    { title: "START" },
    { title: "END" },
  ];
  return table(
    [...columns, { title: "LIMITS" }],
    events.map((event) => [
      event.name,
      event.phase,
      event.prequeue_start_time ?? "none",
      event.event_start_time,
      event.event_end_time,
      limits(event),
    ]),
    tableOptions(io),
  );
}
