/**
 * Messages as frames and frames as messages: what is packed together or cut into pieces, what cannot be read, and which
 * sender is disconnected for it.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import { FRAME_BYTES_MAX } from "../../mesh/core/wire/codec.ts";
import type { Batch } from "../../mesh/core/wire/outbox.ts";
import { Pieces, piecesOf } from "../../mesh/core/wire/pieces.ts";
import { BULK_KINDS, type PeerMessage } from "./message-kinds.ts";
import type { PeerCodec } from "./peer-codec.ts";

/** Faults of a peer after which it is disconnected; two a second are forgotten. */
const FAULTS_MAX = 20;

/** Half seconds for which the pieces of a message are kept without a new one: a minute, far beyond any round trip. */
const PIECES_IDLE_MAX = 120;

export interface PeerCounts {
  faults: number;
  framesIn: number;
  framesOut: number;
  /** Of all frames, as packed. */
  bytesIn: number;
  bytesOut: number;
  publishedIn: number;
  publishedOut: number;
  /** Peers disconnected for what they sent. */
  punished: number;
  /** Messages that could not be packed or were too large to send. */
  unsent: number;
}

export interface PeerFramesParts {
  readonly codec: PeerCodec;
  /** The view and the wire version that this node speaks; 0 without a view. */
  readonly view: () => number;
  readonly wire: () => number;
  /** A message cannot be sent, and will not be: the operator must know. */
  readonly failed: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

export interface Frame {
  readonly to: NodeId;
  readonly isBulk: boolean;
  readonly frame: Uint8Array;
}

export class PeerFrames {
  readonly #parts: PeerFramesParts;
  readonly #counts: PeerCounts = {
    faults: 0,
    framesIn: 0,
    framesOut: 0,
    bytesIn: 0,
    bytesOut: 0,
    publishedIn: 0,
    publishedOut: 0,
    punished: 0,
    unsent: 0,
  };
  readonly #dropped: Record<string, number> = {};
  readonly #faults = new Map<NodeId, number>();
  readonly #pieces = new Map<NodeId, { readonly pieces: Pieces; idle: number }>();
  #lastPiecesId = 0;
  /** Peers to disconnect for what they sent; the caller takes them out. */
  readonly punished = new Set<NodeId>();

  constructor(parts: PeerFramesParts) {
    this.#parts = parts;
  }

  get counts(): Readonly<PeerCounts> {
    return this.#counts;
  }

  /** Frames that were not used, by reason. */
  get dropped(): Readonly<Record<string, number>> {
    return this.#dropped;
  }

  /** Call it twice a second: faults are forgotten, and so are pieces of which no more come. */
  forgive(): void {
    for (const [node, from] of this.#pieces) {
      from.idle += 1;
      if (!from.pieces.isWaiting || from.idle > PIECES_IDLE_MAX) this.#pieces.delete(node);
    }
    for (const [node, faults] of this.#faults) {
      if (faults <= 1) this.#faults.delete(node);
      else this.#faults.set(node, faults - 1);
    }
  }

  /** The messages of a frame from a stream, which begin with the stamp; nothing if it cannot be read. */
  received(from: NodeId, frame: Uint8Array): readonly PeerMessage[] {
    this.#counts.framesIn += 1;
    this.#counts.bytesIn += frame.length;
    const messages = this.#decode(from, frame);
    const [first] = messages;
    if (first?.kind !== "piece") return messages;
    const known = this.#pieces.getOrInsertComputed(from, () => ({ pieces: new Pieces(), idle: 0 }));
    known.idle = 0;
    const whole = known.pieces.take(first);
    return whole === undefined ? [] : this.#decode(from, whole);
  }

  /** The same for a published frame. */
  heard(from: NodeId, frame: Uint8Array): readonly PeerMessage[] {
    this.#counts.publishedIn += 1;
    this.#counts.bytesIn += frame.length;
    return this.#decode(from, frame);
  }

  /** What to send, as frames. */
  sent(messages: Batch<PeerMessage>["sent"]): Frame[] {
    const frames = this.#framesOf(messages);
    this.#counts.framesOut += frames.length;
    for (const { frame } of frames) this.#counts.bytesOut += frame.length;
    return frames;
  }

