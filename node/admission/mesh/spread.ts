/**
 * Where free slots lie that cannot be used now, because the other resource runs short: evenly over the nodes that take
 * part.
 *
 * Together at one node they would be stranded with it. So a node that has clearly more than its even part gives the
 * rest away in one go, to those that have less, each in the part that it lacks; with a line or without. All nodes do
 * the same by the same gauges, so several rich ones share the gifts among them. Siblings get theirs one by one, another
 * locality as one.
 *
 * It says what to send to which node; the room gives it (mesh-room.ts).
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { RESOURCES } from "../../../mesh/core/ledger/row.ts";
import { type Both, NOTHING } from "./own-slots.ts";
import type { Participants } from "./participants.ts";
import { evenGifts, keptMost, unpaired } from "./placement.ts";
import type { Gauge, RoomNode } from "./room-node.ts";

/** How long a sent gift is added to its receiver's last report; a lost gift is soon sent once more. */
const SENT_MS = 3_000;

export interface SpreadParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly participants: Participants;
}

export interface Sending {
  readonly to: NodeId;
  readonly slots: Both;
}

export interface Spreading {
  readonly sendings: readonly Sending[];
  /** Free slots of each resource that a node may have beyond its pairs. */
  readonly kept: Both;
}

/** Nodes that get slots as one, through `to`. */
interface Peer {
  readonly to: NodeId;
  readonly nodes: number;
  readonly free: Both;
  /** From what that is known: another one when it is said again. */
  readonly heard: Gauge;
}

interface Sent extends Pick<Peer, "heard"> {
  readonly slots: Both;
  readonly untilMs: number;
}

const NO_SPREADING: Spreading = { sendings: [], kept: NOTHING };

export class Spread {
  readonly #parts: SpreadParts;
  /** By receiver: what it has not said yet that it has. */
  readonly #sent = new Map<NodeId, Sent>();

  constructor(parts: SpreadParts) {
    this.#parts = parts;
  }

  /** What this node, with so much `free`, should send now, in a room with these limits. */
  look(free: Both, limits: Both, nowMs: number): Spreading {
    const { roomNode, participants } = this.#parts;
    const peers = this.#peers(nowMs);
    const all = peers.reduce((sum, peer) => plus(sum, peer.free), free);
    const resource = RESOURCES.find((each) => unpaired(all)[each] > 0);
    // A node that takes no part should have nothing.
    const isPartaker = participants.nodes().get(roomNode.locality)?.includes(roomNode.self) === true;
    const nodes = peers.reduce((sum, peer) => sum + peer.nodes, isPartaker ? 1 : 0);
    if (resource === undefined || nodes === 0) return NO_SPREADING;
    const even = unpaired(all)[resource] / nodes;
    const most = isPartaker ? Math.floor(keptMost(even, limits[resource])) : 0;
    const kept = { ...NOTHING, [resource]: most };
    const has = unpaired(free)[resource];
    if (has <= most) return { sendings: [], kept };
    const gifts = evenGifts(
      has - (isPartaker ? even : 0),
      peers.map((peer) => unpaired(peer.free)[resource] - even * peer.nodes),
    );
    const sendings = peers.flatMap((peer, index) => {
      const count = gifts[index] ?? 0;
      return count === 0 ? [] : [this.#send(peer, { ...NOTHING, [resource]: count }, nowMs)];
    });
    return { sendings, kept };
  }

  #send({ to, heard }: Peer, slots: Both, nowMs: number): Sending {
    this.#sent.set(to, { heard, slots, untilMs: nowMs + SENT_MS });
    return { to, slots };
  }

  /** The nodes that may be sent slots, with what they have. */
  #peers(nowMs: number): readonly Peer[] {
    const { roomNode, participants } = this.#parts;
    const siblings: Peer[] = [];
    const others: Peer[] = [];
    for (const [locality, nodes] of participants.nodes()) {
      if (locality !== roomNode.locality) others.push(...this.#together(nodes, nowMs));
      else for (const node of nodes) if (node !== roomNode.self) siblings.push(...this.#together([node], nowMs));
    }
    return [...siblings, ...others];
  }

  /** Nodes as one; none if no node among them has reported that it can use more. */
  #together(nodes: readonly NodeId[], nowMs: number): Peer[] {
    const { id, roomNode } = this.#parts;
    const heard = nodes.flatMap((node) => {
      const gauge = roomNode.gauge(node, id);
      return gauge?.mayAct === true ? [{ node, gauge }] : [];
    });
    const [first] = heard;
    if (first === undefined) return [];
    const free = heard.reduce((sum, { gauge }) => plus(sum, gauge), NOTHING);
    return [this.#withSent({ to: first.node, nodes: heard.length, free, heard: first.gauge }, nowMs)];
  }

  #withSent(peer: Peer, nowMs: number): Peer {
    const sent = this.#sent.get(peer.to);
    if (sent === undefined) return peer;
    if (sent.heard === peer.heard && nowMs < sent.untilMs) return { ...peer, free: plus(peer.free, sent.slots) };
    this.#sent.delete(peer.to);
    return peer;
  }
}

function plus(one: Both, other: Both): Both {
  return { active: one.active + other.active, arrivals: one.arrivals + other.arrivals };
}
