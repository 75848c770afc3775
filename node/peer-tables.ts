/**
 * What a node that leaves hands to its heir besides its rows: per room the slots its sessions hold, and those revoked.
 *
 * Ids are not handed over: as after a restart, the heir holds as many slots to each minute as were held, and acknowledges as
 * many sessions that it does not know.
 */

import type { RoomId } from "../mesh/core/ids.ts";
import type { Outbox } from "../mesh/core/outbox.ts";
import type { AdmissionRecord } from "./admission/admission.ts";
import type { MeshRoom } from "./admission/mesh/mesh-room.ts";
import type { Revoked } from "./admission/sessions.ts";

export interface RoomTable {
  readonly room: RoomId;
  readonly record: AdmissionRecord;
  readonly revoked: readonly Revoked[];
}

export function tablesOf(rooms: Iterable<MeshRoom>): RoomTable[] {
  return Array.from(rooms, ({ id, admission }) => ({ room: id, record: admission.record, revoked: admission.revoked }));
}

/** Under this key, and the room's id, lies what was handed over for a room that was not known then. */
const HANDED_KEY = "handed";

/** Tables that were handed over, and those of rooms that are not known yet: their slots are held as soon as the rooms are. */
export class HandedTables {
  readonly #outbox: Outbox;
  readonly #waiting: Map<RoomId, RoomTable[]>;

  constructor(outbox: Outbox, restored: ReadonlyMap<string, unknown>) {
    this.#outbox = outbox;
    const keys = [...restored.keys()].filter((key) => key.startsWith(`${HANDED_KEY}/`));
    this.#waiting = new Map(
      keys.map((key) => [key.slice(HANDED_KEY.length + 1) as RoomId, restored.get(key) as RoomTable[]]),
    );
  }

  takeOver(tables: readonly RoomTable[], rooms: ReadonlyMap<RoomId, MeshRoom>, nowMs: number): void {
    for (const table of tables) {
      const room = rooms.get(table.room);
      if (room !== undefined) room.takeOver(table, nowMs);
      else {
        const waiting = [...(this.#waiting.get(table.room) ?? []), table];
        this.#waiting.set(table.room, waiting);
        this.#outbox.put(`${HANDED_KEY}/${table.room}`, waiting);
      }
    }
  }

  /** A room is known from now on. */
  add(room: MeshRoom, nowMs: number): void {
    for (const table of this.#waiting.get(room.id) ?? []) room.takeOver(table, nowMs);
    if (this.#waiting.delete(room.id)) this.#outbox.put(`${HANDED_KEY}/${room.id}`, undefined);
  }
}
