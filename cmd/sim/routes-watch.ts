/**
 * Whether requests find the room that they are for: at each gate that runs, as the register says that it has of the room.
 */

import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";

/** What is wrong, in words; undefined if nothing is. */
export function misrouted(nodes: readonly SimNode[], rooms: readonly SimRoom[]): string | undefined {
  for (const node of nodes)
    for (const room of rooms) {
      if (!node.isRunning) continue;
      const { declared, routed } = node.roomAsKnown(room);
      if (declared !== routed)
        return `routes: at ${node.identity} requests of room ${room.name} ${routed ? "find it, although it is deleted" : "do not find it"}`;
    }
  return undefined;
}
