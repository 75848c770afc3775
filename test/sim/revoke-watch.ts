/**
 * Sessions that were ended at one gate: every gate that could have heard of it refuses them.
 *
 * A message may be late or lost, and a gate may be cut off: its gate tells it again. A lost order shows in no limit as
 * long as a room has a free slot, so it is looked for by itself. Watched are the gates that could be told, for so long
 * without a break that the message must have come through.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { minutePlus } from "../../mesh/core/minute.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

interface Order {
  readonly room: MeshRoom;
  readonly session: string;
  readonly gate: SimNode;
  /** The process that obeyed. */
  readonly process: number;
  /** The last minute in which a cookie of the session may be good. */
  readonly lastGood: Minute;
  /** By node that could be told: the process, and since when. */
  readonly within: Map<SimNode, { readonly process: number; readonly sinceMs: number }>;
}

/**
 * For a link that was healed to be dialled (2 s), and for five messages, one of which must come through: each is given
 * 2 s.
 */
const HEARD_MS = 12_000;
/** Where more frames than this are lost, of 1, five may be. */
const LOSS_MAX = 0.1;

export class RevokeWatch {
  readonly #world: World;
  readonly #orders = new Set<Order>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Listens to a room at a node. */
  listen(room: MeshRoom, gate: SimNode): void {
    const revoke = room.revoke.bind(room);
    room.revoke = (session, home, nowMs) => {
      const isNew = revoke(session, home, nowMs);
      if (isNew) this.#note(room, session, gate);
      return isNew;
    };
  }

  /** Every second or so: what is wrong, if a gate that could have heard of an order accepts the session. */
  look(nowMs: number): string | undefined {
    for (const order of this.#orders) {
      const { gate, process, room, session, lastGood } = order;
      // The process that is told again and again is the one that obeyed, and it knows the room.
      const isKnown = gate.process === process && (gate.peer === undefined || gate.peer.rooms.get(room.id) === room);
      if (!isKnown || this.#world.minute > lastGood) this.#orders.delete(order);
      else
        for (const node of this.#world.nodes) {
          const sinceMs = this.#since(order, node, nowMs);
          if (nowMs - sinceMs > HEARD_MS && !node.refuses(room.id, session))
            return `revoked: ${node.identity} has not heard for ${HEARD_MS / 1_000} s that ${gate.identity} has ended ${session}`;
        }
    }
    return undefined;
  }

  #note(room: MeshRoom, session: string, gate: SimNode): void {
    // By the room as the gate knows it: a longer duration that was set beyond a cut is none of its cookies'.
    const lastGood = minutePlus(this.#world.minute, room.room.sessionDuration);
    this.#orders.add({ room, session, gate, process: gate.process, lastGood, within: new Map() });
  }

  /** Since when a node could be told. */
  #since({ gate, room, within }: Order, node: SimNode, nowMs: number): number {
    const before = within.get(node);
    if (!this.#canTell(gate, node) || node.peer?.rooms.get(room.id) === undefined) {
      within.delete(node);
      return nowMs;
    }
    if (before?.process === node.process) return before.sinceMs;
    within.set(node, { process: node.process, sinceMs: nowMs });
    return nowMs;
  }

  #canTell(gate: SimNode, node: SimNode): boolean {
    if (gate === node || !gate.isRunning || !node.isRunning || gate.disk.isFull || node.disk.isFull) return false;
    if (this.#world.network.faults.loss > LOSS_MAX) return false;
    // Before its node knows the time a gate is closed, and hears nothing about rooms.
    if (gate.peer?.isClockTrusted !== true || node.peer?.isClockTrusted !== true) return false;
    const [view, other] = [gate.peer?.members.view, node.peer?.members.view];
    const areMembers = view?.number === other?.number && gate.peer?.members.isMember() && node.peer?.members.isMember();
    // A gate that leaves has handed its part over. A member that leaves, or is being removed, is told nothing: the slot
    // stays held.
    if (gate.peer?.members.isStopped !== false) return false;
    const isAlive = gate.peer.roomNode.isAlive(node.identity);
    return areMembers === true && isAlive && this.#world.network.isWhole(gate.identity, node.identity);
  }
}
