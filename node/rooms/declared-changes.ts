/**
 * What a rooms file changes.
 *
 * A first name means its room, also after that was renamed: the file has the last word. A file says nothing about
 * rollouts: one under way continues, and another origin starts the next one. A room without `events` in the file keeps
 * its events.
 */

import { z } from "zod";
import type { Shape } from "../config/document-fields.ts";
import type { Room } from "../config/room.ts";
import { changesBetween, FIELD_CHANGE } from "./field-changes.ts";
import type { LiveRoom } from "./live-room.ts";
import { isSame, type RoomChange } from "./room-changes.ts";

/** What became of a declared room. */
export const APPLIED = z.object({
  name: z.string().describe("the room's name"),
  outcome: z.enum(["created", "updated", "unchanged"]).describe("what became of it"),
  changes: z.array(FIELD_CHANGE).optional().describe("of a room that was updated"),
});
export type Applied = Shape<typeof APPLIED>;

/** `presentOf`: the room of a name or first name. */
export function declaredChanges(
  rooms: readonly Room[],
  presentOf: (name: string) => LiveRoom | undefined,
): readonly RoomChange[] {
  return rooms.map((declared) => {
    const live = presentOf(declared.name);
    if (live === undefined) return { live, room: declared };
    const events = declared.events ?? live.declared.events;
    const waves = declared.waves.length > 0 ? declared.waves : live.declared.waves;
    return { live, room: { ...declared, events, waves, rollout: live.declared.rollout } };
  });
}

/** `isNew`: whether a room that is there already counts as new. */
export function outcomeOf({ live, room }: RoomChange, isNew: (live: LiveRoom) => boolean): Applied {
  const { name } = room;
  if (live === undefined || isNew(live)) return { name, outcome: "created" };
  if (isSame(live.declared, room)) return { name, outcome: "unchanged" };
  return { name, outcome: "updated", changes: changesBetween(live.declared, room) };
}
