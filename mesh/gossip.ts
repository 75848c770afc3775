/**
 * Frames for all nodes, passed on by others: one gossip topic for the mesh, and one for each locality. A node
 * subscribes to both, whichever the mesh uses at its size.
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
import { FRAME_BYTES_MAX, type Reach } from "./transport.ts";

/** The topics of a mesh and a locality, by wire version. */
export type Topics = ReadonlyMap<number, Readonly<Record<Reach, string>>>;

export function topicsOf(mesh: string, locality: string, [oldest, newest]: WireRange): Topics {
  const topics = new Map<number, Record<Reach, string>>();
  for (let wire = oldest; isWithin(wire, [oldest, newest]); wire++) {
    const all = `anteroom/${wire}/${mesh}`;
    topics.set(wire, { all, locality: `${all}/${locality}` });
  }
  return topics;
}

export function topicNames(topics: Topics): string[] {
  return [...topics.values()].flatMap((each) => Object.values(each));
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
    for (const topic of topicNames(this.#topics)) this.#node.services.gossip.subscribe(topic);
  }

  stop(): void {
    this.#node.services.gossip.removeEventListener("message", this.#onMessage);
  }

  publish(frame: Uint8Array, reach: Reach): void {
    const topic = this.#topics.get(this.#wire())?.[reach];
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
