/**
 * A room's slots at this node, as the admission needs them: from the units of its accounts, or by one of the source's
 * older policies, which decide from the converged state alone and do not promise the limit.
 */

import type { Minute, RoomId } from "../../../mesh/core/ids.ts";
import { heldOf } from "../../../mesh/core/ledger/pot-share.ts";
import type { CountKind } from "../../../mesh/core/ledger/row.ts";
import { slotsOf } from "../../../mesh/core/ledger/shares.ts";
import { minutePlus } from "../../../mesh/core/minute.ts";
import type { RoomAccount } from "../admission.ts";
import { adaptiveSlots } from "../policy-adaptive.ts";
import { evenSlots } from "../policy-even.ts";
import { decidesAlone, type RoomConfig } from "../room-config.ts";
import { everyNode, type RoomMesh } from "./room-mesh.ts";

export interface RoomAccountParts {
  readonly id: RoomId;
  readonly mesh: RoomMesh;
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
    const { id, mesh } = this.#parts;
    if (this.#decidesAlone) return limit;
    return mesh.mayAct(id) ? slotsOf(limit, mesh.units(id, "active", minute)) : 0;
  }

  arrivals(limit: number, minute: Minute): number {
    const { id, mesh } = this.#parts;
    if (!this.#decidesAlone) return mesh.mayAct(id) ? slotsOf(limit, mesh.units(id, "arrivals", minute)) : 0;
    if (this.#allowance.minute !== minute) this.#allowance = { minute, slots: this.#computeAllowance(minute) };
    const { newUsersPerMinute } = this.#parts.config.room;
    return Math.floor((this.#allowance.slots * limit) / newUsersPerMinute);
  }

  pot(group: string, limit: number, minute: Minute): number {
    const { id, mesh } = this.#parts;
    return heldOf({ limit, ...mesh.potUnits(id, group, minute) });
  }

  ceiling(): number {
    return this.#parts.mesh.mayHold(this.#parts.id);
  }

  count(kind: CountKind, minute: Minute): void {
    this.#parts.mesh.count(this.#parts.id, kind, minute);
  }

  get #decidesAlone(): boolean {
    return decidesAlone(this.#parts.config.room);
  }

  #computeAllowance(minute: Minute): number {
    const { id, mesh, config, admittedInMinute } = this.#parts;
    const { slotPolicy, curveFactor, totalActiveUsers, newUsersPerMinute, sessionDuration } = config.room;
    const alive = mesh.alive();
    const state = {
      totalActiveUsers,
      newUsersPerMinute,
      activeUsers: mesh.activeUsers(id, minute, sessionDuration),
      globalWorkersActive: Math.max(1, everyNode(alive).length),
      dataCenterWorkersActive: Math.max(1, alive.get(mesh.locality)?.length ?? 0),
      trafficHistory: mesh.seen(id, minutePlus(minute, -1)),
    };
    const slots =
      slotPolicy === "even" ? evenSlots(state, mesh.locality) : adaptiveSlots(state, mesh.locality, curveFactor);
    // After a restart or a change within the minute, the state already counts those admitted since its start as active.
    return Math.min(newUsersPerMinute, slots + admittedInMinute());
  }
}
