/**
 * Messages as frames and frames as messages: what is packed together, what cannot be read, and which sender is
 * disconnected for it.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Batch } from "../../mesh/core/wire/outbox.ts";
import type { Reach } from "../../mesh/transport.ts";
import { BULK_KINDS, type PeerMessage } from "./message-kinds.ts";
import type { PeerCodec } from "./peer-codec.ts";

/** Faults of a peer after which it is disconnected; two a second are forgotten. */
const FAULTS_MAX = 20;

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
}

export interface PeerFramesParts {
  readonly codec: PeerCodec;
  /** The view and the wire version that this node speaks; 0 without a view. */
  readonly view: () => number;
  readonly wire: () => number;
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

export interface Frame {
  readonly to: NodeId;
  readonly isBulk: boolean;
  readonly frame: Uint8Array;
}

export interface PublishedFrame {
  readonly frame: Uint8Array;
  readonly reach: Reach;
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
  };
  readonly #dropped: Record<string, number> = {};
  readonly #faults = new Map<NodeId, number>();
  readonly #punished = new Set<NodeId>();

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

  /** Whether a peer must be disconnected. */
  get hasPunished(): boolean {
    return this.#punished.size > 0;
  }

  /** Peers to disconnect for what they sent. */
  takePunished(): NodeId[] {
    const punished = [...this.#punished];
    this.#punished.clear();
    return punished;
  }

  /** Call it twice a second: faults are forgotten. */
  forgive(): void {
    for (const [node, faults] of this.#faults) {
      if (faults <= 1) this.#faults.delete(node);
      else this.#faults.set(node, faults - 1);
    }
  }

  /** The messages of a frame from a stream, which begin with the stamp; nothing if it cannot be read. */
  received(from: NodeId, frame: Uint8Array): readonly PeerMessage[] {
    this.#counts.framesIn += 1;
    return this.#decode(from, frame);
  }

  /** The same for a published frame. */
  heard(from: NodeId, frame: Uint8Array): readonly PeerMessage[] {
    this.#counts.publishedIn += 1;
    return this.#decode(from, frame);
  }

  /** What to send, as frames. */
  sent(messages: Batch<PeerMessage>["sent"]): Frame[] {
    const frames = messages.length === 0 ? [] : this.#framesOf(messages);
    this.#counts.framesOut += frames.length;
    for (const { frame } of frames) this.#counts.bytesOut += frame.length;
    return frames;
  }

  /** What to publish, as frames. */
  published(messages: readonly PeerMessage[], reach: Reach): PublishedFrame[] {
    const frames = messages.flatMap((message) => (this.#encoded([message]) ?? []).map((frame) => ({ frame, reach })));
    this.#counts.publishedOut += frames.length;
    for (const { frame } of frames) this.#counts.bytesOut += frame.length;
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
    this.#punished.add(from);
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

  /** A frame holds a megabyte; one step may send more. Each frame begins with the stamp. */
  #frames(stamp: PeerMessage, messages: readonly PeerMessage[]): Uint8Array[] {
    const frames = this.#encoded([stamp, ...messages]);
    if (frames?.length === 1) return frames;
    return messages.flatMap((message) => this.#encoded([stamp, message]) ?? []);
  }

  /**
   * Undefined for a message that is larger than a frame or cannot be packed. It is dropped, and the step's writes are
   * kept.
   */
  #encoded(messages: readonly PeerMessage[]): Uint8Array[] | undefined {
    try {
      return this.#parts.codec.encodeAll(messages, this.#parts.wire());
    } catch (error) {
      this.#counts.faults += 1;
      this.#parts.log({ error: String(error), kinds: messages.map(({ kind }) => kind) }, "message not sent");
      return undefined;
    }
  }

  #decode(from: NodeId, frame: Uint8Array): readonly PeerMessage[] {
    this.#counts.bytesIn += frame.length;
    const decoded = this.#parts.codec.decode(frame);
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
