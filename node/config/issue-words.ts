/** An issue of zod in our own words: what is wrong, where, and with which value. */

import type { z } from "zod";
import { isObject } from "./is-object.ts";

type Issue = z.core.$ZodIssue;

/** What is wrong with `value`, to be read after "the value …". */
export function wrong(issue: Issue, value: unknown): string {
  if (value === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      if (typeof value === "number" && !Number.isFinite(value)) return "is not a finite number";
      if (issue.expected === "int" && typeof value === "number") return "is not a whole number";
      return `is ${kindOf(value)}, not ${KINDS[issue.expected] ?? issue.expected}`;
    case "too_small":
      if (issue.origin === "string") return `is shorter than ${issue.minimum} characters`;
      if (issue.origin === "array") return `has fewer than ${issue.minimum} entries`;
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

/** The place of `keys` in a document whose own place is `path`. */
export function placeOf(path: string, keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((place, key) => {
    if (typeof key === "number") return `${place}[${key}]`;
    return place === "" ? String(key) : `${place}.${String(key)}`;
  }, path);
}

/** What a document has at `keys`; undefined for nothing. */
export function valueAt(document: unknown, keys: readonly PropertyKey[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (isObject(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined),
    document,
  );
}
