/**
 * What a leaving node hands to its heir besides its rows: per room the slots its sessions hold, and those revoked.
 *
 * Ids are not handed over: as after a restart, the heir holds as many slots to each minute as were held, and
 * acknowledges as many sessions that it does not know. Tables are made of what is stored, not of the rooms at work: a
 * room that was deleted before the last start is not loaded, and its sessions count when it is created again.
 */

import type { Minute, RoomId } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { Puts } from "../../mesh/core/wire/outbox.ts";
import { type AdmissionRecord, potsIn } from "../admission/admission-record.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import { putApart } from "../admission/mesh/session-home.ts";
import { ADMISSION } from "../admission/mesh/stored-room.ts";
import type { Revoked } from "../admission/sessions.ts";
import { StoredRooms } from "../storage/stored-rooms.ts";
import { HANDED } from "./stored-peer.ts";

export interface RoomTable {
  readonly room: RoomId;
  readonly record: AdmissionRecord;
  readonly revoked: readonly Revoked[];
}

/** What a room holds that its site counted so far. */
export type Left = Pick<RoomTable, "room" | "record">;

export interface HandedTablesParts {
  readonly minuteMs: number;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Puts;
}

/**
 * The same when its accounts are in a pot: its sessions rest on slots of that pot's group, and its arrivals are not
 * used.
 */
export function inPot({ room, record, revoked }: RoomTable, group: string): RoomTable {
  const pots = [...potsIn(record), [group, record.slots] as const];
  return { room, record: { ...record, slots: [], pots, admittedInMinute: 0 }, revoked };
}

/**
 * The tables of rooms, and beside each that a site counts: that of the site, which holds as many slots until they end,
 * if the room is not known here as its member. The ids stay with the room.
 */
export function withSites(tables: readonly RoomTable[], rooms: ReadonlyMap<RoomId, MeshRoom>): RoomTable[] {
  return tables.flatMap((table) => {
    const { site, ...record } = table.record;
    const own = { ...table, record };
    const isCounted = site === undefined || rooms.get(table.room)?.siteId === site;
    return isCounted ? [own] : [own, { room: site, record, revoked: [] }];
  });
}

/**
 * Tables that were handed over, including those of rooms that are not known yet: their slots are held as soon as the
 * rooms are known.
 */
export class HandedTables {
  readonly #outbox: Puts;
  readonly #minuteMs: number;
  readonly #waiting: Map<RoomId, RoomTable[]>;
  /** What this node itself held at its start. */
  readonly #stored: StoredRooms;
  readonly #storedRooms: readonly RoomId[];

  constructor({ outbox, restored, minuteMs }: HandedTablesParts) {
    this.#outbox = outbox;
    this.#minuteMs = minuteMs;
    this.#stored = new StoredRooms(restored, minuteMs);
    this.#storedRooms = ADMISSION.all(restored).map(({ names: [room = ""] }) => room as RoomId);
    this.#waiting = new Map(HANDED.all(restored).map(({ names: [room = ""], value }) => [room as RoomId, value]));
  }

  /**
   * Everything that an heir must hold: of `rooms` as they are, of all others as they are stored, and what still waits
   * for its room.
   */
  all(rooms: ReadonlyMap<RoomId, MeshRoom>, nowMs: number): RoomTable[] {
    const minute = minuteOf(nowMs, this.#minuteMs);
    const loaded = Array.from(rooms.values(), ({ id, admission: { sessions } }) => ({
      room: id,
      record: sessions.record,
      revoked: sessions.revoked,
    }));
    const stored = this.#storedRooms.flatMap((id): RoomTable[] => {
      const { record, revoked = [] } = this.#stored.restored(id, nowMs);
      return rooms.has(id) || record === undefined ? [] : [{ room: id, record, revoked }];
    });
    return [...loaded, ...[...stored, ...[...this.#waiting.values()].flat()].filter((table) => isHeld(table, minute))];
  }

  /** Rooms that are not loaded here and may still have sessions. */
  unloaded(rooms: ReadonlyMap<RoomId, MeshRoom>, nowMs: number): RoomId[] {
    const minute = minuteOf(nowMs, this.#minuteMs);
    const stored = this.#storedRooms.filter((id) => {
      if (rooms.has(id)) return false;
      const { record } = this.#stored.restored(id, nowMs);
      return record !== undefined && isHeld({ room: id, record, revoked: [] }, minute);
    });
    return [...stored, ...this.#waiting.keys()];
  }

  takeOver(tables: readonly RoomTable[], rooms: ReadonlyMap<RoomId, MeshRoom>, nowMs: number): void {
    for (const table of withSites(tables, rooms)) {
      const room = rooms.get(table.room);
      if (room !== undefined) room.takeOver(table, nowMs);
      else {
        const waiting = [...(this.#waiting.get(table.room) ?? []), table];
        this.#waiting.set(table.room, waiting);
        this.#outbox.put(HANDED.at(table.room), waiting);
      }
    }
  }

  /**
   * Has a site hold slots for what a room holds that it does not count any more. The disk of a room that is not loaded
   * says so too, or the site would hold them once more after each restart.
   */
  holdAtSite({ room, record: { site, ...record } }: Left, rooms: ReadonlyMap<RoomId, MeshRoom>, nowMs: number): void {
    if (site === undefined) return;
    this.takeOver([{ room: site, record, revoked: [] }], rooms, nowMs);
    if (!rooms.has(room)) putApart(this.#outbox, room, record);
  }

  /** A room is known from now on. */
  add(room: MeshRoom, nowMs: number): void {
    for (const table of this.#waiting.get(room.id) ?? []) room.takeOver(table, nowMs);
    if (this.#waiting.delete(room.id)) this.#outbox.put(HANDED.at(room.id), undefined);
  }
}

/**
 * Whether a slot may still be in use: a deleted room's table stays on disk when all its sessions are over. Clocks
 * differ by less than a minute.
 */
function isHeld({ record }: RoomTable, minute: Minute): boolean {
  const slots = [...record.slots, ...potsIn(record).flatMap(([, held]) => held)];
  return slots.some(([lastGood]) => lastGood + 1 >= minute);
}
