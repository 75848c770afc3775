/** How much a host's own socket buffers take of what nobody reads: it differs from host to host. */

import { client, type Peer } from "./peer.ts";
import { settled } from "./settled.ts";
import { origin } from "./wire.ts";

/** A gigabyte: no host's buffers hold as much of one connection. */
const PIECES_MAX = 1_000;

const PIECE = Buffer.alloc(1_000_000, "x");

/** Bytes of an answer of which a client that reads nothing leaves a part with the gate, on this host. */
export async function moreThanTheHostHolds(): Promise<number> {
  const silent = origin();
  const peer = await client(silent.port);
  const reader = await silent.peer();
  reader.pause();
  const bytes = await sendUntilHeld(peer);
  peer.reset();
  // The buffers of a way through a gate, and as much again.
  return 2 * (bytes + PIECE.length);
}

/**
 * Sends pieces until the other side takes no more, or `isEnough`; returns how many bytes were taken. In a shared event
 * loop whoever still reads has read in the meantime, so no time decides.
 */
export async function sendUntilHeld(peer: Peer, isEnough = (): boolean => false): Promise<number> {
  let sent = 0;
  for (let left = -1; left !== peer.unsent && !isEnough(); await settled()) {
    while (peer.unsent === 0 && !isEnough()) {
      if (sent > PIECES_MAX * PIECE.length) throw new Error("Broken: nobody holds the sender back");
      peer.send(PIECE);
      sent += PIECE.length;
    }
    left = peer.unsent;
  }
  return sent - peer.unsent;
}
