/**
 * A gzip member (RFC 1952) put together from texts that were compressed before and texts that are put in as they are:
 * a waiting page differs from the next one in a few words, and compressing all of it would cost more than making it.
 *
 * A compressed text ends on a byte and refers to nothing before it (a full flush), so that it can stand anywhere. A
 * visitor's own text is a stored block (RFC 1951 §3.2.4): nothing of it is compressed, so the length of the answer
 * tells nothing about it.
 */

import { constants, crc32, deflateRawSync } from "node:zlib";

/** A text that many pages share, as it is and compressed. */
export interface GzipPiece {
  readonly text: Uint8Array;
  readonly deflated: Uint8Array;
}

/** Below this a compressed piece, with the stored blocks around it, is about as long as the text. */
const PIECE_BYTES_MIN = 200;

const STORED_BYTES_MAX = 65_535;

/** Deflate, no name, no time, unknown system. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/** A last block without bytes. */
const END = Uint8Array.of(1, 0, 0, 0xff, 0xff);

/** `text` for members that have it; the text itself where it is too short to gain. */
export function gzipPiece(text: string): GzipPiece | string {
  const bytes = Buffer.from(text);
  if (bytes.length < PIECE_BYTES_MIN) return text;
  return { text: bytes, deflated: deflateRawSync(bytes, { level: 9, finishFlush: constants.Z_FULL_FLUSH }) };
}

/** A whole member of `parts`, in their order. */
export function gzipOf(parts: readonly (GzipPiece | string)[]): Uint8Array {
  const out: Uint8Array[] = [HEADER];
  let own = "";
  let crc = 0;
  let length = 0;
  const count = (bytes: Uint8Array): void => {
    crc = crc32(bytes, crc);
    length += bytes.length;
  };
  const store = (): void => {
    if (own === "") return;
    const bytes = Buffer.from(own);
    own = "";
    count(bytes);
    for (let at = 0; at < bytes.length; at += STORED_BYTES_MAX) {
      const part = bytes.subarray(at, at + STORED_BYTES_MAX);
      const [low, high] = [part.length & 0xff, part.length >> 8];
      out.push(Uint8Array.of(0, low, high, low ^ 0xff, high ^ 0xff), part);
    }
  };
  for (const part of parts) {
    if (typeof part === "string") own += part;
    else {
      store();
      count(part.text);
      out.push(part.deflated);
    }
  }
  store();
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  out.push(END, trailer);
  return Buffer.concat(out);
}
