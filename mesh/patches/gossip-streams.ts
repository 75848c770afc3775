/**
 * Makes gossip accept a peer again whose gossip stream has ended alone, for instance because the connection that it
 * used was one of two.
 *
 * @libp2p/gossipsub opens a stream when a connection is new, and never again after that. It looks at a connection again
 * only when it is notified that the connection was identified.
 *
 * Upstream: github.com/libp2p/js-libp2p/pull/3531, which leaves this case as a follow-up. Needless once
 * test/mesh/patches/gossip-streams.test.ts says so.
 */

import type { Connection } from "@libp2p/interface";
import type { NodeId } from "../core/ids.ts";

/** The part of a libp2p node that is used here. */
export interface IdentifyingNode {
  readonly services: { readonly identify: { identify(connection: Connection): Promise<unknown> } };
  getConnections(peer?: Connection["remotePeer"]): Connection[];
}

/**
 * How often to check whether gossip reaches every peer. A new connection has this long to get its stream. Where two
 * nodes dial each other at once the library often loses it with the second connection; with a longer interval, slots
 * move by gauges that never arrived.
 */
const CHECK_MS = 1_500;
/** Peers reconnected per check. More at once would keep a node that is late from catching up. */
const REFRESHED_MAX = 5;
const GOSSIP_PROTOCOL = "/meshsub/";

export class GossipStreams {
  readonly #node: IdentifyingNode;
  #checkedMs: number;
  /** Peers without a gossip stream at the last check. */
  #missing = new Set<NodeId>();

  constructor(node: IdentifyingNode, nowMs: number) {
    this.#node = node;
    this.#checkedMs = nowMs;
  }

  /** Call it often: reconnects those of `peers` that gossip does not reach. */
  tick(peers: ReadonlySet<NodeId>, nowMs: number): void {
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

  /** Makes gossip look at a connection as if it were new. */
  #refresh(connection: Connection): void {
    this.#node.services.identify.identify(connection).catch(() => {
      // The connection has just ended: there will be another one, or the next check tries again.
    });
  }
}
