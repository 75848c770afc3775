/**
 * Which nodes take part in the distribution of a room's slots, and which of them are its ticket counters: one in each
 * locality, by rendezvous hashing over the nodes that take part, and the others there as its stand-ins.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
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

/**
 * Which answering nodes take part in the distribution of a room's slots: those that report that they may act, and have
 * been members for a minute.
 *
 * A node that holds back, because its clock is off or its disk was an old one, would collect slots that no node can
 * use. A node that starts and dies again and again would take along what it was given each time. Both ask for tickets
 * like any gate. In a locality without other nodes, they take part.
 */
export class Participants {
  readonly #id: RoomId;
  readonly #roomNode: RoomNode;
  #known: { readonly alive: Nodes; readonly nodes: Nodes } | undefined;
  #isOld = true;

  constructor(id: RoomId, roomNode: RoomNode) {
    this.#id = id;
    this.#roomNode = roomNode;
  }

  /** By locality. A new map whenever that changes. */
  nodes(): Nodes {
    const alive = this.#roomNode.alive();
    if (this.#known?.alive === alive && !this.#isOld) return this.#known.nodes;
    this.#isOld = false;
    const before = this.#known?.nodes;
    const found = new Map(Array.from(alive, ([locality, all]) => [locality, this.#among(all)]));
    const isSame =
      before?.size === found.size && [...found].every(([locality, nodes]) => areEqual(before.get(locality), nodes));
    const nodes = isSame && before !== undefined ? before : found;
    this.#known = { alive, nodes };
    return nodes;
  }

  /** Recomputes all of it: what nodes report about themselves may have changed. */
  refresh(): void {
    this.#isOld = true;
  }

  /** Whether slots may be sent to a node: it has reported what it has, and that it can use more. */
  mayReceive(node: NodeId): boolean {
    return this.#roomNode.gauge(node, this.#id)?.mayAct === true && this.takesPart(node);
  }

  takesPart(node: NodeId): boolean {
    for (const nodes of this.nodes().values()) if (nodes.includes(node)) return true;
    return false;
  }

  /** Those of a locality's nodes that take part. */
  #among(all: readonly NodeId[]): readonly NodeId[] {
    const willing = all.filter((node) => this.#mayAct(node));
    const settled = willing.filter((node) => !this.#roomNode.isYoung(node));
    return settled.length > 0 ? settled : willing.length > 0 ? willing : all;
  }

  /** A node that has reported nothing yet counts as one that may act. */
  #mayAct(node: NodeId): boolean {
    if (node === this.#roomNode.self) return this.#roomNode.mayAct(this.#id);
    return this.#roomNode.gauge(node, this.#id)?.mayAct !== false;
  }
}

function areEqual(one: readonly NodeId[] | undefined, other: readonly NodeId[]): boolean {
  return one?.length === other.length && other.every((node, index) => node === one[index]);
}
