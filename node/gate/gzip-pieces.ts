/**
 * A gzip member (RFC 1952) put together from texts that were compressed before and texts that are put in as they are:
 * a waiting page differs from the next one in a few words, and compressing all of it would cost more than making it.
 *
 * A compressed text ends on a byte and refers to nothing before it (a full flush), so that it can stand anywhere. A
 * visitor's own text is a stored block (RFC 1951 §3.2.4): nothing of it is compressed, so the length of the answer
 * tells nothing about it.
 */

import { constants, crc32, deflateRawSync } from "node:zlib";
import { latin1Of } from "../http/answer.ts";
import type { Bytes } from "../http/message.ts";

/** A text that many pages share, as it is and compressed. */
export interface GzipPiece {
  readonly text: Uint8Array;
  readonly deflated: Bytes;
}

/** Below this a compressed piece, with the stored blocks around it, is about as long as the text. */
const PIECE_BYTES_MIN = 200;

const STORED_BYTES_MAX = 65_535;

/** Deflate, no name, no time, unknown system. */
const HEADER = "\x1f\x8b\b\0\0\0\0\0\0\xff";

/** A last block without bytes. */
const END = "\x01\0\0\xff\xff";

/** `text` for members that have it; the text itself where it is too short to gain. */
export function gzipPiece(text: string): GzipPiece | string {
  const bytes = Buffer.from(text);
  if (bytes.length < PIECE_BYTES_MIN) return text;
  const deflated = deflateRawSync(bytes, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  return { text: bytes, deflated: { latin1: deflated.toString("latin1") } };
}

/** A whole member of `parts`, in their order. It is text until it is sent: no bytes are copied for it. */
export function gzipOf(parts: readonly (GzipPiece | string)[]): Bytes {
  let out = HEADER;
  let own = "";
  let crc = 0;
  let length = 0;
  const store = (): void => {
    if (own === "") return;
    const bytes = latin1Of(own);
    crc = crc32(own, crc);
    own = "";
    length += bytes.length;
    for (let at = 0; at < bytes.length; at += STORED_BYTES_MAX) {
      const part = bytes.slice(at, at + STORED_BYTES_MAX);
      const [low, high] = [part.length & 0xff, part.length >> 8];
      out += String.fromCharCode(0, low, high, low ^ 0xff, high ^ 0xff) + part;
    }
  };
  for (const part of parts) {
    if (typeof part === "string") own += part;
    else {
      store();
      crc = crc32(part.text, crc);
      length += part.text.length;
      out += part.deflated.latin1;
    }
  }
  store();
  return { latin1: out + END + fourBytes(crc) + fourBytes(length) };
}

/** A number as four bytes, the lowest first; above 32 bits it begins again at 0. */
function fourBytes(value: number): string {
  return String.fromCharCode(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}
