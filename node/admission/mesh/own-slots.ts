/**
 * What this node's accounts have free in a room, and how slots are handed to another node.
 *
 * It applies the arithmetic of mesh/core/ledger/shares.ts to the room's limits, the sessions held and the ledger.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { RESOURCES, type Resource, type RowData } from "../../../mesh/core/ledger/row.ts";
import {
  freePairs,
  giftFor,
  type Holdings,
  slotsOf,
  surplus,
  UNITS,
  unitsForSlots,
} from "../../../mesh/core/ledger/shares.ts";
import type { Admission } from "../admission.ts";
import type { RoomConfig } from "../room-config.ts";
import type { RoomNode } from "./room-node.ts";

/** A number for each resource: slots, or units. */
export type Both = Readonly<Record<Resource, number>>;

export const NOTHING: Both = { active: 0, arrivals: 0 };

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

  /** New visitors that can be admitted on own slots. */
  pairs(nowMs: number): number {
    return this.#roomNode.mayAct(this.#id) ? freePairs(this.#holdings(nowMs)) : 0;
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
