/** The commands on rooms: see, change, hold and open them. */

import { type Command, FIELDS_MAX, type HelpList, NONE, ONE } from "../command.ts";
import { CLIENT_OPTIONS, JSON_OPTION } from "../options.ts";

const FIELDS_NOTE =
  "Values are read as YAML: queue_all=true, enabled_origin_commands=[revoke], " +
  "additional_routes='[{host: a.example, path: /}]'. field=@FILE takes the value from a file, " +
  "and page.message=… sets one field of a group.";

async function fields(): Promise<HelpList> {
  const { fieldHelp } = await import("../../node/config/room-schema.ts");
  return {
    title: "Fields:",
    entries: fieldHelp().map(({ field, help, ...rest }) => ({ term: field, text: help, ...rest })),
  };
}

export const ROOM_COMMANDS: readonly Command[] = [
  {
    name: "room list",
    synopsis: "[--json]",
    positionals: NONE,
    summary: "list the rooms",
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom room list"],
    run: async (call) => (await import("./room.ts")).list(call),
  },
  {
    name: "room get",
    synopsis: "NAME [--json]",
    positionals: ONE,
    summary: "show one room as YAML",
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom room get shop"],
    run: async (call) => (await import("./room.ts")).get(call),
  },
  {
    name: "room create",
    synopsis: "field=value…",
    positionals: { min: 1, max: FIELDS_MAX },
    summary: "create a room",
    notes: [FIELDS_NOTE],
    list: fields,
    options: CLIENT_OPTIONS,
    examples: ["anteroom room create name=shop host=shop.example.com total_active_users=500 new_users_per_minute=100"],
    run: async (call) => (await import("./room.ts")).create(call),
  },
  {
    name: "room update",
    synopsis: "NAME field=value…",
    positionals: { min: 2, max: FIELDS_MAX },
    summary: "change fields of a room; the others stay as they are",
    notes: [
      `${FIELDS_NOTE} name=… renames the room: its visitors keep their sessions and places. Fields: anteroom room create --help.`,
    ],
    options: CLIENT_OPTIONS,
    examples: ["anteroom room update shop total_active_users=800", "anteroom room update shop suspended=true"],
    run: async (call) => (await import("./room.ts")).update(call),
  },
  {
    name: "room delete",
    synopsis: "NAME",
    positionals: ONE,
    summary: "delete a room",
    options: CLIENT_OPTIONS,
    examples: ["anteroom room delete shop"],
    run: async (call) => (await import("./room.ts")).remove(call),
  },
  {
    name: "room apply",
    synopsis: "FILE | - [--dry-run] [--json]",
    positionals: ONE,
    summary: "create or update the rooms that a rooms file names",
    notes: ["Rooms that the file does not name stay as they are. Prints what was done to each room."],
    options: [
      { flag: "dry-run", help: "change nothing: show each field that would change, with both values" },
      JSON_OPTION,
      ...CLIENT_OPTIONS,
    ],
    examples: ["anteroom room apply rooms.yaml", "anteroom room export | anteroom room apply - --admin 10.0.0.5:8081"],
    run: async (call) => (await import("./room.ts")).apply(call),
  },
  {
    name: "room export",
    synopsis: "[NAME] [--json]",
    positionals: { min: 0, max: 1 },
    summary: "write all rooms, or one, with their events, as a rooms file",
    notes: [
      "To keep a copy: it has every declared field, and no keys, orders, sessions or places. room apply brings all of it back, or nothing. " +
        "A JSON file that was cut off cannot be read; a YAML file can.",
    ],
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom room export > rooms.yaml"],
    run: async (call) => (await import("./room.ts")).exportRooms(call),
  },
  {
    name: "room preview",
    synopsis: "FILE | - | --default",
    positionals: { min: 0, max: 1 },
    summary: "render a page template with example numbers, as HTML",
    options: [
      { flag: "default", help: "write the built-in page as a template to start from; asks no node" },
      ...CLIENT_OPTIONS,
    ],
    notes: ["The file is a template, as a room's custom_page_html is."],
    examples: ["anteroom room preview --default > page.html", "anteroom room preview page.html > preview.html"],
    run: async (call) => (await import("./preview.ts")).preview(call),
  },
  {
    name: "room hold",
    synopsis: "NAME [--sold-out]",
    positionals: ONE,
    summary: "hold all new visitors, or close as sold out",
    notes: [
      "An order beside the room's document. It survives restarts, rooms files, room apply and room update: only room resume " +
        "or room open, on any node, or deleting the room lifts it.",
      "Prints the command that undoes it.",
    ],
    options: [
      { flag: "sold-out", help: "admit nobody any more, and tell all who wait and come; visitors inside stay" },
      ...CLIENT_OPTIONS,
    ],
    examples: ["anteroom room hold shop", "anteroom room hold shop --sold-out"],
    run: async (call) => (await import("./room-buttons.ts")).hold(call),
  },
  {
    name: "room open",
    synopsis: "NAME",
    positionals: ONE,
    summary: "admit every visitor, until resumed (limits do not apply)",
    notes: [
      "An order beside the room's document. It survives restarts, rooms files, room apply and room update: only room resume " +
        "or room hold, on any node, or deleting the room lifts it.",
      "Prints the command that undoes it.",
    ],
    options: CLIENT_OPTIONS,
    examples: ["anteroom room open shop"],
    run: async (call) => (await import("./room-buttons.ts")).open(call),
  },
  {
    name: "room resume",
    synopsis: "NAME",
    positionals: ONE,
    summary: "undo hold or open: the room works as declared",
    notes: [
      "Lifts the order and nothing else. Prints the command that undoes it.",
      "After a hold, the room's ramp begins; without one, a room that was held for more than three minutes begins with half of " +
        "its new_users_per_minute, and grows by half each minute.",
    ],
    options: CLIENT_OPTIONS,
    examples: ["anteroom room resume shop"],
    run: async (call) => (await import("./room-buttons.ts")).resume(call),
  },
  {
    name: "room rollout",
    synopsis: "NAME --to URL | --stop | --back | --now",
    positionals: ONE,
    summary: "move new sessions to a new origin, step by step",
    notes: [
      "1 % of new sessions at first, half as much again every 5 minutes, all of them after an hour; existing sessions stay where they " +
        "are. If more than 5 % of the new origin's requests fail within a minute, and more than twice as many as at the old " +
        "one, or if it is down, every node sends new sessions to the old origin again. Needs a room with an origin of its own.",
      "Each change of a room's origin is such a rollout, to more targets, fewer, or other weights; --stop, --back and --now are for all.",
    ],
    options: [
      {
        flag: "to",
        placeholder: "URL",
        help: "the new origin, which must answer; also continues a stopped rollout to it",
      },
      { flag: "stop", help: "keep the current share of new sessions" },
      { flag: "back", help: "make the old weights those of the room again, at once" },
      { flag: "now", help: "make all new sessions follow it at once" },
      ...CLIENT_OPTIONS,
    ],
    examples: ["anteroom room rollout shop --to http://10.0.0.2:3000", "anteroom room rollout shop --back"],
    run: async (call) => (await import("./room-rollout.ts")).rollout(call),
  },
];
