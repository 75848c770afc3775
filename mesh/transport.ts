/**
 * What carries frames between nodes: libp2p over TCP (transport-libp2p.ts).
 *
 * A transport keeps trying to connect to every known peer, for ever, and reports which ones are up. A peer is `up` once
 * both sides have proved the mesh key and accepted each other's hello. Frames arrive whole, and in order per peer and
 * purpose, or not at all: when a connection ends or a peer takes too little, they are dropped. The transport does not
 * know what a frame means.
 */

import type { NodeId } from "./core/ids.ts";
import type { Hello } from "./core/wire/hello.ts";

/**
 * Streams to a peer, one per purpose: `protocol` for small and urgent frames (heartbeats, tickets, check-ins, votes),
 * `sync` for whole rows and tables, so that they never delay a heartbeat (head-of-line blocking).
 */
export type Purpose = "protocol" | "sync";

/**
 * Largest frame, in bytes. Larger ones are refused on both sides: the sender's `send` returns false, a peer that sends
 * one is disconnected.
 */
export const FRAME_BYTES_MAX = 1024 * 1024;

export interface TransportEvents {
  /** A peer is up; its hello. Called again when it comes back. */
  readonly up: (peer: NodeId, hello: Hello) => void;
  /** No connection to the peer any more. */
  readonly down: (peer: NodeId) => void;
  readonly frame: (from: NodeId, purpose: Purpose, frame: Uint8Array) => void;
  /** A frame that a peer published; `from` has proved that it is the author. */
  readonly published: (from: NodeId, frame: Uint8Array) => void;
  /**
   * A node was refused, or refuses us: text for the operator, with the address; at most once a minute per address and
   * reason.
   */
  readonly refused: (address: string, reason: string) => void;
}

export interface Transport {
  readonly self: NodeId;
  /** Addresses that others can dial, as multiaddr text without the peer id. */
  readonly addresses: readonly string[];
  /** Peers that are up. */
  readonly peers: ReadonlySet<NodeId>;
  /**
   * Sends a frame to a peer; false if it was dropped: no connection, too large, or too many bytes are waiting already.
   * The frame must not change before the next turn of the event loop.
   */
  send(to: NodeId, purpose: Purpose, frame: Uint8Array): boolean;
  /**
   * Publishes a frame to all nodes, also through others; one that is too large is dropped. A peer that came up moments
   * ago may miss it.
   */
  publish(frame: Uint8Array): void;
  /** Adds addresses under which a peer may be found; they are dialled for ever while it is not up. */
  know(peer: NodeId, addresses: readonly string[]): void;
  /** Stops dialling a peer and closes its connections. It may still dial us. */
  forget(peer: NodeId): void;
  /** Disconnects a peer that sends invalid data, and refuses it for a minute. */
  punish(peer: NodeId): void;
  stop(): Promise<void>;
}
