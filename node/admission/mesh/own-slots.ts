/**
 * A room's slots at this node: what its accounts have for visitors, what of it is free, and how slots are handed to
 * another node.
 *
 * It applies the arithmetic of mesh/core/ledger/shares.ts to the room's limits, the sessions held and the ledger.
 */

import type { Minute, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { heldOf } from "../../../mesh/core/ledger/pot-share.ts";
import { type CountKind, RESOURCES, type Resource, type RowData } from "../../../mesh/core/ledger/row.ts";
import { giftFor, type Holdings, slotsOf, surplus, UNITS, unitsForSlots } from "../../../mesh/core/ledger/shares.ts";
import { minutePlus } from "../../../mesh/core/minute.ts";
import type { Admission } from "../admission.ts";
import { adaptiveSlots, CURVE_FACTOR, evenSlots } from "../older-policies.ts";
import { decidesAlone, type RoomConfig } from "../room-config.ts";
import type { RoomAccount } from "../room-sessions.ts";
import { everyNode, type RoomNode } from "./room-node.ts";

/** A number for each resource: slots, or units. */
export type Both = Readonly<Record<Resource, number>>;

export const NOTHING: Both = { active: 0, arrivals: 0 };

/** The lower one of each resource. */
export function leastOf(one: Both, other: Both | undefined): Both {
  if (other === undefined) return one;
  return { active: Math.min(one.active, other.active), arrivals: Math.min(one.arrivals, other.arrivals) };
}

export function plus(one: Both, other: Both): Both {
  return { active: one.active + other.active, arrivals: one.arrivals + other.arrivals };
}

/** Part of a slot that is worth a message. What rounding leaves, a unit or two a slot, is far less. */
const FRACTION_MIN = 0.01;

export class OwnSlots {
  readonly #id: RoomId;
  readonly #roomNode: RoomNode;
  readonly #admission: Admission;
  readonly #config: RoomConfig;

  constructor(id: RoomId, config: RoomConfig, parts: { readonly roomNode: RoomNode; readonly admission: Admission }) {
    this.#id = id;
    this.#config = config;
    this.#roomNode = parts.roomNode;
    this.#admission = parts.admission;
  }

  /** Units owned now. */
  units(nowMs: number): Both {
    const minute = this.#admission.minuteAt(nowMs);
    return {
      active: this.#roomNode.units(this.#id, "active", minute),
      arrivals: this.#roomNode.units(this.#id, "arrivals", minute),
    };
  }

  /** Free slots of each resource; none while this node may not act. */
  free(nowMs: number): Both {
    if (!this.#roomNode.mayAct(this.#id)) return NOTHING;
    const { active, arrivals } = this.#holdings(nowMs);
    return { active: freeOf(active), arrivals: freeOf(arrivals) };
  }

  /** Free slots for which the site has free ones here too. */
  usable(nowMs: number): Both {
    const { site } = this.#config;
    return site === undefined ? this.free(nowMs) : leastOf(this.free(nowMs), site.freeHere(nowMs));
  }

  /** New visitors that can be admitted on own slots. */
  pairs(nowMs: number): number {
    const { active, arrivals } = this.usable(nowMs);
    return Math.min(active, arrivals);
  }

  /** Gives slots to `to`, which reports its units: as many of `wanted` as there are. Undefined if there are none. */
  give(to: NodeId, wanted: { readonly slots: Both; readonly units: Both }, nowMs: number): RowData | undefined {
    return this.#hand(to, nowMs, (resource, spare) => {
      const slots = wanted.slots[resource];
      const limit = this.#holdings(nowMs)[resource].limit;
      return slots <= 0 ? 0 : giftFor({ limit, units: wanted.units[resource], slots, surplus: spare[resource] });
    });
  }

  /** Gives `to` everything that is free, fractions included. */
  giveAll(to: NodeId, nowMs: number): RowData | undefined {
    return this.#hand(to, nowMs, (resource, spare) => spare[resource]);
  }

  /** Gives `to` what is too little for a slot here, if it is worth a message. */
  giveFractions(to: NodeId, nowMs: number): RowData | undefined {
    return this.#hand(to, nowMs, (resource, spare) => {
      const { limit, units } = this.#holdings(nowMs)[resource];
      const fraction = units - unitsForSlots(limit, slotsOf(limit, units));
      return fraction >= (UNITS / limit) * FRACTION_MIN ? Math.min(fraction, spare[resource]) : 0;
    });
  }

  #hand(to: NodeId, nowMs: number, unitsOf: (resource: Resource, spare: Both) => number): RowData | undefined {
    if (!this.#roomNode.mayAct(this.#id) || !this.#roomNode.mayGiveTo(to)) return undefined;
    const minute = this.#admission.minuteAt(nowMs);
    const spare = surplus(this.#holdings(nowMs));
    const rows = RESOURCES.flatMap((resource) => {
      const units = unitsOf(resource, spare);
      return units > 0 ? [this.#roomNode.give({ room: this.#id, resource, minute, to, units })] : [];
    });
    const [first] = rows;
    return first && { ...first, gifts: rows.flatMap(({ gifts }) => gifts) };
  }

  #holdings(nowMs: number): Holdings {
    const { totalActiveUsers } = this.#config.room;
    const units = this.units(nowMs);
    return {
      active: {
        limit: totalActiveUsers,
        units: units.active,
        used: this.#admission.inside(nowMs) + this.#admission.pending,
      },
      arrivals: {
        limit: this.#admission.arrivalsLimit(nowMs),
        units: units.arrivals,
        used: this.#admission.admittedInMinute(nowMs) + this.#admission.pending,
      },
    };
  }
}

function freeOf({ limit, units, used }: Holdings[Resource]): number {
  return Math.max(0, slotsOf(limit, units) - used);
}

export interface RoomAccountParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly config: RoomConfig;
  /** Admissions so far in the minute of the last one. */
  readonly admittedInMinute: () => number;
}

/**
 * A room's slots at this node, as the admission needs them: from the units of its accounts, or by one of the source's
 * older policies, which decide from the converged state alone and do not promise the limit.
 */
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
    const { roomNode, id, config } = this.#parts;
    roomNode.count(id, kind, minute);
    if (config.site?.id !== undefined) roomNode.count(config.site.id, kind, minute);
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
