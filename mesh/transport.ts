/**
 * What carries frames between nodes. Two implementations stand behind it: libp2p over TCP, and one in memory.
 *
 * A transport keeps trying to be connected to every peer it has been told of, for ever, and says who is there. A peer is
 * `up` once both sides have proved the mesh key and accepted each other's hello. Frames arrive whole, and in order per
 * peer and purpose, or not at all: when a connection ends or a peer takes too little, they are dropped. Nothing here knows what a frame means.
 */

import type { NodeId } from "./core/ids.ts";
import type { Hello } from "./core/wire/hello.ts";

/**
 * Streams to a peer, one per purpose: `protocol` for what is small and urgent (heartbeats, tickets, check-ins, votes), `sync` for
 * whole rows and tables, so that they never stand before a heartbeat.
 */
export type Purpose = "protocol" | "sync";

/** Who is to hear what a node publishes: every node, or those of its locality. */
export type Reach = "all" | "locality";

/** Largest frame, in bytes. Larger ones are refused on both sides: the sender's `send` returns false, a peer that sends one is cut off. */
export const FRAME_BYTES_MAX = 1024 * 1024;

export interface TransportEvents {
  /** A peer is there, with what it said of itself. Told again when it comes back. */
  readonly up: (peer: NodeId, hello: Hello) => void;
  /** No connection to the peer any more. */
  readonly down: (peer: NodeId) => void;
  readonly frame: (from: NodeId, purpose: Purpose, frame: Uint8Array) => void;
  /** A frame that a peer published; `from` has proved to be its author. */
  readonly published: (from: NodeId, frame: Uint8Array) => void;
  /** Somebody was refused, or refuses us: in words for the operator, with the address; told at most once a minute per address and reason. */
  readonly refused: (address: string, reason: string) => void;
}

export interface Transport {
  readonly self: NodeId;
  /** Addresses that others can dial, as multiaddr text without the peer id. */
  readonly addresses: readonly string[];
  /** Peers that are up. */
  readonly peers: ReadonlySet<NodeId>;
  /**
   * Sends a frame to a peer; false if it was dropped: no connection, too large, or too much is waiting already. The frame must not
   * be changed before the next turn of the event loop.
   */
  send(to: NodeId, purpose: Purpose, frame: Uint8Array): boolean;
  /** Publishes a frame, by way of others too; one that is too large is dropped. It may miss who came up moments ago. */
  publish(frame: Uint8Array, reach: Reach): void;
  /** Adds addresses under which a peer may be found; they are dialled for ever while it is not up. */
  know(peer: NodeId, addresses: readonly string[]): void;
  /** Stops dialling a peer and closes its connections. It may still dial us. */
  forget(peer: NodeId): void;
  /** Cuts a peer off that sends nonsense: closes its connections and refuses it for a minute. */
  punish(peer: NodeId): void;
  stop(): Promise<void>;
}
