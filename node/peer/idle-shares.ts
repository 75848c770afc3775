/**
 * What is idle at this node, and why: what removed nodes left to it, and its own share of rooms that it holds.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { type Purse, slotsOfAccounts } from "../../mesh/core/ledger/ledger.ts";
import { heldOf } from "../../mesh/core/ledger/pot-share.ts";
import type { Ceilings } from "../../mesh/core/members/ceilings.ts";
import type { Members, Pot } from "../../mesh/core/members/members.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import { isRoomKey } from "../../mesh/core/replica/register-keys.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import { IDLE_ACCOUNTS_MAX, IDLE_MAX, IDLE_ROOMS_MAX, type IdleShare } from "../admission/mesh/room-messages.ts";
import type { PotClock } from "./pot-clock.ts";
import type { PowerLoss } from "./power-loss.ts";
import type { RoomHolds } from "./room-holds.ts";

export interface IdleSharesParts {
  readonly members: Members;
  readonly replica: Replica;
  readonly pots: PotClock;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  readonly holds: Pick<RoomHolds, "rooms" | "leftMs">;
  readonly powerLoss: PowerLoss;
  readonly now: () => Instant;
  readonly roomMs: () => number;
  readonly minuteMs: number;
}

/** By group of pots and room: slots held for sessions that nobody has shown, less those of pots that were looked at. */
type Left = Map<string, Map<RoomId, number>>;

export class IdleShares {
  readonly #parts: IdleSharesParts;

  constructor(parts: IdleSharesParts) {
    this.#parts = parts;
  }

  /** Ms until the slots of a pot are own ones. */
  potLeftMs(pot: Pot): number {
    return this.#parts.pots.activeMs - pot.passedMs;
  }

  /** All of it. */
  get all(): readonly IdleShare[] {
    const { members, replica } = this.#parts;
    const held = members.pot(this.#parts.now()).filter(({ isHeard }) => !isHeard);
    const left: Left = new Map();
    const pots = held.map((pot) => {
      const untilMs = this.#inSeconds(this.potLeftMs(pot));
      const sinceMs = untilMs - (this.potLeftMs(pot) + pot.passedMs);
      const { accounts } = pot;
      const ceilings = this.#idleIn(pot, left);
      const bound = ceilings !== undefined && ceilings.length <= IDLE_ROOMS_MAX && { ceilings };
      return { accounts, reason: "removed" as const, sinceMs: Math.max(0, Math.round(sinceMs)), untilMs, ...bound };
    });
    const isAllHeld = this.#parts.powerLoss.isOpen;
    const rooms = isAllHeld ? [...replica.registers().keys()].filter(isRoomKey) : this.#parts.holds.rooms;
    if (rooms.length === 0) return pots;
    const leftMs = isAllHeld ? undefined : this.#parts.holds.leftMs;
    const untilMs = leftMs === undefined ? {} : { untilMs: this.#inSeconds(leftMs) };
    return [...pots, { accounts: this.#parts.pots.settled("active"), reason: "held", rooms, ...untilMs }];
  }

  /**
   * Slots of a pot that are idle, by room: those of sessions that have been shown here are in use. Undefined where that
   * is all its slots.
   */
  #idleIn(pot: Pot, left: Left): Ceilings | undefined {
    const { replica, rooms, roomMs } = this.#parts;
    const ofGroup = left.getOrInsertComputed(pot.group, () => new Map());
    const areShown = rooms.values().some(({ admission }) => admission.sessions.insidePot(pot.group, roomMs()) > 0);
    if (rooms.size > IDLE_ROOMS_MAX || (pot.ceilings === undefined && !areShown)) return pot.ceilings;
    const unloaded = (pot.ceilings ?? []).filter(([room]) => !rooms.has(room));
    const idle = Array.from(rooms.values(), (room) => {
      const leftOver = ofGroup.getOrInsertComputed(room.id, () => this.#unshown(room, pot.group));
      const limit = room.room.totalActiveUsers;
      const slots = Math.min(leftOver, slotsOfAccounts(replica, pot.accounts, { limit, ...this.#purse(room.id) }));
      ofGroup.set(room.id, leftOver - slots);
      return [room.id, slots] as const;
    });
    return [...unloaded, ...idle.filter(([, slots]) => slots > 0)];
  }

  /** Slots of a group of pots in a room that are held for sessions that nobody has shown. */
  #unshown({ id, room, admission }: MeshRoom, group: string): number {
    const { replica, pots, roomMs } = this.#parts;
    const units = replica.netUnits(pots.accountsIn(group), this.#purse(id));
    const held = heldOf({ limit: room.totalActiveUsers, units, ceiling: pots.ceilingIn(group, id) });
    return Math.max(0, held - admission.sessions.insidePot(group, roomMs()));
  }

  #purse(room: RoomId): Purse {
    const { roomMs, minuteMs } = this.#parts;
    return { room, resource: "active", minute: minuteOf(roomMs(), minuteMs) };
  }

  /** The same, in the form sent to others. */
  get forOthers(): IdleShare[] {
    return this.all.slice(0, IDLE_MAX).map(({ accounts, rooms, ...share }) => ({
      accounts: accounts.slice(0, IDLE_ACCOUNTS_MAX),
      ...(rooms !== undefined && { rooms: rooms.slice(0, IDLE_ROOMS_MAX) }),
      ...share,
    }));
  }

  /** Unix ms at which so many are over: in whole seconds, so that it is not news at each computation. */
  #inSeconds(leftMs: number): number {
    return Math.ceil((this.#parts.now().wallMs + leftMs) / 1_000) * 1_000;
  }
}
