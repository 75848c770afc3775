/**
 * One long-lived stream to a peer for one purpose: frames in, frames out.
 *
 * All frames of one turn of the event loop leave in one write, because encrypting and sending cost the same for one
 * small frame as for fifty. Frames wait here up to a bound while the peer takes nothing (back-pressure); beyond it they
 * are dropped, and the sender learns it at once.
 */

import type { StreamCloseEvent, StreamMessageEvent } from "@libp2p/interface";
import { type Framed, FrameReader, HEAD_BYTES, joinFrames } from "./frames.ts";
import { FRAME_BYTES_MAX, type Purpose } from "./transport.ts";

/** The part of a libp2p stream that is used. */
export interface ByteStream {
  /** Bytes that were sent but not yet taken by the layer below. */
  readonly writeBufferLength: number;
  /** Returns false if the sender should wait for `drain` before it sends more; throws if the stream is closed. */
  send(bytes: Uint8Array): boolean;
  abort(error: Error): void;
  addEventListener(type: "message", listener: (event: StreamMessageEvent) => void): void;
  addEventListener(type: "drain", listener: () => void): void;
  addEventListener(type: "close", listener: (event: StreamCloseEvent) => void): void;
}

/**
 * Bytes that may wait for a peer, by purpose. `protocol`: 10,000 tickets of 200 bytes. `sync`: the largest message, in
 * pieces, and what else waits. Half of it would refuse that message; doubled, 100 peers that take nothing could hold 2
 * GB.
 */
export const WAITING_BYTES_MAX: Readonly<Record<Purpose, number>> = {
  protocol: 2 * (FRAME_BYTES_MAX + HEAD_BYTES),
  sync: 10 * (FRAME_BYTES_MAX + HEAD_BYTES),
};

export class PeerStream {
  readonly #stream: ByteStream;
  readonly #waitingMax: number;
  readonly #reader: FrameReader;
  #batch: Framed[] = [];
  #batchBytes = 0;
  #isFull = false;
  #isClosed = false;

  /** `broken` is called once, when the stream ends or carries bytes that cannot be frames. */
  constructor(
    stream: ByteStream,
    purpose: Purpose,
    handlers: { readonly framed: (framed: Framed) => void; readonly broken: () => void },
  ) {
    this.#stream = stream;
    this.#waitingMax = WAITING_BYTES_MAX[purpose];
    this.#reader = new FrameReader(handlers.framed);
    const close = () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      this.#batch = [];
      handlers.broken();
    };
    stream.addEventListener("message", ({ data }) => {
      if (this.#isClosed || this.#reader.push(data.subarray())) return;
      stream.abort(new Error("Cannot read a stream as it must consist of frames within their limits"));
      close();
    });
    stream.addEventListener("drain", () => {
      this.#isFull = false;
      this.#flush();
    });
    stream.addEventListener("close", close);
  }

  /** Sends a frame at the end of this turn; it must not change until then. False if it was dropped. */
  send(framed: Framed): boolean {
    const bytes = framed.frame.length + HEAD_BYTES;
    const waiting = this.#batchBytes + this.#stream.writeBufferLength;
    if (this.#isClosed || framed.frame.length > FRAME_BYTES_MAX || waiting + bytes > this.#waitingMax) return false;
    if (this.#batch.length === 0 && !this.#isFull) setImmediate(() => this.#flush());
    this.#batch.push(framed);
    this.#batchBytes += bytes;
    return true;
  }

  /** Sends a frame, and all that wait before it, within this call. */
  sendNow(framed: Framed): void {
    if (this.send(framed)) this.#flush();
  }

  #flush(): void {
    if (this.#isClosed || this.#isFull || this.#batch.length === 0) return;
    const bytes = joinFrames(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
    try {
      this.#isFull = !this.#stream.send(bytes);
    } catch {
      // The stream was closed a moment ago: the process continues; the frames are lost, as with any connection that
      // ends.
      this.#stream.abort(new Error("Cannot send as the stream is closed"));
    }
  }
}
