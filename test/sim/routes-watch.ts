/**
 * Whether each gate that runs works by what its registers say: requests find their room, and a room that an operator
 * holds is held.
 */

import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";

/** What is wrong, in words; undefined if nothing is. */
export function misrouted(nodes: readonly SimNode[], rooms: readonly SimRoom[]): string | undefined {
  for (const node of nodes)
    for (const room of rooms) {
      if (!node.isRunning) continue;
      const { declared, routed } = node.rooms.asKnown(room);
      if (declared !== routed)
        return `routes: at ${node.identity} requests of room ${room.name} ${routed ? "find it, although it is deleted" : "do not find it"}`;
      if (node.rooms.isHeld(room.id) !== node.rooms.isHolding(room.id) && declared)
        return `orders: ${node.identity} does not work as ordered in room ${room.name}`;
    }
  return undefined;
}
