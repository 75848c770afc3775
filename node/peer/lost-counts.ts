/**
 * Rooms in which this node's disk has lost admissions that others know of, after a power loss or from an old copy; or
 * in which sessions were ended by a clock that was ahead.
 *
 * No node knows what else was lost. So in such a room all slots of this node count as held, and none is used or given
 * away, until every session that may have been admitted is over; old sessions are acknowledged meanwhile. The time
 * counted is that for which this node runs, on disk, because it may start again before, and with a wrong clock. A
 * further loss starts it again.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { GRACE_MS, scaledMs } from "../../mesh/core/minute.ts";
import type { Puts } from "../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import { HELD_ROOMS } from "./stored-peer.ts";

/** Ms left of a hold that starts as soon as the room and the time are known. */
const NOT_BEGUN = Number.MAX_SAFE_INTEGER;
/** Between two times that the remaining time goes to disk, in ms. A restart lengthens it by as much at most. */
const SAVE_MS = 1_000;

export interface LostCountsParts {
  readonly minuteMs: number;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Puts;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  /** The longest session that may exist, in minutes. */
  readonly longest: () => number;
  readonly now: Instant;
}

export class LostCounts {
  readonly #parts: LostCountsParts;
  /** Ms left. */
  readonly #leftMs: Map<RoomId, number>;
  #tickedMs: number;
  #savedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: LostCountsParts) {
    this.#parts = parts;
    this.#leftMs = new Map(HELD_ROOMS.read(parts.restored) ?? []);
    this.#tickedMs = parts.now.steadyMs;
  }

  /** Counts of a room were lost. Returns whether the room was not held yet. */
  note(id: RoomId): boolean {
    const isNews = !this.#leftMs.has(id);
    this.#leftMs.set(id, NOT_BEGUN);
    this.#store();
    return isNews;
  }

  /** Whether this node may use nothing of a room. */
  isHeld(id: RoomId): boolean {
    return this.#leftMs.has(id);
  }

  /** Rooms of which this node may use nothing. */
  get held(): readonly RoomId[] {
    return [...this.#leftMs.keys()];
  }

  /** Ms until it may use all of them again; undefined while that is unknown. */
  get leftMs(): number | undefined {
    const most = Math.max(0, ...this.#leftMs.values());
    return most === NOT_BEGUN ? undefined : most;
  }

  /** Whether that is so of any room. */
  get holdsAny(): boolean {
    return this.#leftMs.size > 0;
  }

  /**
   * Call it twice a second, once the time is known: starts and ends holds. `wallMs`: Unix ms, not ahead of the others'
   * clocks, or the slots stayed held for as long as this node's time is ahead.
   */
  tick({ steadyMs }: Instant, wallMs: number): void {
    const { minuteMs, rooms, longest } = this.#parts;
    const passedMs = steadyMs - this.#tickedMs;
    this.#tickedMs = steadyMs;
    let isChanged = this.holdsAny && steadyMs - this.#savedMs >= SAVE_MS;
    for (const [id, leftMs] of this.#leftMs) {
      const room = rooms.get(id);
      if (leftMs !== NOT_BEGUN) {
        this.#leftMs.set(id, leftMs - passedMs);
        if (leftMs > passedMs) continue;
        this.#leftMs.delete(id);
      } else if (room !== undefined) {
        const minutes = Math.max(room.room.sessionDuration, longest());
        this.#leftMs.set(id, (minutes + 1) * minuteMs + scaledMs(GRACE_MS, minuteMs));
        room.holdAll(wallMs);
      } else continue;
      isChanged = true;
    }
    if (!isChanged) return;
    this.#savedMs = steadyMs;
    this.#store();
  }

  #store(): void {
    this.#parts.outbox.put(HELD_ROOMS.at(), this.#leftMs.size === 0 ? undefined : [...this.#leftMs]);
  }
}
