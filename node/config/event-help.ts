/** What each field of an event means, for `--help` and docs/rooms.md. */

import { EVENT_FIELDS, type EventField } from "./event-schema.ts";

const INHERITS = "empty for the room's";

const HELP: Readonly<Record<EventField, string>> = {
  name: "required; 1 to 64 letters, digits, - and _; each event of a room has its own",
  description: "for people",
  suspended: "true: the room takes no notice of the event",
  event_start_time: "required; when the event's values begin to apply, such as 2026-11-27T10:00:00+01:00",
  event_end_time: "required; when the room's own values apply again",
  prequeue_start_time: "from when on new visitors are held in line, and see a countdown; empty for no pre-queue",
  shuffle_at_event_start: "true: the places of all who are there at the start are drawn",
  draw: "true: that is a draw that anybody can check afterwards; it needs shuffle_at_event_start",
  draw_public_value: "which public value goes into the draw, in words; the draw waits until it is given",
  total_active_users: `most sessions at once; ${INHERITS}; both limits or none`,
  new_users_per_minute: `most visitors admitted per minute; ${INHERITS}; both limits or none`,
  session_duration: `minutes that a session lasts after its last request, 1 to 30; ${INHERITS}`,
  disable_session_renewal: `true: a session ends that long after it began; ${INHERITS}`,
  queueing_method: `fifo, random, passthrough or reject; ${INHERITS}`,
  custom_page_html: `Mustache template of the waiting page, from the pre-queue on; ${INHERITS}`,
  ramp: `start/percent/minutes; the start of an event is a cold start; ${INHERITS}`,
};

/** One entry for each field, in the order of the document. */
export function eventFieldHelp(): { readonly field: EventField; readonly help: string }[] {
  return EVENT_FIELDS.map((field) => ({ field, help: HELP[field] }));
}
