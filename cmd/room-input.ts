/**
 * A room on the command line: fields as `field=value`, or a file with a document.
 *
 * Values are YAML scalars, so that `queue_all=true` is a switch and `total_active_users=500` a number; lists and groups
 * are written in brackets. Text fields take the value unchanged; `custom_page_html=@FILE` takes the file's.
 */

import { type Checked, type Problem, problemsIn } from "../node/config/problem.ts";
import type { Room } from "../node/config/room.ts";
import { parseRoom, type RoomDocument, roomDocument } from "../node/config/room-document.ts";
import { parseYaml } from "../node/config/yaml-text.ts";
import { Failure } from "./failure.ts";
import type { Io } from "./io.ts";
import { loadRooms, readInput, shownPath } from "./load.ts";

const TEXT_FIELDS = [
  "name",
  "description",
  "host",
  "path",
  "custom_page_html",
  "cookie_domain",
  "cookie_suffix",
  "origin",
  "ramp",
];

/** The partial document from `field=value` words. Throws `Failure` with all problems. */
export function readFields(words: readonly string[], io: Pick<Io, "read">): Readonly<Record<string, unknown>> {
  const fields = new Map<string, unknown>();
  const problems: Problem[] = [];
  for (const word of words) {
    const [field = "", ...rest] = word.split("=");
    const text = rest.join("=");
    const value = fieldValue(field, text, io);
    if (rest.length === 0) {
      problems.push({ path: word, problem: "is not field=value", repair: "write for instance total_active_users=500" });
    } else if (fields.has(field)) {
      problems.push({ path: field, value: text, problem: "is given twice", repair: "give it once" });
    } else if (!value.ok) problems.push(...problemsIn(field, value.problems));
    else fields.set(field, value.value);
  }
  if (problems.length > 0) throw new Failure("Cannot read the fields", { problems });
  return Object.fromEntries(fields);
}

/** A template is long, and usually in a file: `custom_page_html=@page.html` reads it from there. */
function fieldValue(field: string, text: string, io: Pick<Io, "read">): Checked<unknown> {
  if (field === "custom_page_html" && text.startsWith("@")) return readInput(io, text.slice(1));
  return TEXT_FIELDS.includes(field) ? { ok: true, value: text } : parseYaml(text);
}

/** The one room in a file, or on stdin for `-`. Throws `Failure` with all problems. */
export function readRoomFile(io: Io, path: string): RoomDocument {
  const shown = shownPath(path);
  const text = readInput(io, path);
  if (!text.ok) throw new Failure("Cannot read the room", { problems: text.problems });
  const data = parseYaml(text.value);
  if (!data.ok) throw new Failure("Cannot read the room", { problems: problemsIn(shown, data.problems) });
  if (typeof data.value === "object" && data.value !== null && "rooms" in data.value) {
    throw new Failure(`Cannot create a room from ${shown} as it is a rooms file`, {
      hint: `apply it: anteroom room apply ${path}`,
    });
  }
  const room = parseRoom(data.value);
  if (!room.ok) throw new Failure("Cannot create the room", { problems: problemsIn(shown, room.problems) });
  return roomDocument(room.value);
}

/** The rooms of a rooms file, or on stdin for `-`. Throws `Failure` with all problems. */
export function readRoomsFile(io: Io, path: string): readonly Room[] {
  const rooms = loadRooms(io, path);
  if (!rooms.ok) throw new Failure("Cannot apply the rooms", { problems: rooms.problems });
  return rooms.value;
}
