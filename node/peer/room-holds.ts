/**
 * Rooms of which this node may use nothing for a while: sessions may use its slots, or its units may have been given
 * away, without its knowledge.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import type { LostCounts } from "./lost-counts.ts";
import type { NodeTime } from "./node-time.ts";
import type { PowerLoss } from "./power-loss.ts";

/** Why a room is held, as logged. */
export const HOLD_REASONS = {
  lostCounts: "this disk has lost admissions that other nodes know of",
  powerLoss: "the host was restarted, and its last commits may be lost",
  lostHeir: "a lost node, to which this one was leaving, may have admitted visitors on its slots",
  ahead: "this node's clock was ahead of the others', and it may have ended sessions too early",
} as const;

const HELD_TEXT = "this node's slots of the room count as used until all current sessions are over";

export interface RoomHoldsParts {
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  readonly lost: LostCounts;
  readonly powerLoss: () => PowerLoss;
  readonly time: Pick<NodeTime, "isTrusted" | "isYetToCome">;
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

export class RoomHolds {
  readonly #parts: RoomHoldsParts;

  constructor(parts: RoomHoldsParts) {
    this.#parts = parts;
  }

  has(room: RoomId): boolean {
    return this.#parts.powerLoss().isOpen || this.#parts.lost.isHeld(room);
  }

  /** Makes all slots of a room at this node count as used, until all current sessions are over. */
  hold(room: RoomId, why: keyof typeof HOLD_REASONS): void {
    if (this.#parts.lost.note(room)) this.#parts.log({ room }, `${HOLD_REASONS[why]}: ${HELD_TEXT}`);
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
}
