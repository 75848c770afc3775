/**
 * A client's bytes, cut into heads and bodies.
 *
 * Received bytes that were not used yet stay here; the connection decides when to read on, and stops its socket before
 * this grows beyond its bound.
 */

import { BodyReader } from "./body-reader.ts";
import type { BodySink } from "./chunked.ts";
import type { Refusal } from "./fields.ts";
import { HeadScan } from "./head-scan.ts";
import { InputBuffer } from "./input-buffer.ts";
import type { HttpLimits } from "./limits.ts";
import type { HeaderList } from "./message.ts";
import { isRefusal, type ParsedRequest, parseRequestHead } from "./request-head.ts";

/** Empty lines that are ignored before a request line (RFC 9112 §2.2). */
const EMPTY_LINES_MAX = 2;
const HEAD_END = "\r\n\r\n";

export class RequestReader {
  readonly #input = new InputBuffer();
  readonly #scan: HeadScan;
  /** Up to where no end of a head was found. */
  #searched = 0;
  #emptyLines = 0;
  #body: BodyReader | undefined;
  readonly #limits: HttpLimits;

  constructor(limits: HttpLimits) {
    this.#limits = limits;
    this.#scan = new HeadScan(limits);
  }

  /** Received bytes that were not used yet. */
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
    this.#input.push(bytes);
  }

  /** Keeps the waiting bytes in a buffer of their own size: the one in which they came may be many times as large. */
  settle(): void {
    this.#input.settle();
  }

  /** Everything not used yet. */
  takeAll(): Buffer {
    return this.#input.takeAll();
  }

  /** The next request's head; undefined until it is complete. */
  readHead(): ParsedRequest | Refusal | undefined {
    const input = this.#input;
    while (input.view[0] === 0x0d && input.view[1] === 0x0a && this.#emptyLines < EMPTY_LINES_MAX) {
      this.#emptyLines += 1;
      input.use(2);
      this.#restartScan();
    }
    const { view } = input;
    if (view.length === 0) return undefined;
    const window = view.subarray(0, this.#limits.headBytesMax + HEAD_END.length);
    const end = window.indexOf(HEAD_END, this.#searched, "latin1");
    if (end < 0) {
      this.#searched = Math.max(0, window.length - HEAD_END.length + 1);
      return this.#scan.next(view);
    }
    const parsed = parseRequestHead(view.toString("latin1", 0, end + 2), this.#limits);
    if (isRefusal(parsed)) return parsed;
    this.#emptyLines = 0;
    input.use(end + HEAD_END.length);
    this.#restartScan();
    this.#body = parsed.framing === "none" ? undefined : new BodyReader(parsed.framing, this.#limits);
    return parsed;
  }

  /** Reads what has arrived of the current body and hands it to `sink`; false when its framing is malformed. */
  readBody(sink: BodySink | undefined): boolean {
    const used = this.#body?.feed(this.#input.view, sink) ?? 0;
    if (used < 0) return false;
    this.#input.use(used);
    return true;
  }

  #restartScan(): void {
    this.#searched = 0;
    this.#scan.restart();
  }
}
