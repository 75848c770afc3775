/**
 * How both ends of a connection prove that they have the mesh key, and how an operator learns that one does not.
 *
 * Before anything else each end sends a mark and a random number, then a code (HMAC-SHA256 with a key derived from the
 * mesh key) over both numbers and its own role. So a stranger is rejected before it costs anything, and both ends
 * recognise a wrong key as such. Noise follows, with another secret derived from the mesh key as its prologue: that
 * handshake fails unless both ends know it, so relaying the codes does not let anyone take the connection over.
 *
 * libp2p's own way, @libp2p/pnet, is not used: its cipher (xsalsa20 1.2.0) keeps 128 bytes of a memory of 640 kB for
 * every connection there ever was, and fails for all connections once that is full or a write is larger.
 */

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { AbortOptions, ConnectionProtector, MessageStream, MultiaddrConnection } from "@libp2p/interface";
import { type ByteStream, byteStream } from "@libp2p/utils";
import type { Timers } from "./timers.ts";

export interface ProofEvents {
  /** A connection is established, nothing is proved yet. `options` are those of the dial, if it is one of ours. */
  readonly connected: (options: unknown) => void;
  /** The other end has failed to prove itself; `reason` is text for the operator. */
  readonly failed: (connection: MultiaddrConnection, reason: string) => void;
}

/** Thrown into the dial or the listener: the other end is not one of our nodes. */
export class MeshProofError extends Error {
  override readonly name = "MeshProofError";
}

export const OTHER_KEY = "has another mesh key: copy mesh.key from a node of the mesh";
export const STRANGER = "is not an anteroom node";

const MARK = Buffer.from("anteroom\n");
const NUMBER_BYTES = 16;

/**
 * How long a connection with a wrong code stays open, in ms: an immediate reset may overtake our own code, and the
 * other end would not know why. Half of it is short for a link between continents; doubled, strangers hold connections
 * for longer.
 */
const LINGER_MS = 1_000;

/** Goes into the Noise handshake, so that it succeeds only among nodes with one mesh key. */
export function noisePrologue(meshKey: Uint8Array): Uint8Array {
  return secret(meshKey, "anteroom noise prologue");
}

/** Makes both ends of every connection prove that they know `meshKey`. */
export function meshProtector(meshKey: Uint8Array, events: ProofEvents, timers: Timers): () => ConnectionProtector {
  const key = secret(meshKey, "anteroom psk");
  return () => ({
    async protect(connection, options = {}) {
      events.connected(options);
      const bytes = byteStream(connection);
      const failure = await exchangeProofs(bytes, { key, isDialler: connection.direction === "outbound", options });
      if (failure === undefined) return joined(bytes.unwrap());
      events.failed(connection as MultiaddrConnection, failure);
      if (failure === OTHER_KEY) await closedOrLate(connection, LINGER_MS, timers);
      throw new MeshProofError(`Cannot connect as both ends must be nodes of one mesh: the other end ${failure}`);
    },
  });
}

/**
 * Makes what is sent together leave in one write: Noise sends a frame and its length as two pieces, each of which would
 * be a packet.
 */
function joined<Stream extends MessageStream>(stream: Stream): Stream {
  const send = stream.send.bind(stream);
  stream.send = (data) => send(data instanceof Uint8Array ? data : data.subarray());
  return stream;
}

interface Proof {
  readonly key: Uint8Array;
  readonly isDialler: boolean;
  readonly options: AbortOptions;
}

/** What is wrong with the other end; undefined if it has the key. Throws if the connection ends meanwhile. */
async function exchangeProofs(bytes: ByteStream<MessageStream>, { key, isDialler, options }: Proof) {
  const ours = randomBytes(NUMBER_BYTES);
  const opening = await exchange(bytes, Buffer.concat([MARK, ours]), options);
  if (!MARK.equals(opening.subarray(0, MARK.length))) return STRANGER;
  const theirs = opening.subarray(MARK.length);
  const code = (isOfDialler: boolean) =>
    createHmac("sha256", key)
      .update(isOfDialler ? "dialler" : "listener")
      .update(isDialler ? ours : theirs)
      .update(isDialler ? theirs : ours)
      .digest();
  const heard = await exchange(bytes, code(isDialler), options);
  return timingSafeEqual(heard, code(!isDialler)) ? undefined : OTHER_KEY;
}

/** Sends `said` and returns as many bytes of the other end. */
async function exchange(
  bytes: ByteStream<MessageStream>,
  said: Uint8Array,
  options: AbortOptions,
): Promise<Uint8Array> {
  const [heard] = await Promise.all([bytes.read({ ...options, bytes: said.length }), bytes.write(said, options)]);
  return heard.subarray();
}

function secret(meshKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", meshKey, new Uint8Array(0), purpose, 32));
}

/** Waits until the other side has closed, `mostMs` at most. */
export function closedOrLate(
  closing: Pick<MessageStream, "addEventListener">,
  mostMs: number,
  { after }: Timers,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = after(mostMs, resolve);
    closing.addEventListener("close", () => {
      cancel();
      resolve();
    });
  });
}
