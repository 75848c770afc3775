/**
 * What this node pledges to hold at most, room by room, and what it may therefore hold (mesh/core/members/pledges.ts).
 *
 * A ceiling covers everything that rests on the node's accounts: its sessions, tables that it took over, visitors who
 * wait for a raise, and whatever the pots that it inherited may hold. Where a number would be too low it pledges
 * everything: in rooms where slots decide nothing, or where slots may be in use without its knowledge; in rooms that
 * are not loaded; and for all rooms while a pot has no ceilings.
 *
 * It pledges only when it is sure: while its clock is wrong, or its disk may be old, the last pledge stays.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import { ROOMS_MAX, SLOTS_MAX } from "../../mesh/core/wire/shapes.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import { Headroom } from "./headroom.ts";
import type { PotClock } from "./pot-clock.ts";

export interface OwnCeilingsParts {
  readonly members: Members;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  readonly pots: PotClock;
  /** Rooms that are not loaded and may have sessions of this node. */
  readonly unloaded: () => Iterable<RoomId>;
  /** Whether slots of a room may be in use without this node's knowledge. */
  readonly isHeld: (room: RoomId) => boolean;
  /** Whether this node knows the time, and that its disk is not an old one. */
  readonly isSure: () => boolean;
  readonly roomMs: () => number;
}

export class OwnCeilings {
  readonly #parts: OwnCeilingsParts;
  readonly #headrooms = new Map<RoomId, Headroom>();
  /** Rooms in which slots were taken, or are waited for, since the last look. */
  readonly #touched = new Set<RoomId>();
  /** What is pledged, or is to be next. */
  readonly #wanted = new Map<RoomId, number>();
  #isWhole = false;

  constructor(parts: OwnCeilingsParts) {
    this.#parts = parts;
  }

  /** Whether there is nothing to check. */
  get isIdle(): boolean {
    return this.#touched.size === 0;
  }

  /** Most sessions of a room that may rest on slots here, not counting pots; Infinity where no ceiling binds. */
  mayHold(room: RoomId): number {
    const { members, pots } = this.#parts;
    if (!members.mustPledge) return Number.POSITIVE_INFINITY;
    const ceiling = members.pledges.ceiling(room);
    return ceiling === Number.POSITIVE_INFINITY ? ceiling : ceiling - pots.ceilingOf(room);
  }

  /** Slots of a room were taken, or are waited for. */
  touch(room: RoomId): void {
    this.#touched.add(room);
    const site = this.#parts.rooms.get(room)?.siteId;
    if (site !== undefined) this.#touched.add(site);
  }

  /** Call it at the end of each step: raises what is about to be used up. */
  settle(now: Instant): void {
    const { members, pots } = this.#parts;
    if (!members.mustPledge) this.#touched.clear();
    if (!members.mustPledge || members.pledges.isOpen || !this.#parts.isSure()) return;
    const isFirst = members.pledges.newest === 0;
    if (isFirst) {
      this.#headrooms.clear();
      this.#touchAll();
    }
    let isChanged = isFirst;
    for (const id of this.#touched) {
      const slots = this.#slotsFor(id, now);
      if (slots === (this.#wanted.get(id) ?? 0)) continue;
      isChanged = true;
      if (slots > 0) this.#wanted.set(id, slots);
      else this.#wanted.delete(id);
    }
    this.#touched.clear();
    const isWhole = !pots.areBounded || this.#wanted.size > ROOMS_MAX;
    if (isChanged || isWhole !== this.#isWhole) members.pledge(isWhole ? "whole" : this.#wanted, now);
    this.#isWhole = isWhole;
  }

  /** Call it twice a second: lowers what is far from being used, and names new rooms. */
  tick(now: Instant): void {
    this.#touchAll();
    this.settle(now);
  }

  #touchAll(): void {
    const { rooms, pots, unloaded } = this.#parts;
    for (const known of [rooms.keys(), pots.roomsWithCeilings, unloaded(), this.#wanted.keys()])
      for (const room of known) this.touch(room);
  }

  #slotsFor(id: RoomId, now: Instant): number {
    const { members, rooms, pots, unloaded, isHeld, roomMs } = this.#parts;
    const room = rooms.get(id);
    const inPots = pots.ceilingOf(id);
    if (room === undefined) return new Set(unloaded()).has(id) ? SLOTS_MAX : Math.min(inPots, SLOTS_MAX);
    if (isHeld(id) || room.isUnbounded) return SLOTS_MAX;
    const needed = room.admission.inside(roomMs()) + room.pending + inPots;
    const headroom = this.#headrooms.getOrInsertComputed(id, () => new Headroom());
    const pledged = members.pledges.pledged(id);
    const limit = room.room.totalActiveUsers;
    return Math.min(SLOTS_MAX, headroom.next({ needed, pledged, limit }, now.steadyMs));
  }
}
