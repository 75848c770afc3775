/**
 * Frames for everybody, by way of others: one gossip topic for the mesh, and one for each locality. A node hears both, whichever
 * the mesh uses at its size.
 *
 * Every message is signed by its author, so it may come from anywhere. A topic's name has the mesh and the wire version in it: nodes that refuse each other never exchange a message, not even in the moment before they part.
 */

import type { GossipSubEvents } from "@chainsafe/libp2p-gossipsub";
import type { Connection } from "@libp2p/interface";
import type { NodeId } from "./core/ids.ts";
import type { MeshNode } from "./libp2p-node.ts";
import { FRAME_BYTES_MAX, type Reach } from "./transport.ts";

/**
 * How often is looked whether gossip reaches every peer. A new connection has this long to get its stream. Where two nodes dial each
 * other at once the library often loses it with the second connection; longer, and slots are moved by what was never heard.
 */
const CHECK_MS = 1_500;
/** Peers taken in again per check. More at once would keep a node that is late from catching up. */
const REFRESHED_MAX = 5;
const GOSSIP_PROTOCOL = "/meshsub/";

export class Gossip {
  readonly #node: MeshNode;
  readonly #topics: Readonly<Record<Reach, string>>;
  readonly #clock: () => number;
  readonly #onMessage: (event: GossipSubEvents["message"]) => void;
  #checkedMs: number;
  /** Without a stream of gossip when last looked. */
  #missing = new Set<NodeId>();

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
    this.#checkedMs = parts.clock();
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

  /**
   * Has gossip take a peer in again whose stream of gossip has ended alone, as when the connection that it used was one of
   * two. The library looks at a connection when it is new, and after that never again.
   */
  tick(peers: ReadonlySet<NodeId>): void {
    const nowMs = this.#clock();
    if (nowMs - this.#checkedMs < CHECK_MS) return;
    this.#checkedMs = nowMs;
    const missing = new Set<NodeId>();
    let refreshed = 0;
    for (const connection of this.#node.getConnections()) {
      const peer = connection.remotePeer.toString() as NodeId;
      if (!peers.has(peer) || this.#isReached(connection)) continue;
      missing.add(peer);
      if (!this.#missing.has(peer) || refreshed >= REFRESHED_MAX) continue;
      refreshed += 1;
      this.#refresh(connection);
    }
    this.#missing = missing;
  }

  #isReached({ remotePeer }: Connection): boolean {
    return this.#node
      .getConnections(remotePeer)
      .some(({ streams }) =>
        streams.some(({ direction, protocol }) => direction === "outbound" && protocol.startsWith(GOSSIP_PROTOCOL)),
      );
  }

  /** Has gossip look at a connection as if it were new. */
  #refresh(connection: Connection): void {
    this.#node.services.identify.identify(connection).catch(() => {
      // The connection has just ended: there will be another one, or the next check tries again.
    });
  }
}
