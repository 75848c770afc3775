/**
 * What a data directory holds about each room: the slots of its sessions, its line, and the sessions that were ended.
 */

import type { Minute, RoomId } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { AdmissionRecord, Restored } from "../admission/admission.ts";
import type { LineSummary } from "../admission/line.ts";
import { LINE_KEY } from "../admission/mesh/line-keeper.ts";
import { ADMISSION_KEY, REVOKED_KEY } from "../admission/mesh/mesh-room.ts";
import { RAMP_KEY } from "../admission/mesh/pace-keeper.ts";
import type { Revoked } from "../admission/sessions.ts";

export class StoredRooms {
  readonly #entries: ReadonlyMap<string, unknown>;
  readonly #minuteMs: number;
  readonly #revoked = new Map<string, Revoked[]>();

  constructor(entries: ReadonlyMap<string, unknown>, minuteMs: number) {
    this.#entries = entries;
    this.#minuteMs = minuteMs;
    for (const [key, lastGood] of entries) {
      const [kind, room = "", id = ""] = key.split("/");
      if (kind === REVOKED_KEY)
        this.#revoked.getOrInsertComputed(room, () => []).push({ id, lastGood: lastGood as Minute });
    }
  }

  /** Everything about one room; ended sessions only as far as their cookies could be valid at `nowMs`. */
  restored(room: RoomId, nowMs: number): Restored {
    const minute = minuteOf(nowMs, this.#minuteMs);
    return {
      record: this.#entries.get(`${ADMISSION_KEY}/${room}`) as AdmissionRecord | undefined,
      line: this.#entries.get(`${LINE_KEY}/${room}`) as LineSummary | undefined,
      rampStartMs: this.#entries.get(`${RAMP_KEY}/${room}`) as number | undefined,
      revoked: (this.#revoked.get(room) ?? []).filter(({ lastGood }) => lastGood >= minute),
    };
  }
}
