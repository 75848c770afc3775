/**
 * Frames for all nodes, passed on by others: one gossip topic for the mesh.
 *
 * Every message is signed by its author, so it may come from any node. A topic's name contains the mesh and a wire
 * version: nodes that refuse each other never exchange a message, not even in the moment before they part. A node
 * subscribes to the topics of all versions that it understands, and publishes to those of the version that it speaks.
 */

import type { GossipSubEvents } from "@chainsafe/libp2p-gossipsub";
import type { NodeId } from "./core/ids.ts";
import { isWithin, type WireRange } from "./core/wire/wire-range.ts";
import type { MeshNode } from "./libp2p-node.ts";
import { GossipStreams } from "./patches/gossip-streams.ts";
import { FRAME_BYTES_MAX } from "./transport.ts";

/** The topics of a mesh, by wire version. */
export type Topics = ReadonlyMap<number, string>;

export function topicsOf(mesh: string, [oldest, newest]: WireRange): Topics {
  const topics = new Map<number, string>();
  for (let wire = oldest; isWithin(wire, [oldest, newest]); wire++) topics.set(wire, `anteroom/${wire}/${mesh}`);
  return topics;
}

export class Gossip {
  readonly #node: MeshNode;
  readonly #topics: Topics;
  readonly #wire: () => number;
  readonly #clock: () => number;
  readonly #onMessage: (event: GossipSubEvents["message"]) => void;
  readonly #streams: GossipStreams;

  constructor(
    node: MeshNode,
    parts: {
      readonly topics: Topics;
      /** The version that the node speaks. */
      readonly wire: () => number;
      readonly clock: () => number;
      readonly published: (from: NodeId, frame: Uint8Array) => void;
    },
  ) {
    this.#node = node;
    this.#topics = parts.topics;
    this.#wire = parts.wire;
    this.#clock = parts.clock;
    this.#streams = new GossipStreams(node, parts.clock());
    this.#onMessage = ({ detail }) => {
      if (detail.type !== "signed" || detail.data.length > FRAME_BYTES_MAX) return;
      parts.published(detail.from.toString() as NodeId, detail.data);
    };
  }

  start(): void {
    this.#node.services.gossip.addEventListener("message", this.#onMessage);
    for (const topic of this.#topics.values()) this.#node.services.gossip.subscribe(topic);
  }

  stop(): void {
    this.#node.services.gossip.removeEventListener("message", this.#onMessage);
  }

  publish(frame: Uint8Array): void {
    const topic = this.#topics.get(this.#wire());
    if (frame.length > FRAME_BYTES_MAX || topic === undefined) return;
    this.#node.services.gossip.publish(topic, frame).catch(() => {
      // The node is stopping. Keeps the process from ending early; the frame is lost, as any published one may be.
    });
  }

  /** Call it often: reconnects peers that gossip does not reach. */
  tick(peers: ReadonlySet<NodeId>): void {
    this.#streams.tick(peers, this.#clock());
  }
}
