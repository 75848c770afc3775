/**
 * Problems of a room document as text: zod's issues turned into problems.
 */

import type { z } from "zod";
import type { Fields } from "./document-fields.ts";
import { EVENT_FIELDS } from "./event-schema.ts";
import { placeOf, valueAt, wrong } from "./issue-words.ts";
import { didYouMean } from "./near-miss.ts";
import { type Problem, problemAt } from "./problem.ts";
import { FIELD_NAMES, type FieldName, INSTEAD, ROOM_FIELDS, ROOM_GROUPS } from "./room-schema.ts";
import { unknownKeys } from "./unknown-keys.ts";

type Issue = z.core.$ZodIssue;

const WRITE_ROOM =
  'write the fields of a room: {name: shop, host: "*", total_active_users: 500, new_users_per_minute: 100}';

/** The problems behind one issue of zod; `path` is the place of the document itself, empty for none. */
export function problemsOfIssue(issue: Issue, document: unknown, path: string): Problem[] {
  const value = valueAt(document, issue.path);
  if (issue.code === "unrecognized_keys") {
    const problemOf = (key: string) => unknownField([...issue.path, key], path, valueAt(value, [key]));
    return unknownKeys(issue.keys, placeOf(path, issue.path), problemOf);
  }
  const repair = repairOf(issue);
  return [problemAt(placeOf(path, issue.path), value, { problem: wrong(issue, value), repair })];
}

function unknownField(keys: readonly PropertyKey[], path: string, value: unknown): Problem {
  const place = placeOf(path, keys);
  const field = String(keys.at(-1));
  const instead = keys.length === 1 ? INSTEAD.get(field) : undefined;
  if (instead !== undefined) {
    const repair = `remove it; for a check without a third party there is ${instead}`;
    return problemAt(place, value, { problem: "is for Cloudflare's Turnstile", repair });
  }
  if (keys.length === 1 && field === "custom_page_file") {
    const repair = "send the text of the page as custom_page_html; rooms files may name a file";
    return problemAt(place, value, { problem: "is read by the command line only", repair });
  }
  const known = keys.length === 1 ? FIELD_NAMES : Object.keys(groupOf(keys[0]));
  const otherwise =
    keys.length === 1
      ? "remove it; anteroom room create --help lists the fields"
      : `remove it; known are ${known.join(", ")}`;
  const repair = didYouMean(field, known, otherwise);
  return problemAt(place, value, { problem: "is not a known field", repair });
}

function repairOf(issue: Issue): string {
  if (issue.code === "custom" && typeof issue.params?.repair === "string") return issue.params.repair;
  const [field, ...within] = issue.path;
  if (!isFieldName(field)) return WRITE_ROOM;
  const group = groupOf(field);
  const inner = within.map(String).find((key) => Object.hasOwn(group, key)) ?? "";
  const events: Fields = field === "events" ? EVENT_FIELDS : {};
  const { repair, help } = events[inner] ?? ROOM_FIELDS[field];
  return repair ?? `write: ${group[inner]?.description ?? help}`;
}

/** The fields of a group, or of the entries of a list; none for other fields. */
function groupOf(field: PropertyKey | undefined): Readonly<Record<string, z.ZodType>> {
  return Object.entries(ROOM_GROUPS).find(([name]) => name === field)?.[1] ?? {};
}

function isFieldName(key: PropertyKey | undefined): key is FieldName {
  return FIELD_NAMES.some((name) => name === key);
}
