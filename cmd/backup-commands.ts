/** The commands that save what operators have declared, and bring it back. */

import { type Command, NONE, ONE } from "./command.ts";
import { CLIENT_OPTIONS, JSON_OPTION } from "./options.ts";

export const BACKUP_COMMANDS: readonly Command[] = [
  {
    name: "backup",
    synopsis: "[--json]",
    positionals: NONE,
    summary: "write all rooms with their events as a sealed rooms file",
    notes: [
      "Has the operators' orders as information, and no keys, sessions or places. It is a rooms file too: room apply and serve " +
        "--rooms read it. Passes stay valid where a room is restored under its first name, in a mesh with the same mesh.key.",
    ],
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: [
      "anteroom backup > backup.yaml",
      "anteroom backup --admin 10.0.0.5:8081 --token-file gate5.token > backup.yaml",
    ],
    run: async (call) => (await import("./backup.ts")).backup(call),
  },
  {
    name: "restore",
    synopsis: "FILE | - [--dry-run] [--json]",
    positionals: ONE,
    summary: "make the rooms of a backup as they were: all or none",
    notes: [
      "Refuses a backup that is cut off, edited or of a newer release. Events that a room has got since the backup are removed; " +
        "rooms that are not in it stay as they are. Orders are not given again: prints the command for each.",
    ],
    options: [
      { flag: "dry-run", help: "change nothing: show each field that would change, with both values" },
      JSON_OPTION,
      ...CLIENT_OPTIONS,
    ],
    examples: ["anteroom restore backup.yaml --dry-run", "anteroom restore backup.yaml"],
    run: async (call) => (await import("./restore.ts")).restore(call),
  },
];
