/**
 * Problems of a room document as text: zod's issues turned into problems.
 */

import type { z } from "zod";
import { EVENT_FIELD_NAMES, EVENT_FIELDS, type EventField } from "./event-schema.ts";
import { placeOf, valueAt, wrong } from "./issue-words.ts";
import { didYouMean } from "./near-miss.ts";
import { PAGE_REPAIRS } from "./page-fields.ts";
import { type Problem, problemAt } from "./problem.ts";
import { QUEUE_IT_REPAIRS } from "./queue-it-fields.ts";
import { FIELD_NAMES, type FieldName, INSTEAD, ROOM_FIELDS } from "./room-schema.ts";
import { unknownKeys } from "./unknown-keys.ts";

type Issue = z.core.$ZodIssue;

const WRITE_ROOM =
  'write the fields of a room: {name: shop, host: "*", total_active_users: 500, new_users_per_minute: 100}';

/** Fields of the groups within a room. */
const INNER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  cookie_attributes: ["samesite", "secure"],
  additional_routes: ["host", "path"],
  throttle: ["k", "latency"],
  page: Object.keys(PAGE_REPAIRS),
  origin: ["url", "weight"],
  health_check: ["path", "interval_seconds", "timeout_seconds"],
  events: EVENT_FIELD_NAMES,
  rollout: ["from", "started_at", "state", "percent", "reason"],
  queue_it: Object.keys(QUEUE_IT_REPAIRS),
  notify: ["by", "grace_minutes"],
};

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
    const repair = `remove it, and for a check without a third party ${ROOM_FIELDS[instead].repair} in ${instead}`;
    return problemAt(place, value, { problem: "is for Cloudflare's Turnstile", repair });
  }
  if (keys.length === 1 && field === "custom_page_file") {
    const repair = "send the text of the page as custom_page_html; rooms files may name a file";
    return problemAt(place, value, { problem: "is read by the command line only", repair });
  }
  const known = keys.length === 1 ? FIELD_NAMES : (INNER_FIELDS[String(keys[0])] ?? []);
  const otherwise =
    keys.length === 1
      ? "remove it; anteroom room create --help lists the fields"
      : `remove it; known are ${known.join(", ")}`;
  const repair = didYouMean(field, known, otherwise);
  return problemAt(place, value, { problem: "is not a known field", repair });
}

function repairOf(issue: Issue): string {
  if (issue.code === "custom" && typeof issue.params?.repair === "string") return issue.params.repair;
  const [field, inner, innermost] = issue.path;
  if (field === "page" && typeof inner === "string") return PAGE_REPAIRS[inner] ?? ROOM_FIELDS.page.repair;
  if (field === "queue_it" && typeof inner === "string") return QUEUE_IT_REPAIRS[inner] ?? ROOM_FIELDS.queue_it.repair;
  if (field === "events" && isEventField(innermost)) return EVENT_FIELDS[innermost].repair;
  return isFieldName(field) ? ROOM_FIELDS[field].repair : WRITE_ROOM;
}

function isEventField(key: PropertyKey | undefined): key is EventField {
  return EVENT_FIELD_NAMES.some((name) => name === key);
}

function isFieldName(key: PropertyKey | undefined): key is FieldName {
  return FIELD_NAMES.some((name) => name === key);
}
