/**
 * Rooms in which this node's disk has lost admissions that others know of, after a loss of power or from an old copy; or in which
 * stays were ended by a time that was ahead.
 *
 * What was lost besides is known to nobody. So in such a room all slots of this node count as held, and none is used or given
 * away, until every session that may have been let in is over; old sessions are acknowledged meanwhile. On disk, as the node may
 * start again before.
 */

import type { RoomId } from "../mesh/core/ids.ts";
import { GRACE_MS, scaledMs } from "../mesh/core/minute.ts";
import type { Outbox } from "../mesh/core/outbox.ts";
import type { MeshRoom } from "./admission/mesh/mesh-room.ts";

const KEY = "lost-counts";
/** Until when, of a room that is not known here yet, or while the time is not. */
const NOT_KNOWN = Number.MAX_SAFE_INTEGER;

export interface LostCountsParts {
  readonly minuteMs: number;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Outbox;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  /** The longest session, in minutes, that may be about although no room allows it any more; 0 for none. */
  readonly longestEarlier: () => number;
}

export class LostCounts {
  readonly #parts: LostCountsParts;
  /** Until when, in Unix ms. */
  readonly #heldUntil: Map<RoomId, number>;

  constructor(parts: LostCountsParts) {
    this.#parts = parts;
    this.#heldUntil = new Map((parts.restored.get(KEY) ?? []) as [RoomId, number][]);
  }

  /** Counts of a room were lost. Returns whether that is news. */
  note(id: RoomId): boolean {
    if (this.#heldUntil.has(id)) return false;
    this.#heldUntil.set(id, NOT_KNOWN);
    this.#store();
    return true;
  }

  /** Whether this node may use nothing of a room. */
  isHeld(id: RoomId): boolean {
    return this.#heldUntil.has(id);
  }

  /** To be called twice a second, once the time is known: holds what is to be held, and ends what is over. */
  tick(nowMs: number): void {
    const { minuteMs, rooms, longestEarlier } = this.#parts;
    for (const [id, untilMs] of this.#heldUntil) {
      const room = rooms.get(id);
      if (untilMs === NOT_KNOWN && room !== undefined) {
        const minutes = Math.max(room.room.sessionDuration, longestEarlier());
        const lastsMs = (minutes + 1) * minuteMs + scaledMs(GRACE_MS, minuteMs);
        this.#heldUntil.set(id, nowMs + lastsMs);
        room.holdAll(nowMs);
      } else if (nowMs >= untilMs) this.#heldUntil.delete(id);
      else continue;
      this.#store();
    }
  }

  #store(): void {
    this.#parts.outbox.put(KEY, this.#heldUntil.size === 0 ? undefined : [...this.#heldUntil]);
  }
}
