/** A room's document costs its length to check: its template, and fields that are not known, however many and long. */

import { expect, test } from "vitest";
import { parseRoom } from "../../../node/config/room-document.ts";
import { templateComplaint } from "../../../node/config/template-check.ts";
import { expectLinear } from "../../linear.ts";

const SMALLEST = { name: "shop", host: "*", total_active_users: 1, new_users_per_minute: 1 };

test.each([
  ["many unknown fields", (count: number) => ({ ...SMALLEST, ...unknown(count) })],
  ["many unknown fields of a part", (count: number) => ({ ...SMALLEST, throttle: unknown(count) })],
  ["a long unknown field", (count: number) => ({ ...SMALLEST, ["total_active_users".repeat(count)]: 1 })],
])("%s", (_, room) => {
  expectLinear(1_000, room, (document) => expect(parseRoom(document).ok).toBe(false));
});

function unknown(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
}

test.each([
  ["many tags", "{{a}}"],
  ["runs of blanks", `{{a${" ".repeat(499)}}}`],
  ["beginnings of tags", "<meta "],
  ["sections", `${"{{#a}}".repeat(50)}${"{{/a}}".repeat(50)}`],
])("a template of %s", (_, run) => {
  const template = (bytes: number): string => `<p>${run.repeat(Math.ceil(bytes / run.length))}`;
  expectLinear(16_000, template, (text) => expect(templateComplaint(text)).toBeUndefined());
});