  /** What to publish, as frames. Gossip carries no pieces: what is published is a step's news, and small. */
  published(messages: readonly PeerMessage[]): Uint8Array[] {
    const frames = messages.flatMap((message) => this.#encoded([message], FRAME_BYTES_MAX) ?? []);
    this.#counts.publishedOut += frames.length;
    for (const { length } of frames) this.#counts.bytesOut += length;
    return frames;
  }

  blame(from: NodeId, faults: number): void {
    if (faults === 0) return;
    this.#counts.faults += faults;
    const sum = (this.#faults.get(from) ?? 0) + faults;
    this.#faults.set(from, sum);
    if (sum <= FAULTS_MAX) return;
    this.#faults.delete(from);
    this.#counts.punished += 1;
    this.punished.add(from);
  }

  /** One frame for each node and purpose, if everything fits. */
  #framesOf(sent: Batch<PeerMessage>["sent"]): Frame[] {
    const stamp = { kind: "stamp", view: this.#parts.view() } as const;
    const byTarget = new Map<string, { to: NodeId; isBulk: boolean; messages: PeerMessage[] }>();
    for (const { to, message } of sent) {
      const isBulk = BULK_KINDS.has(message.kind);
      const key = isBulk ? `${to} bulk` : to;
      const before = byTarget.get(key);
      if (before === undefined) byTarget.set(key, { to, isBulk, messages: [message] });
      else before.messages.push(message);
    }
    // A message to many is packed once.
    const packed = new Map<PeerMessage, Uint8Array[]>();
    return [...byTarget.values()].flatMap(({ to, isBulk, messages }) => {
      const [only, ...more] = messages;
      const frames =
        only === undefined || more.length > 0
          ? this.#frames(stamp, messages)
          : packed.getOrInsertComputed(only, () => this.#frames(stamp, messages));
      return frames.map((frame) => ({ to, isBulk, frame }));
    });
  }

  /**
   * Each frame begins with the stamp. What does not fit into one goes message by message, and a message that is larger
   * than a frame goes in pieces.
   */
  #frames(stamp: PeerMessage, messages: readonly PeerMessage[]): Uint8Array[] {
    const whole = this.#encoded([stamp, ...messages]);
    if (whole !== undefined && whole.length <= FRAME_BYTES_MAX) return [whole];
    if (messages.length > 1) return messages.flatMap((message) => this.#frames(stamp, [message]));
    if (whole === undefined) return [];
    this.#lastPiecesId += 1;
    return piecesOf(whole, this.#lastPiecesId).flatMap((piece) => this.#encoded([piece]) ?? []);
  }

  /** Undefined for what is too large or cannot be packed. It is dropped, and the step's writes are kept. */
  #encoded(messages: readonly PeerMessage[], bytesMax = Number.POSITIVE_INFINITY): Uint8Array | undefined {
    try {
      const bytes = this.#parts.codec.encode(messages, this.#parts.wire());
      if (bytes.length <= bytesMax) return bytes;
      this.#unsent(messages, `it has ${bytes.length} bytes, and can be published with ${bytesMax} at most`);
    } catch (error) {
      // Several messages together may be too large where each of them is not.
      if (messages.filter(({ kind }) => kind !== "stamp").length < 2) this.#unsent(messages, String(error));
    }
    return undefined;
  }

  #unsent(messages: readonly PeerMessage[], error: string): void {
    this.#counts.unsent += 1;
    const kinds = messages.map(({ kind }) => kind).filter((kind) => kind !== "stamp");
    this.#parts.failed({ error, kinds }, "a message to other nodes was not sent");
  }

  #decode(from: NodeId, bytes: Uint8Array): readonly PeerMessage[] {
    const decoded = this.#parts.codec.decode(bytes);
    if (decoded.ok) {
      if (decoded.ignored !== undefined) this.#drop("unknown", decoded.ignored);
      return decoded.messages;
    }
    this.#drop(decoded.reason, 1);
    this.blame(from, 1);
    return [];
  }

  #drop(reason: string, count: number): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + count;
  }
}
