/**
 * The framing of a byte stream: a head of four bytes (kind, then the length in 24 bits), then the frame.
 *
 * The kinds other than `data` belong to the connection itself: who the peer is (`hello`), acceptance by both sides
 * (`welcome`), a refusal (`refusal`, a text), and a keep-alive (`ping`).
 */

import { FRAME_BYTES_MAX } from "./transport.ts";

export const KINDS = ["data", "hello", "welcome", "refusal", "ping"] as const;
export type Kind = (typeof KINDS)[number];

export interface Framed {
  readonly kind: Kind;
  readonly frame: Uint8Array;
}

export const HEAD_BYTES = 4;

/** All of `frames` as bytes, ready to be sent. */
export function joinFrames(frames: readonly Framed[]): Uint8Array {
  const bytes = new Uint8Array(frames.reduce((sum, { frame }) => sum + HEAD_BYTES + frame.length, 0));
  let at = 0;
  for (const { kind, frame } of frames) {
    bytes[at] = KINDS.indexOf(kind);
    bytes[at + 1] = frame.length >>> 16;
    bytes[at + 2] = frame.length >>> 8;
    bytes[at + 3] = frame.length;
    bytes.set(frame, at + HEAD_BYTES);
    at += HEAD_BYTES + frame.length;
  }
  return bytes;
}

/** Splits a stream into frames. Holds no more than one unfinished frame. */
export class FrameReader {
  readonly #onFrame: (framed: Framed) => void;
  /** The bytes of an unfinished head or frame. */
  #chunks: Uint8Array[] = [];
  #held = 0;
  /** How many bytes must have arrived before another look is useful. */
  #wanted = HEAD_BYTES;

  constructor(onFrame: (framed: Framed) => void) {
    this.#onFrame = onFrame;
  }

  /**
   * Takes the next bytes and reports the frames that they complete. Returns false, for ever, if this cannot be a stream
   * of frames.
   */
  push(chunk: Uint8Array): boolean {
    if (this.#wanted === Number.POSITIVE_INFINITY) return false;
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held < this.#wanted) return true;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#keep(bytes);
    for (let rest = bytes; rest.length >= this.#wanted; ) {
      const frame = rest.subarray(HEAD_BYTES, this.#wanted);
      const kind = KINDS[byte(rest, 0)] as Kind;
      rest = rest.subarray(this.#wanted);
      // Before the callback: a frame whose handler throws is lost, and must not come again with every later chunk.
      this.#keep(rest);
      this.#onFrame({ kind, frame });
    }
    return this.#wanted !== Number.POSITIVE_INFINITY;
  }

  /** Holds `rest`, which begins with a head, for later. */
  #keep(rest: Uint8Array): void {
    this.#held = rest.length;
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#wanted = frameBytesAt(rest);
  }
}

/**
 * The size, head included, of the frame that `bytes` begin with, or of a head if that is unfinished; infinite if there
 * can be none.
 */
function frameBytesAt(bytes: Uint8Array): number {
  if (bytes.length < HEAD_BYTES) return HEAD_BYTES;
  const length = (byte(bytes, 1) << 16) | (byte(bytes, 2) << 8) | byte(bytes, 3);
  const isFrame = byte(bytes, 0) < KINDS.length && length <= FRAME_BYTES_MAX;
  return isFrame ? HEAD_BYTES + length : Number.POSITIVE_INFINITY;
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}
