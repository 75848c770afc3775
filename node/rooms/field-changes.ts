/** The differences between two versions of a room, field by field, for people. */

import { shownValue } from "../config/problem.ts";
import type { Room } from "../config/room.ts";
import { roomDocument } from "../config/room-document.ts";

/** A field with its old and new value, as shortened text. */
export interface FieldChange {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

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
