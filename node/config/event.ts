/**
 * An event of a room: a span of time with a configuration of its own, such as a sale. event-schema.ts declares its
 * fields.
 *
 * What an event does not set, it inherits from the room. From `prequeueMs` to the start all new visitors are held in
 * line; from the start to the end the event's own values apply. The spans of a room's events do not overlap.
 */

import type { ValuesOf } from "./document-fields.ts";
import type { EVENT_FIELDS } from "./event-schema.ts";

export interface RoomEvent extends ValuesOf<typeof EVENT_FIELDS> {}

/** From when on an event changes the room. */
export function fromMs({ prequeueMs, startMs }: Pick<RoomEvent, "prequeueMs" | "startMs">): number {
  return prequeueMs ?? startMs;
}
