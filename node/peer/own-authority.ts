/**
 * What this node may do with its slots, as its rooms ask at each visitor: whether it may act, how many sessions it may
 * hold, and which units it owns.
 *
 * Only a step of the peer (a message, a tick, an order) and time change that, so between two steps one answer serves all
 * visitors. What is kept is a yes, and only until the lease may end or the clock has stepped. A no is looked up again
 * each time, because some end by time alone.
 */

import type { Minute, RoomId } from "../../mesh/core/ids.ts";
import { freeUnitsOf } from "../../mesh/core/ledger/pot-share.ts";
import type { Resource } from "../../mesh/core/ledger/row.ts";
import { STEP_MS_MIN } from "../../mesh/core/members/member-clocks.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import type { PotUnits } from "../admission/mesh/room-node.ts";
import type { NodeTime } from "./node-time.ts";
import type { OldDiskGuard } from "./old-disk-guard.ts";
import type { OwnCeilings } from "./own-ceilings.ts";
import type { PotClock } from "./pot-clock.ts";
import type { RoomHolds } from "./room-holds.ts";

export interface OwnAuthorityParts {
  readonly members: Pick<Members, "mayAct" | "mustPledge" | "leaseHeldUntilMs">;
  readonly replica: Pick<Replica, "netUnits">;
  readonly time: Pick<NodeTime, "now" | "isRight">;
  readonly guard: Pick<OldDiskGuard, "isInStep">;
  readonly holds: Pick<RoomHolds, "has" | "hasAny">;
  readonly pots: PotClock;
  readonly ceilings: Pick<OwnCeilings, "mayHold" | "touch">;
  /** The limit of a room's sessions; undefined of a room that is not loaded. */
  readonly limitOf: (room: RoomId) => number | undefined;
}

/** While it stands, this node may act in every room. */
interface Kept {
  /** Unix ms. */
  readonly untilMs: number;
  /** By how many ms the wall clock was ahead of the steady one. */
  readonly aheadMs: number;
  /** Whether ceilings bind. */
  readonly isBound: boolean;
  /** Units by room; none where pots have some of them. */
  readonly units: Map<RoomId, { readonly minute: Minute } & Readonly<Record<Resource, number>>> | undefined;
}

export class OwnAuthority {
  readonly #parts: OwnAuthorityParts;
  #isBetweenSteps = false;
  #kept: Kept | undefined;

  constructor(parts: OwnAuthorityParts) {
    this.#parts = parts;
  }

  /** A step begins, or something has changed: what was found before counts no more. */
  begin(): void {
    this.#isBetweenSteps = false;
    this.#kept = undefined;
  }

  /** A step is over: until the next one, only visitors come. */
  end(): void {
    this.#isBetweenSteps = true;
  }

  /** Whether this node may admit, adopt and give in a room. */
  mayAct(room: RoomId): boolean {
    const { members, time, guard, holds } = this.#parts;
    if (this.#standing !== undefined) return true;
    return guard.isInStep && time.isRight && members.mayAct(time.now) && !holds.has(room);
  }

  /** Most sessions of a room that may rest on slots here, not counting pots; Infinity where no ceiling binds. */
  mayHold(room: RoomId): number {
    return this.isUnbound ? Number.POSITIVE_INFINITY : this.#parts.ceilings.mayHold(room);
  }

  /** Slots of a room were taken, or are waited for. */
  touched(room: RoomId): void {
    if (!this.isUnbound) this.#parts.ceilings.touch(room);
  }

  /** Whether it is known that no ceiling binds. */
  get isUnbound(): boolean {
    return this.#standing?.isBound === false;
  }

  /** Units of a room that this node owns. */
  units(room: RoomId, resource: Resource, minute: Minute): number {
    const units = this.#standing?.units;
    if (units === undefined) return this.#unitsOf(room, resource, minute);
    const before = units.get(room);
    if (before?.minute === minute) return before[resource];
    const [active, arrivals] = [this.#unitsOf(room, "active", minute), this.#unitsOf(room, "arrivals", minute)];
    const found = { minute, active, arrivals };
    units.set(room, found);
    return found[resource];
  }

  /** Units in a group of pots, and the most slots that its sessions hold. */
  potUnits(room: RoomId, group: string, minute: Minute): PotUnits {
    const { replica, pots } = this.#parts;
    const units = replica.netUnits(pots.accountsIn(group), { room, resource: "active", minute });
    return { units, ceiling: pots.ceilingIn(group, room) };
  }

  #unitsOf(room: RoomId, resource: Resource, minute: Minute): number {
    const { replica, pots, limitOf } = this.#parts;
    const own = replica.netUnits(pots.settled(resource), { room, resource, minute });
    const limit = limitOf(room);
    if (resource !== "active" || limit === undefined) return own;
    let units = own;
    for (const group of pots.boundedGroups) units += freeUnitsOf({ limit, ...this.potUnits(room, group, minute) });
    return units;
  }

  /** What is kept, if it stands now. */
  get #standing(): Kept | undefined {
    if (!this.#isBetweenSteps || !this.#parts.time.isRight) return undefined;
    this.#kept ??= this.#found();
    if (this.#kept === undefined) return undefined;
    const { now } = this.#parts.time;
    const { untilMs, aheadMs } = this.#kept;
    const steppedMs = Math.abs(now.wallMs - now.steadyMs - aheadMs);
    return now.wallMs < untilMs && steppedMs < STEP_MS_MIN ? this.#kept : undefined;
  }

  #found(): Kept | undefined {
    const { members, time, guard, holds, pots } = this.#parts;
    const { now } = time;
    if (!guard.isInStep || holds.hasAny || !members.mayAct(now)) return undefined;
    const untilMs = members.leaseHeldUntilMs(now);
    if (untilMs === undefined) return undefined;
    return {
      // The lease counts by the clock that is ahead.
      untilMs: untilMs - STEP_MS_MIN,
      aheadMs: now.wallMs - now.steadyMs,
      isBound: members.mustPledge,
      units: pots.boundedGroups.length === 0 ? new Map() : undefined,
    };
  }
}
