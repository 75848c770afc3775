/**
 * Problems of a room document as text: zod's issues turned into problems.
 */

import type { z } from "zod";
import { EVENT_FIELDS, EVENT_REPAIRS, type EventField } from "./event-schema.ts";
import { isObject } from "./is-object.ts";
import { didYouMean } from "./near-miss.ts";
import { PAGE_REPAIRS } from "./page-fields.ts";
import { type Problem, problemAt } from "./problem.ts";
import { QUEUE_IT_REPAIRS } from "./queue-it-fields.ts";
import { FIELD_NAMES, type FieldName, INSTEAD, NOT_YET, REPAIRS } from "./room-schema.ts";
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
  events: EVENT_FIELDS,
  rollout: ["to", "started_at", "state", "percent", "reason"],
  queue_it: Object.keys(QUEUE_IT_REPAIRS),
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
    const repair = `remove it, and for a check without a third party ${REPAIRS[instead]} in ${instead}`;
    return problemAt(place, value, { problem: "is for Cloudflare's Turnstile", repair });
  }
  if (keys.length === 1 && NOT_YET.includes(field)) {
    return problemAt(place, value, { problem: "is not yet built", repair: "remove the field" });
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
  if (field === "page" && typeof inner === "string") return PAGE_REPAIRS[inner] ?? REPAIRS.page;
  if (field === "queue_it" && typeof inner === "string") return QUEUE_IT_REPAIRS[inner] ?? REPAIRS.queue_it;
  if (field === "events" && isEventField(innermost)) return EVENT_REPAIRS[innermost];
  return isFieldName(field) ? REPAIRS[field] : WRITE_ROOM;
}

function wrong(issue: Issue, value: unknown): string {
  if (value === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      if (typeof value === "number" && !Number.isFinite(value)) return "is not a finite number";
      if (issue.expected === "int" && typeof value === "number") return "is not a whole number";
      return `is ${kindOf(value)}, not ${KINDS[issue.expected] ?? issue.expected}`;
    case "too_small":
      return issue.inclusive === false ? `is not above ${issue.minimum}` : `is below ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "string") return `is longer than ${issue.maximum} characters`;
      if (issue.origin === "array") return `has more than ${issue.maximum} entries`;
      return `is above ${issue.maximum}`;
    default:
      return issue.message;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a group of fields",
};

function kindOf(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return KINDS[typeof value] ?? typeof value;
}

function placeOf(path: string, keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((place, key) => {
    if (typeof key === "number") return `${place}[${key}]`;
    return place === "" ? String(key) : `${place}.${String(key)}`;
  }, path);
}

function valueAt(document: unknown, keys: readonly PropertyKey[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (isObject(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined),
    document,
  );
}

function isEventField(key: PropertyKey | undefined): key is EventField {
  return EVENT_FIELDS.some((name) => name === key);
}

function isFieldName(key: PropertyKey | undefined): key is FieldName {
  return FIELD_NAMES.some((name) => name === key);
}
