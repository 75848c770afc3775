/** The commands on a room's events. */

import { type Command, FIELDS_MAX, type HelpList, ONE } from "../command.ts";
import { CLIENT_OPTIONS, JSON_OPTION } from "../options.ts";

const EVENT_NOTE =
  "From the pre-queue on, all new visitors are held in line; from the start to the end the event's own values apply, on all " +
  "nodes at once by their common time. What an event does not set, it inherits from the room. Events of a room do not overlap.";

async function fields(): Promise<HelpList> {
  const { eventFieldHelp } = await import("../../node/config/event-schema.ts");
  return { title: "Fields:", entries: eventFieldHelp().map(({ field, help }) => ({ term: field, text: help })) };
}

export const EVENT_COMMANDS: readonly Command[] = [
  {
    name: "event create",
    synopsis: "ROOM field=value…",
    positionals: { min: 2, max: FIELDS_MAX },
    summary: "create an event of a room, such as a sale",
    notes: [EVENT_NOTE],
    list: fields,
    options: CLIENT_OPTIONS,
    examples: [
      "anteroom event create shop name=sale event_start_time=2026-11-27T10:00:00Z event_end_time=2026-11-27T12:00:00Z " +
        "prequeue_start_time=2026-11-27T09:30:00Z shuffle_at_event_start=true",
    ],
    run: async (call) => (await import("./event.ts")).createEvent(call),
  },
  {
    name: "event list",
    synopsis: "ROOM [--json]",
    positionals: ONE,
    summary: "list the events of a room",
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom event list shop"],
    run: async (call) => (await import("./event.ts")).listEvents(call),
  },
  {
    name: "event update",
    synopsis: "ROOM NAME field=value…",
    positionals: { min: 3, max: FIELDS_MAX },
    summary: "change fields of an event; the others stay as they are",
    notes: ["field=null inherits from the room again.", EVENT_NOTE],
    list: fields,
    options: CLIENT_OPTIONS,
    examples: [
      "anteroom event update shop sale event_start_time=2026-11-27T10:15:00Z",
      "anteroom event update shop sale suspended=true",
    ],
    run: async (call) => (await import("./event.ts")).updateEvent(call),
  },
  {
    name: "event delete",
    synopsis: "ROOM NAME",
    positionals: { min: 2, max: 2 },
    summary: "delete an event of a room",
    options: CLIENT_OPTIONS,
    examples: ["anteroom event delete shop sale"],
    run: async (call) => (await import("./event.ts")).deleteEvent(call),
  },
];
