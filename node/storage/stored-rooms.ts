/**
 * What a data directory holds about each room: the slots of its sessions, its line, the sessions that were ended, and
 * contacts.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { Restored, StoredContact } from "../admission/admission-record.ts";
import { ADMISSION, CONTACT, LINE, RAMP, REVOKED } from "../admission/mesh/stored-room.ts";
import type { Revoked } from "../admission/sessions.ts";

export class StoredRooms {
  readonly #entries: ReadonlyMap<string, unknown>;
  readonly #minuteMs: number;
  readonly #revoked = new Map<string, Revoked[]>();
  readonly #contacts = new Map<string, [id: string, contact: StoredContact][]>();

  constructor(entries: ReadonlyMap<string, unknown>, minuteMs: number) {
    this.#entries = entries;
    this.#minuteMs = minuteMs;
    for (const { names, value: lastGood } of REVOKED.all(entries)) {
      const [room = "", id = ""] = names;
      this.#revoked.getOrInsertComputed(room, () => []).push({ id, lastGood });
    }
    for (const { names, value } of CONTACT.all(entries)) {
      const [room = "", id = ""] = names;
      this.#contacts.getOrInsertComputed(room, () => []).push([id, value]);
    }
  }

  /** Everything about one room; ended sessions only as far as their cookies could be valid at `nowMs`. */
  restored(room: RoomId, nowMs: number): Restored {
    const minute = minuteOf(nowMs, this.#minuteMs);
    return {
      record: ADMISSION.read(this.#entries, room),
      line: LINE.read(this.#entries, room),
      rampStartMs: RAMP.read(this.#entries, room),
      revoked: (this.#revoked.get(room) ?? []).filter(({ lastGood }) => lastGood >= minute),
      contacts: this.#contacts.get(room),
    };
  }
}
