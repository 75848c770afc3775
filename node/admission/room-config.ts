/**
 * The configuration of a room that applies at this node: one holder, which every part of the room reads, so that a
 * change reaches all of them at once.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { Room } from "../config/room.ts";
import { FIFO, type QueueOrder } from "./queue-order.ts";
import type { Member, Site } from "./site.ts";

export interface RoomConfig {
  readonly room: Room;
  /** The order of its line; by arrival if left out. */
  readonly order?: QueueOrder;
  /** The site of which it takes slots beside its own; none if left out. */
  readonly site?: Site | undefined;
  /** The site that counts its sessions, also while that bounds nobody or is deleted. */
  readonly siteId?: RoomId | undefined;
  /** The rooms that take slots of this one beside their own. */
  readonly members?: readonly Member[];
}

/** A number of the members of a site, added up. */
export function ofMembers({ members = [] }: RoomConfig, numberOf: (member: Member) => number): number {
  return members.reduce((sum, member) => sum + numberOf(member), 0);
}

/** The order of a room's line. */
export function orderIn({ order = FIFO }: RoomConfig): QueueOrder {
  return order;
}

/** Whether the room's visitors wait in a line when its limits are reached. */
export function keepsLine({ queueAll, queueingMethod }: Room): boolean {
  return queueAll || queueingMethod === "fifo" || queueingMethod === "random";
}

/** Whether the room's policy lets each node decide by itself, from what all have counted: no slots are handed out. */
export function decidesAlone({ slotPolicy }: Room): boolean {
  return slotPolicy !== "counter";
}

/** Whether the room admits no visitors, or all, so that slots do not matter. */
export function isSpecial(room: Room): boolean {
  return !keepsLine(room);
}

/** Whether an event has started that was not under way before. */
export function isNewEvent(before: Room, { event }: Room): boolean {
  if (event?.phase !== "active") return false;
  return before.event?.phase !== "active" || before.event.startMs !== event.startMs;
}

/** When the event of now started, in Unix ms; 0 without one, and before its start. */
export function eventStartMs({ event }: Room): number {
  return event?.phase === "active" ? event.startMs : 0;
}

/** Whether an operator's word holds new visitors, and not the pre-queue of an event. */
export function isHeldByOperator({ queueAll, event }: Room): boolean {
  return queueAll && event?.phase !== "prequeue";
}

/** Whether a room admits nobody, or is suspended: when that ends, its origin is cold. */
export function isHeld({ queueAll, suspended, queueingMethod }: Room): boolean {
  return queueAll || suspended || queueingMethod === "reject";
}
