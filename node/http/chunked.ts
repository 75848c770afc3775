/**
 * The chunked transfer coding (RFC 9112 §7.1), read strictly and written plainly.
 *
 * The decoder takes bytes as they come, in any pieces, and stops for good at the first invalid byte: sizes are
 * hexadecimal digits only, every line ends in CRLF, extensions are counted and dropped, trailers are bounded. From an
 * origin it also takes what nginx and HAProxy take alike (`isLenient`): blanks after a size, LFs alone at
 * all lines, leading zeros.
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
/** With leading zeros: some origins write 16. */
const PADDED_DIGITS_MAX = 32;
const TRAILERS_MAX = 64;
const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const SEMICOLON = 0x3b;

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

type State = "size" | "size-blank" | "extension" | "size-lf" | "data" | "data-cr" | "data-lf" | "trailer" | "done";

export class ChunkedDecoder {
  /** Trailer fields that may be passed on; complete when `done`. */
  trailers: HeaderList = [];
  /** Whether it took what the standard does not allow. */
  isLoose = false;
  readonly #isLenient: boolean;
  /** Whether its lines end in LF alone; undefined before the first one ends. All must end alike. */
  #isBareLf: boolean | undefined;
  #state: State = "size";
  #digits = 0;
  #left = 0;
  #extensionBytes = 0;
  #trailerText = "";
  /** Bytes of the trailer line that is being read, and the last of them. */
  #lineBytes = 0;
  #previous = 0;
  readonly #limits: ChunkedLimits;

  /** `isLenient`: whether what is not written by the standard, but read alike by others, is read. */
  constructor(limits: ChunkedLimits, isLenient = false) {
    this.#limits = limits;
    this.#isLenient = isLenient;
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
      case "size-blank":
        return byte === SPACE || byte === TAB || this.#takeSizeEnd(byte);
      case "extension":
        if (byte === CR) return this.#endLine("size-lf");
        if (byte === LF && this.#isLenient) return this.#takeBareLf("size-lf");
        this.#extensionBytes += 1;
        return (
          this.#extensionBytes <= this.#limits.chunkExtensionBytesMax && byte !== LF && (byte >= 0x20 || byte === 9)
        );
      case "size-lf":
        this.#digits = 0;
        return byte === LF && this.#go(this.#left === 0 ? "trailer" : "data");
      case "data-cr":
        if (byte === LF && this.#isLenient) return this.#takeBareLf("data-lf");
        return byte === CR && this.#endLine("data-lf");
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
      if (this.#digits <= SIZE_DIGITS_MAX) return true;
      this.isLoose = true;
      return this.#isLenient && this.#digits <= PADDED_DIGITS_MAX && this.#left < 16 ** SIZE_DIGITS_MAX;
    }
    if (this.#digits === 0) return false;
    if (this.#isLenient && (byte === SPACE || byte === TAB)) {
      this.isLoose = true;
      return this.#go("size-blank");
    }
    return this.#takeSizeEnd(byte);
  }

  #takeSizeEnd(byte: number): boolean {
    if (byte === CR) return this.#endLine("size-lf");
    if (byte === LF && this.#isLenient) return this.#takeBareLf("size-lf");
    return byte === SEMICOLON && this.#go("extension");
  }

  /** A LF where a CR was due: as if it had been there. */
  #takeBareLf(state: State): boolean {
    this.isLoose = true;
    return this.#endsLike(true) && this.#go(state) && this.#take(LF);
  }

  /** A CR, whose LF is taken in `state`. */
  #endLine(state: State): boolean {
    return this.#endsLike(false) && this.#go(state);
  }

  #endsLike(isBareLf: boolean): boolean {
    this.#isBareLf ??= isBareLf;
    return this.#isBareLf === isBareLf;
  }

  #takeTrailer(byte: number): boolean {
    this.#trailerText += String.fromCharCode(byte);
    if (this.#trailerText.length > this.#limits.trailerBytesMax) return false;
    this.#lineBytes += 1;
    const hasCr = byte === LF && this.#previous === CR;
    this.#previous = byte;
    if (byte !== LF) return true;
    if (!this.#endsLike(!hasCr)) return false;
    if (!hasCr) {
      this.#trailerText = `${this.#trailerText.slice(0, -1)}\r\n`;
    }
    const isEnd = this.#lineBytes === (hasCr ? 2 : 1);
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
