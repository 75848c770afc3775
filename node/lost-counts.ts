/**
 * Rooms in which this node's disk has lost admissions that others know of: after a loss of power, or from an old copy.
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
/** Minutes of a session in a room that is not known here. */
const SESSION_MINUTES_MAX = 30;

export interface LostCountsParts {
  readonly minuteMs: number;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Outbox;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  /** Unix ms as the rooms see it. */
  readonly nowMs: () => number;
}

export class LostCounts {
  readonly #parts: LostCountsParts;
  /** Until when, in Unix ms. */
  readonly #heldUntil: Map<RoomId, number>;
  readonly #waiting = new Set<RoomId>();

  constructor(parts: LostCountsParts) {
    this.#parts = parts;
    this.#heldUntil = new Map((parts.restored.get(KEY) ?? []) as [RoomId, number][]);
  }

  /** Counts of a room were lost. Returns whether that is news. */
  note(id: RoomId): boolean {
    if (this.#heldUntil.has(id)) return false;
    const { minuteMs, rooms, nowMs } = this.#parts;
    const room = rooms.get(id);
    const minutes = (room?.room.sessionDuration ?? SESSION_MINUTES_MAX) + 1;
    this.#heldUntil.set(id, nowMs() + minutes * minuteMs + scaledMs(GRACE_MS, minuteMs));
    if (room === undefined) this.#waiting.add(id);
    else room.holdAll(nowMs());
    this.#store();
    return true;
  }

  /** A room that takes part from now on. */
  add(room: MeshRoom): void {
    if (this.#waiting.delete(room.id)) room.holdAll(this.#parts.nowMs());
  }

  /** Whether this node may use nothing of a room. */
  isHeld(id: RoomId): boolean {
    const untilMs = this.#heldUntil.get(id);
    if (untilMs === undefined) return false;
    if (this.#parts.nowMs() < untilMs) return true;
    this.#heldUntil.delete(id);
    this.#store();
    return false;
  }

  #store(): void {
    this.#parts.outbox.put(KEY, this.#heldUntil.size === 0 ? undefined : [...this.#heldUntil]);
  }
}
