/**
 * The configuration of a room that applies at this node: one holder, which every part of the room reads, so that a
 * change reaches all of them at once.
 */

import type { Room } from "../config/room.ts";

export interface RoomConfig {
  readonly room: Room;
}

/** Whether the room's policy lets each node decide by itself, from what all have counted: no slots are handed out. */
export function decidesAlone({ slotPolicy }: Room): boolean {
  return slotPolicy !== "counter";
}

/** Whether the room admits no visitors, or all, so that slots do not matter. */
export function isSpecial({ queueAll, queueingMethod }: Room): boolean {
  return !queueAll && queueingMethod !== "fifo";
}

/** Whether a room admits nobody, or is suspended: when that ends, its origin is cold. */
export function isHeld({ queueAll, suspended, queueingMethod }: Room): boolean {
  return queueAll || suspended || queueingMethod === "reject";
}
