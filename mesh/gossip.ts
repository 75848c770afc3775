/**
 * Frames for everybody, by way of others: one gossip topic for the mesh, and one for each locality. A node hears both, whichever
 * the mesh uses at its size.
 *
 * Every message is signed by its author, so it may come from anywhere. A topic's name has the mesh and the wire version in it: nodes that refuse each other never exchange a message, not even in the moment before they part.
 */

import type { GossipSubEvents } from "@chainsafe/libp2p-gossipsub";
import type { NodeId } from "./core/ids.ts";
import type { MeshNode } from "./libp2p-node.ts";
import { GossipStreams } from "./patches/gossip-streams.ts";
import { FRAME_BYTES_MAX, type Reach } from "./transport.ts";

export class Gossip {
  readonly #node: MeshNode;
  readonly #topics: Readonly<Record<Reach, string>>;
  readonly #clock: () => number;
  readonly #onMessage: (event: GossipSubEvents["message"]) => void;
  readonly #streams: GossipStreams;

  constructor(
    node: MeshNode,
    parts: {
      readonly topics: Readonly<Record<Reach, string>>;
      readonly clock: () => number;
      readonly published: (from: NodeId, frame: Uint8Array) => void;
    },
  ) {
    this.#node = node;
    this.#topics = parts.topics;
    this.#clock = parts.clock;
    this.#streams = new GossipStreams(node, parts.clock());
    this.#onMessage = ({ detail }) => {
      if (detail.type !== "signed" || detail.data.length > FRAME_BYTES_MAX) return;
      parts.published(detail.from.toString() as NodeId, detail.data);
    };
  }

  start(): void {
    this.#node.services.gossip.addEventListener("message", this.#onMessage);
    for (const topic of Object.values(this.#topics)) this.#node.services.gossip.subscribe(topic);
  }

  stop(): void {
    this.#node.services.gossip.removeEventListener("message", this.#onMessage);
  }

  publish(frame: Uint8Array, reach: Reach): void {
    if (frame.length > FRAME_BYTES_MAX) return;
    this.#node.services.gossip.publish(this.#topics[reach], frame).catch(() => {
      // The node is stopping. Saves the process from ending early; the frame is lost, as any published one may be.
    });
  }

  /** To be called often: looks after peers that gossip does not reach. */
  tick(peers: ReadonlySet<NodeId>): void {
    this.#streams.tick(peers, this.#clock());
  }
}
