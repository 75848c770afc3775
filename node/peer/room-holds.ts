/**
 * Rooms of which this node may use nothing for a while: sessions may use its slots, or its units may have been given
 * away, without its knowledge. Its disk has lost admissions that others know of, after a power loss or from an old copy;
 * or sessions were ended by a clock that was ahead.
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
import type { NodeTime } from "./node-time.ts";
import type { PowerLoss } from "./power-loss.ts";
import { HELD_ROOMS } from "./stored-peer.ts";

/** Why a room is held, as logged. */
export const HOLD_REASONS = {
  lostCounts: "this disk has lost admissions that other nodes know of",
  powerLoss: "the host was restarted, and its last commits may be lost",
  lostHeir: "a lost node, to which this one was leaving, may have admitted visitors on its slots",
  ahead: "this node's clock was ahead of the others', and it may have ended sessions too early",
} as const;

const HELD_TEXT = "this node's slots of the room count as used until all current sessions are over";

/** Ms left of a hold that starts as soon as the room and the time are known. */
const NOT_BEGUN = Number.MAX_SAFE_INTEGER;
/** Between two times that the remaining time goes to disk, in ms. A restart lengthens it by as much at most. */
const SAVE_MS = 1_000;

export interface RoomHoldsParts {
  readonly minuteMs: number;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Puts;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  readonly powerLoss: () => PowerLoss;
  readonly time: Pick<NodeTime, "isTrusted" | "isYetToCome">;
  /** The longest session that may exist, in minutes. */
  readonly longest: () => number;
  readonly now: Instant;
  /** A room is held from now on. */
  readonly changed: () => void;
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

export class RoomHolds {
  readonly #parts: RoomHoldsParts;
  /** By room that is held by itself: ms left. */
  readonly #leftMs: Map<RoomId, number>;
  #tickedMs: number;
  #savedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RoomHoldsParts) {
    this.#parts = parts;
    this.#leftMs = new Map(HELD_ROOMS.read(parts.restored) ?? []);
    this.#tickedMs = parts.now.steadyMs;
  }

  /** Whether this node may use nothing of a room. */
  has(room: RoomId): boolean {
    return this.#parts.powerLoss().isOpen || this.#leftMs.has(room);
  }

  /** Whether that is so of any room. */
  get hasAny(): boolean {
    return this.#parts.powerLoss().isOpen || this.#leftMs.size > 0;
  }

  /** Rooms that are held by themselves, whatever may have been lost with the power. */
  get rooms(): readonly RoomId[] {
    return [...this.#leftMs.keys()];
  }

  /** Ms until none of these is held; undefined while that is unknown. */
  get leftMs(): number | undefined {
    const most = Math.max(0, ...this.#leftMs.values());
    return most === NOT_BEGUN ? undefined : most;
  }

  /** Makes all slots of a room at this node count as used, until all current sessions are over. */
  hold(room: RoomId, why: keyof typeof HOLD_REASONS): void {
    const isNews = !this.#leftMs.has(room);
    this.#leftMs.set(room, NOT_BEGUN);
    this.#store();
    this.#parts.changed();
    if (isNews) this.#parts.log({ room }, `${HOLD_REASONS[why]}: ${HELD_TEXT}`);
  }

  /** The same for all loaded rooms. */
  holdAll(why: keyof typeof HOLD_REASONS): void {
    for (const room of this.#parts.rooms.keys()) this.hold(room, why);
  }

  /** A room takes part from now on. */
  add(room: MeshRoom): void {
    if (this.#parts.powerLoss().isOpen) this.hold(room.id, "powerLoss");
    if (this.#parts.time.isTrusted) this.compareMinute(room);
  }

  /** An earlier run's clock may have been ahead: then a room's minute on disk is in the future. */
  compareMinute({ id, admission }: MeshRoom): void {
    if (this.#parts.time.isYetToCome(admission.sessions.record.minute)) this.hold(id, "ahead");
  }

  /**
   * Others know counts that the disk lacks. It may also lack those of other rooms, and gifts that no node has
   * mentioned.
   */
  lostCommits(): void {
    this.holdAll("lostCounts");
    this.#parts.powerLoss().noteLoss();
  }

  /**
   * Call it twice a second, once the time is known: starts and ends holds. `wallMs`: Unix ms, not ahead of the others'
   * clocks, or the slots stayed held for as long as this node's time is ahead.
   */
  tick({ steadyMs }: Instant, wallMs: number): void {
    const { minuteMs, rooms, longest } = this.#parts;
    const passedMs = steadyMs - this.#tickedMs;
    this.#tickedMs = steadyMs;
    let isChanged = this.#leftMs.size > 0 && steadyMs - this.#savedMs >= SAVE_MS;
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
