/**
 * A room at work on this node: its configuration, its admission, and what is derived from both once and not per request.
 *
 * Ties the pure admission to the ledger: the account's units make its slots; the policies `even` and `adaptive` decide
 * from the converged state instead, once a minute.
 */

import type { AccountId, Minute, RoomId } from "../mesh/core/ids.ts";
import type { Ledger } from "../mesh/core/ledger.ts";
import { minutePlus } from "../mesh/core/minute.ts";
import { slotsOf } from "../mesh/core/shares.ts";
import { AddressLimit } from "./admission/address-limit.ts";
import { Admission, type Restored, type RoomAccount } from "./admission/admission.ts";
import { adaptiveSlots } from "./admission/policy-adaptive.ts";
import { evenSlots } from "./admission/policy-even.ts";
import type { Room } from "./config/room.ts";
import { type Cidr, parseCidr } from "./gate/client.ts";
import { cookieNameOf } from "./gate/cookie-header.ts";
import type { OriginTarget } from "./gate/http/message.ts";
import { parseOrigin } from "./gate/http/origin-target.ts";
import { RoomCounts } from "./room-counts.ts";

export interface RoomPlace {
  readonly ledger: Ledger;
  readonly locality: string;
  readonly minuteMs: number;
  /** Origin of rooms that name none. */
  readonly defaultOrigin: OriginTarget | undefined;
}

export class LiveRoom {
  readonly id: RoomId;
  readonly firstName: string;
  readonly createdMs: number;
  readonly admission: Admission;
  readonly counts = new RoomCounts();
  readonly addressLimit = new AddressLimit();
  readonly #place: RoomPlace;
  #room: Room;
  #modifiedMs: number;
  #bypass: readonly Cidr[] = [];
  #origin: OriginTarget | undefined;
  #cookieName = "";
  /** Admissions that the policies `even` and `adaptive` allow this node in one minute. */
  #allowance = { minute: -1, slots: 0 };

  constructor(
    stored: { id: RoomId; firstName: string; room: Room; createdMs: number; modifiedMs: number },
    place: RoomPlace,
    now: { nowMs: number; restored: Restored | undefined },
  ) {
    this.id = stored.id;
    this.firstName = stored.firstName;
    this.createdMs = stored.createdMs;
    this.#modifiedMs = stored.modifiedMs;
    this.#place = place;
    this.#room = stored.room;
    this.admission = new Admission(stored.room, { account: this.#account(), minuteMs: place.minuteMs, ...now });
    this.configure(stored.room, stored.modifiedMs);
  }

  get room(): Room {
    return this.#room;
  }

  get modifiedMs(): number {
    return this.#modifiedMs;
  }

  get home(): AccountId {
    return this.#place.ledger.self;
  }

  /** Addresses that pass without a session. */
  get bypass(): readonly Cidr[] {
    return this.#bypass;
  }

  get origin(): OriginTarget | undefined {
    return this.#origin;
  }

  get cookieName(): string {
    return this.#cookieName;
  }

  /** Puts a changed room in force; nobody inside or in line is touched. */
  configure(room: Room, modifiedMs: number): void {
    this.#room = room;
    this.#modifiedMs = modifiedMs;
    this.#bypass = room.bypassCidrs.map(parseCidr);
    this.#origin = room.origin === undefined ? this.#place.defaultOrigin : originTarget(room.origin);
    this.#cookieName = cookieNameOf(this.firstName, room);
    this.#allowance = { minute: -1, slots: 0 };
    this.admission.configure(room);
  }

  #account(): RoomAccount {
    const { ledger } = this.#place;
    const units = (resource: "active" | "arrivals", minute: Minute): number =>
      ledger.units({ room: this.id, resource, minute });
    return {
      active: (limit, minute) => (this.#decidesAlone() ? limit : slotsOf(limit, units("active", minute))),
      arrivals: (limit, minute) =>
        this.#decidesAlone() ? this.#allowedIn(minute) : slotsOf(limit, units("arrivals", minute)),
      count: (kind, minute) => ledger.record(this.id, { minute, kind, count: 1 }),
    };
  }

  #decidesAlone(): boolean {
    return this.#room.slotPolicy !== "counter";
  }

  #allowedIn(minute: Minute): number {
    if (this.#allowance.minute !== minute) this.#allowance = { minute, slots: this.#computeAllowance(minute) };
    return this.#allowance.slots;
  }

  #computeAllowance(minute: Minute): number {
    const { ledger, locality } = this.#place;
    const { slotPolicy, curveFactor, totalActiveUsers, newUsersPerMinute, sessionDuration } = this.#room;
    const before = minutePlus(minute, -1);
    const state = {
      totalActiveUsers,
      newUsersPerMinute,
      activeUsers: ledger.activeUsers(this.id, minute, sessionDuration),
      globalWorkersActive: 1,
      dataCenterWorkersActive: 1,
      trafficHistory: new Map([[locality, ledger.count(this.id, { minute: before, kind: "seen" })]]),
    };
    const slots = slotPolicy === "even" ? evenSlots(state, locality) : adaptiveSlots(state, locality, curveFactor);
    // After a restart or a change within the minute, the state counts those let in since its start as active already.
    return Math.min(newUsersPerMinute, slots + this.admission.record.admittedInMinute);
  }
}

/** A base URL that configuration has checked, parsed. */
export function originTarget(url: string): OriginTarget {
  const target = parseOrigin(url);
  if (typeof target === "string") throw new Error(`Cannot use the origin as ${target}`);
  return target;
}
