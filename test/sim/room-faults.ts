/**
 * What operators do to rooms in a plan of faults: each order at one node, if that takes orders and has the room; to
 * make one, if it does not have it.
 */

import type { Fault } from "./fault-kinds.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";
import type { World } from "./world.ts";

type RoomFault = Extract<Fault, { readonly room: number }>;

export class RoomFaults {
  readonly #world: World;
  readonly #later: (ms: number, act: () => void) => void;

  constructor(world: World, later: (ms: number, act: () => void) => void) {
    this.#world = world;
    this.#later = later;
  }

  /** Returns whether the order was taken. */
  order(fault: RoomFault): boolean {
    const [room, node] = [this.#roomAt(fault.room), nodeAt(this.#world, fault.node)];
    const isNew = fault.what === "make room";
    if (!node.takesOrders || node.rooms.has(room.id) === isNew) return false;
    this.#give(fault, room, node);
    return true;
  }

  #give(fault: RoomFault, room: SimRoom, node: SimNode): void {
    switch (fault.what) {
      case "change room":
        this.#world.order(room, { sessionDuration: fault.sessionDuration }, node);
        return;
      case "delete room":
        this.#world.deleteRoom(room, node);
        return;
      case "make room":
        this.#world.order(room, {}, node);
        return;
      case "hold room":
        this.#world.hold(room, node, true);
        this.#later(fault.forMs, () => this.#resume(room));
        return;
      case "rename room":
        this.#world.order(room, { name: `${room.name}-named-${fault.number}` }, node);
        return;
      case "revoke":
        this.#world.revoke(room, fault.sessions, node);
        return;
    }
  }

  /** The operator lets all rooms go on. */
  end(): void {
    for (const room of this.#world.rooms) this.#resume(room);
  }

  /** The operator lets a room go on, at the first node that takes orders and has it. */
  #resume(room: SimRoom): void {
    const node = this.#world.nodes.find((each) => each.takesOrders && each.rooms.has(room.id));
    if (node !== undefined) this.#world.hold(room, node, false);
  }

  #roomAt(place: number): SimRoom {
    const room = this.#world.rooms[place];
    if (room === undefined)
      throw new RangeError(`Cannot strike room ${place} as there are ${this.#world.rooms.length}`);
    return room;
  }
}

/** A node that a plan names by its place. */
export function nodeAt({ nodes }: World, place: number): SimNode {
  const node = nodes[place];
  if (node === undefined) throw new RangeError(`Cannot strike node ${place} as there are ${nodes.length}`);
  return node;
}
