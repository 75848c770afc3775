/**
 * The chunked transfer coding (RFC 9112 §7.1), read strictly and written plainly.
 *
 * The decoder takes bytes as they come, in any pieces, and stops for good at the first invalid byte: sizes are
 * hexadecimal digits only, every line ends in CRLF, extensions are counted and dropped, trailers are bounded.
 */

import { parseFields } from "./fields.ts";
import { hexDigit } from "./hex-digit.ts";
import type { HeaderList } from "./message.ts";

/** Where decoded pieces of a body go. */
export interface BodySink {
  body(piece: Buffer): void;
}

export interface ChunkedLimits {
  readonly trailerBytesMax: number;
  readonly chunkExtensionBytesMax: number;
}

/** Digits of a chunk size: 12 stay far below 2^53. */
const SIZE_DIGITS_MAX = 12;
const TRAILERS_MAX = 64;
const CR = 0x0d;
const LF = 0x0a;

/**
 * Fields that RFC 9110 §6.5.1 forbids in trailers, besides framing: routing, authentication, cookies, how to read the
 * content; and our own fields, which stay between visitor, gate and origin.
 */
const NOT_A_TRAILER =
  /^(?:age|authorization|cache-control|connection|content-(?:encoding|range|type)|cookie|date|expect|expires|forwarded|host|if-.*|keep-alive|location|max-forwards|pragma|proxy-.*|range|retry-after|set-cookie|te|trailer|upgrade|vary|via|warning|www-authenticate|x-forwarded-.*|anteroom[^a-z0-9].*|cf-waiting-room-.*|[^_]*_.*)$/is;

/**
 * A trailer that states the message's length: a reader that believes it ends the message elsewhere, so the message is
 * refused.
 */
const FRAMING = /^(?:content[-_]length|transfer[-_]encoding)$/i;

type State = "size" | "extension" | "size-lf" | "data" | "data-cr" | "data-lf" | "trailer" | "done";

export class ChunkedDecoder {
  /** Trailer fields that may be passed on; complete when `done`. */
  trailers: HeaderList = [];
  #state: State = "size";
  #digits = 0;
  #left = 0;
  #extensionBytes = 0;
  #trailerText = "";
  /** Bytes of the trailer line that is being read, and the last of them. */
  #lineBytes = 0;
  #previous = 0;
  readonly #limits: ChunkedLimits;

  constructor(limits: ChunkedLimits) {
    this.#limits = limits;
  }

  get done(): boolean {
    return this.#state === "done";
  }

  /** Reads `bytes`, hands data to `sink`, and returns how many bytes belong to this body; -1 when it is malformed. */
  feed(bytes: Buffer, sink: BodySink | undefined): number {
    let at = 0;
    while (at < bytes.length && this.#state !== "done") {
      if (this.#state === "data") {
        const end = Math.min(bytes.length, at + this.#left);
        sink?.body(bytes.subarray(at, end));
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#state = "data-cr";
      } else {
        if (!this.#take(bytes[at] ?? 0)) return -1;
        at += 1;
      }
    }
    return at;
  }

  #take(byte: number): boolean {
    switch (this.#state) {
      case "size":
        return this.#takeSize(byte);
      case "extension":
        if (byte === CR) return this.#go("size-lf");
        this.#extensionBytes += 1;
        return (
          this.#extensionBytes <= this.#limits.chunkExtensionBytesMax && byte !== LF && (byte >= 0x20 || byte === 9)
        );
      case "size-lf":
        this.#digits = 0;
        return byte === LF && this.#go(this.#left === 0 ? "trailer" : "data");
      case "data-cr":
        return byte === CR && this.#go("data-lf");
      case "data-lf":
        return byte === LF && this.#go("size");
      default:
        return this.#takeTrailer(byte);
    }
  }

  #takeSize(byte: number): boolean {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#digits += 1;
      this.#left = this.#left * 16 + digit;
      return this.#digits <= SIZE_DIGITS_MAX;
    }
    if (this.#digits === 0) return false;
    if (byte === CR) return this.#go("size-lf");
    return byte === 0x3b && this.#go("extension");
  }

  #takeTrailer(byte: number): boolean {
    this.#trailerText += String.fromCharCode(byte);
    if (this.#trailerText.length > this.#limits.trailerBytesMax) return false;
    this.#lineBytes += 1;
    const isLineEnd = byte === LF && this.#previous === CR;
    this.#previous = byte;
    if (byte !== LF) return true;
    if (!isLineEnd) return false;
    const isEnd = this.#lineBytes === 2;
    this.#lineBytes = 0;
    if (!isEnd) return true;
    const fields = parseFields(this.#trailerText.slice(0, -2), 0, TRAILERS_MAX);
    if (!Array.isArray(fields) || fields.some((name, at) => at % 2 === 0 && FRAMING.test(name))) return false;
    this.trailers = fields.filter((_, at) => !NOT_A_TRAILER.test(fields[at - (at % 2)] ?? ""));
    return this.#go("done");
  }

  #go(state: State): boolean {
    this.#state = state;
    return true;
  }
}
