/**
 * A client's bytes, cut into heads and bodies.
 *
 * What came and was not used yet stays here; the connection decides when to read on, and stops its socket before this
 * grows beyond its bound.
 */

import { BodyReader } from "./body-reader.ts";
import type { BodySink } from "./chunked.ts";
import type { Refusal } from "./fields.ts";
import type { HttpLimits } from "./limits.ts";
import type { HeaderList } from "./message.ts";
import { isRefusal, type ParsedRequest, parseRequestHead, refuseEarly } from "./request-head.ts";

/** Empty lines before a request line that are overlooked (RFC 9112 §2.2). */
const EMPTY_LINES_MAX = 2;
const EMPTY = Buffer.alloc(0);

export class RequestReader {
  #input: Buffer = EMPTY;
  #emptyLines = 0;
  #body: BodyReader | undefined;
  readonly #limits: HttpLimits;

  constructor(limits: HttpLimits) {
    this.#limits = limits;
  }

  /** Bytes that came and were not used yet. */
  get pending(): number {
    return this.#input.length;
  }

  /** Bytes of the current request's body read so far. */
  get bodyBytes(): number {
    return this.#body?.received ?? 0;
  }

  /** Bytes of the current request's body still to come; infinite when unknown. */
  get bodyBytesLeft(): number {
    return this.#body?.left ?? 0;
  }

  get trailers(): HeaderList {
    return this.#body?.trailers ?? [];
  }

  push(bytes: Buffer): void {
    this.#input = this.#input.length === 0 ? bytes : Buffer.concat([this.#input, bytes]);
  }

  /** Everything not used yet. */
  takeAll(): Buffer {
    const input = this.#input;
    this.#input = EMPTY;
    return input;
  }

  /** The next request's head; undefined until it is complete. */
  readHead(): ParsedRequest | Refusal | undefined {
    while (this.#input[0] === 0x0d && this.#input[1] === 0x0a && this.#emptyLines < EMPTY_LINES_MAX) {
      this.#emptyLines += 1;
      this.#input = this.#input.subarray(2);
    }
    const length = Math.min(this.#input.length, this.#limits.headBytesMax + 4);
    if (length === 0) return undefined;
    const text = this.#input.toString("latin1", 0, length);
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) return text === "\r" ? undefined : refuseEarly(text, this.#limits);
    const parsed = parseRequestHead(text.slice(0, end + 2), this.#limits);
    if (isRefusal(parsed)) return parsed;
    this.#emptyLines = 0;
    this.#input = this.#input.length === end + 4 ? EMPTY : this.#input.subarray(end + 4);
    this.#body = parsed.framing === "none" ? undefined : new BodyReader(parsed.framing, this.#limits);
    return parsed;
  }

  /** Reads of the current body what has come and hands it to `sink`; false when its framing is malformed. */
  readBody(sink: BodySink | undefined): boolean {
    const used = this.#body?.feed(this.#input, sink) ?? 0;
    if (used < 0) return false;
    this.#input = used === this.#input.length ? EMPTY : this.#input.subarray(used);
    return true;
  }
}
