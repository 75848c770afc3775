/**
 * Which nodes are a room's ticket counters: one in each locality, by rendezvous hashing over the nodes that take part,
 * and the others there as its stand-ins.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
import type { Participants } from "./participants.ts";
import type { RoomNode } from "./room-node.ts";

export interface CountersParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly participants: Participants;
}

type Nodes = ReadonlyMap<string, readonly NodeId[]>;

export class Counters {
  readonly #parts: CountersParts;
  #here: { readonly of: Nodes; readonly ranked: readonly NodeId[] } | undefined;
  #root: { readonly of: Nodes; readonly node: NodeId } | undefined;

  constructor(parts: CountersParts) {
    this.#parts = parts;
  }

  /** The ticket counter of this locality, then its stand-ins. */
  here(): readonly NodeId[] {
    const nodes = this.#parts.participants.nodes();
    if (this.#here?.of !== nodes) this.#here = { of: nodes, ranked: this.in(this.#parts.roomNode.locality) };
    return this.#here.ranked;
  }

  /** The ticket counter of a locality, then its stand-ins. */
  in(locality: string): readonly NodeId[] {
    const { id, roomNode, participants } = this.#parts;
    const nodes = participants.nodes().get(locality);
    return ranked(`${id} ${locality}`, nodes ?? (locality === roomNode.locality ? [roomNode.self] : []));
  }

  /** The ticket counter of this locality: this node itself if no other is known. */
  get first(): NodeId {
    return this.here()[0] ?? this.#parts.roomNode.self;
  }

  /** Whether this node is the ticket counter of its locality, and keeps its line. */
  get isSelf(): boolean {
    return this.first === this.#parts.roomNode.self;
  }

  /** The counter of the room's first locality on the ring: what is of no use elsewhere is collected there. */
  get root(): NodeId {
    const { id, roomNode, participants } = this.#parts;
    const nodes = participants.nodes();
    if (this.#root?.of !== nodes) {
      const [locality = roomNode.locality] = ranked(`root ${id}`, nodes.keys() as Iterable<never>) as string[];
      this.#root = { of: nodes, node: this.in(locality)[0] ?? roomNode.self };
    }
    return this.#root.node;
  }
}
