/**
 * What a room, an event or a webhook is to be: fields on the command line, as `field=value`.
 *
 * Values are YAML scalars, so that `queue_all=true` is a switch and `total_active_users=500` a number; lists and groups
 * are written in brackets. Text fields take the value unchanged, `field=@FILE` takes the file's, and `page.message=…`
 * sets one field of a group.
 */

import { isObject } from "../../node/config/is-object.ts";
import { type Checked, type Problem, problemsIn } from "../../node/config/problem.ts";
import { ROOM_GROUPS } from "../../node/config/room-schema.ts";
import { parseYaml } from "../../node/config/yaml-text.ts";
import { Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import { readInput } from "../read-input.ts";
import { loadRooms, type RoomsFile } from "./load-rooms.ts";

const TEXT_FIELDS = [
  "name",
  "description",
  "host",
  "path",
  "custom_page_html",
  "cookie_domain",
  "cookie_suffix",
  "origin",
  "origin_host",
  "ramp",
  "url",
  ...Object.keys(ROOM_GROUPS.page)
    .filter((field) => field !== "texts")
    .map((field) => `page.${field}`),
];

/** Groups whose fields can be set one by one; the others of the group stay as they are. */
const GROUPS = ["page", "cookie_attributes", "throttle"];

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
    } else if (fields.has(field) || fields.has(field.replace(/\..*/, ""))) {
      problems.push({ path: field, value: text, problem: "is given twice", repair: "give it once" });
    } else if (!value.ok) problems.push(...problemsIn(field, value.problems));
    else fields.set(field, value.value);
  }
  if (problems.length > 0) throw new Failure("Cannot read the fields", { problems });
  return grouped(fields);
}

/** The value of a field: the text given, or that of the file it names. A file of one line ends in a line end. */
function fieldValue(field: string, given: string, io: Pick<Io, "read">): Checked<unknown> {
  const read = given.startsWith("@") ? readInput(io, given.slice(1)) : undefined;
  if (read?.ok === false) return read;
  const text = read?.value ?? given;
  if (field === "custom_page_html") return { ok: true, value: text };
  // Several origins are a list; no URL begins like one.
  const isList = field === "origin" && text.startsWith("[");
  return TEXT_FIELDS.includes(field) && !isList ? { ok: true, value: text.replace(/\r?\n$/, "") } : parseYaml(text);
}

/** `page.message` as a field of the group `page`. */
function grouped(fields: ReadonlyMap<string, unknown>): Readonly<Record<string, unknown>> {
  const document: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    const [group = "", ...inner] = name.split(".");
    const isInGroup = GROUPS.includes(group) && inner.length === 1;
    const before = document[group];
    if (isInGroup) document[group] = { ...(isObject(before) && before), [inner.join()]: value };
    else document[name] = value;
  }
  return document;
}

/** The rooms of a rooms file, or on stdin for `-`. Throws `Failure` with all problems. */
export function readRoomsFile(io: Io, path: string): RoomsFile {
  const rooms = loadRooms(io, path);
  if (!rooms.ok) throw new Failure("Cannot apply the rooms", { problems: rooms.problems });
  return rooms.value;
}
