/** The differences between two versions of a room, field by field, for people. */

import { z } from "zod";
import type { Shape } from "../config/document-fields.ts";
import { shownValue } from "../config/problem.ts";
import type { Room } from "../config/room.ts";
import { roomDocument } from "../config/room-document.ts";

/** A field with its old and new value. */
export const FIELD_CHANGE = z.object({
  field: z.string().describe("the field"),
  from: z.string().describe("the old value, shortened"),
  to: z.string().describe("the new value, shortened"),
});
export type FieldChange = Shape<typeof FIELD_CHANGE>;

/** All fields that differ; those of a room that came or went, if one of the two is undefined. */
export function changesBetween(before: Room | undefined, after: Room | undefined): FieldChange[] {
  if (before === after) return [];
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((field) => {
    const [from, to] = [old.get(field), now.get(field)];
    const isChanged = JSON.stringify(from) !== JSON.stringify(to);
    return isChanged ? [{ field, from: shownValue(from) ?? "nothing", to: shownValue(to) ?? "nothing" }] : [];
  });
}

function fieldsOf(room: Room | undefined): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>(room === undefined ? [] : Object.entries(roomDocument(room)));
}
