/**
 * A room's slots at this node, as the admission needs them: from the units of its accounts, or by one of the source's
 * older policies, which decide from the converged state alone and do not promise the limit.
 */

import type { Minute, RoomId } from "../../../mesh/core/ids.ts";
import { heldOf } from "../../../mesh/core/ledger/pot-share.ts";
import type { CountKind } from "../../../mesh/core/ledger/row.ts";
import { slotsOf } from "../../../mesh/core/ledger/shares.ts";
import { minutePlus } from "../../../mesh/core/minute.ts";
import { adaptiveSlots, CURVE_FACTOR, evenSlots } from "../older-policies.ts";
import { decidesAlone, type RoomConfig } from "../room-config.ts";
import type { RoomAccount } from "../room-sessions.ts";
import { everyNode, type RoomNode } from "./room-node.ts";

export interface RoomAccountParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly config: RoomConfig;
  /** Admissions so far in the minute of the last one. */
  readonly admittedInMinute: () => number;
}

export class MeshRoomAccount implements RoomAccount {
  readonly #parts: RoomAccountParts;
  /** Admissions that the policies `even` and `adaptive` allow this node in one minute. */
  #allowance = { minute: -1, slots: 0 };

  constructor(parts: RoomAccountParts) {
    this.#parts = parts;
  }

  /** Recomputes the allowance: the room has changed. */
  reset(): void {
    this.#allowance = { minute: -1, slots: 0 };
  }

  active(limit: number, minute: Minute): number {
    const { id, roomNode } = this.#parts;
    if (this.#decidesAlone) return limit;
    return roomNode.mayAct(id) ? slotsOf(limit, roomNode.units(id, "active", minute)) : 0;
  }

  arrivals(limit: number, minute: Minute): number {
    const { id, roomNode } = this.#parts;
    if (!this.#decidesAlone) return roomNode.mayAct(id) ? slotsOf(limit, roomNode.units(id, "arrivals", minute)) : 0;
    if (this.#allowance.minute !== minute) this.#allowance = { minute, slots: this.#computeAllowance(minute) };
    const { newUsersPerMinute } = this.#parts.config.room;
    return Math.floor((this.#allowance.slots * limit) / newUsersPerMinute);
  }

  pot(group: string, limit: number, minute: Minute): number {
    const { id, roomNode } = this.#parts;
    return heldOf({ limit, ...roomNode.potUnits(id, group, minute) });
  }

  ceiling(): number {
    return this.#parts.roomNode.mayHold(this.#parts.id);
  }

  count(kind: CountKind, minute: Minute): void {
    this.#parts.roomNode.count(this.#parts.id, kind, minute);
  }

  get #decidesAlone(): boolean {
    return decidesAlone(this.#parts.config.room);
  }

  #computeAllowance(minute: Minute): number {
    const { id, roomNode, config, admittedInMinute } = this.#parts;
    const { slotPolicy, totalActiveUsers, newUsersPerMinute, sessionDuration } = config.room;
    const alive = roomNode.alive();
    const state = {
      totalActiveUsers,
      newUsersPerMinute,
      activeUsers: roomNode.activeUsers(id, minute, sessionDuration),
      globalWorkersActive: Math.max(1, everyNode(alive).length),
      dataCenterWorkersActive: Math.max(1, alive.get(roomNode.locality)?.length ?? 0),
      trafficHistory: roomNode.seen(id, minutePlus(minute, -1)),
    };
    const slots =
      slotPolicy === "even"
        ? evenSlots(state, roomNode.locality)
        : adaptiveSlots(state, roomNode.locality, CURVE_FACTOR);
    // After a restart or a change within the minute, the state already counts those admitted since its start as active.
    return Math.min(newUsersPerMinute, slots + admittedInMinute());
  }
}
