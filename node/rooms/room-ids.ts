/**
 * Which id a new room has: that of its first name. Once a mesh has as many rooms as it can hold, deleted ones included,
 * it is the id of a room that was deleted: registers, slots and their openings are kept by id, and nobody can say when
 * no old copy of them is left. So an id is used again as it is: the new room's register is the later one, and sessions
 * of the deleted room still hold slots until they end.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { ROOMS_MAX } from "../../mesh/core/wire/shapes.ts";
import type { Placed, RoomChange } from "./room-changes.ts";
import { roomIdOf } from "./stored-room.ts";

/**
 * The new room takes one of so many that were deleted the longest ago, by its name: of two rooms that are made at two
 * nodes at once, one is lost if both take the same. Doubled, sessions that still hold slots are met sooner.
 */
const CHOICE = 32;

/** The changes with the ids of their rooms. With too many rooms several may have one id. */
export function placed(changes: readonly RoomChange[], registers: ReadonlyMap<RoomId, Register>): readonly Placed[] {
  const byName = new Map(Array.from(registers, ([id, { firstName }]) => [firstName, id] as const));
  const used = new Set(registers.keys());
  const named = new Set(changes.map(({ room }) => room.name));
  const deleted = [...registers]
    .filter(([, { document, firstName }]) => document === undefined && !named.has(firstName))
    .sort(([one, { stamp }], [other, { stamp: later }]) => stamp.wallMs - later.wallMs || (one < other ? -1 : 1))
    .map(([id]) => id);
  const newId = (name: string): RoomId => {
    const own = roomIdOf(name);
    if (used.size < ROOMS_MAX && !used.has(own)) return own;
    const at = Number.parseInt(own.slice(0, 8), 16) % Math.min(CHOICE, Math.max(1, deleted.length));
    return deleted.splice(at, 1)[0] ?? own;
  };
  return changes.map(({ live, room }) => {
    const known = live?.id ?? byName.get(room.name);
    const id = known !== undefined && registers.has(known) ? known : newId(room.name);
    used.add(id);
    return { id, live, room };
  });
}
