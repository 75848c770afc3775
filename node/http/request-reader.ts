/**
 * A client's bytes, cut into heads and bodies.
 *
 * Received bytes that were not used yet stay here; the connection decides when to read on, and stops its socket before
 * this grows beyond its bound.
 */

import type { BodySink } from "./chunked.ts";
import type { Refusal } from "./fields.ts";
import { BodyReader } from "./framing.ts";
import type { HttpLimits } from "./limits.ts";
import type { HeaderList } from "./message.ts";
import {
  type HeadLimits,
  headTooLong,
  isRefusal,
  type ParsedRequest,
  parseRequestHead,
  parseRequestLine,
  targetTooLong,
} from "./request-head.ts";

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

const CR = 0x0d;
const LF = 0x0a;

/** The longest method, the version and two spaces, with room to spare. */
const LINE_BYTES_BESIDE_TARGET = 64;

/**
 * Where a head ends, in bytes that come piece by piece; and whether it can still become one.
 *
 * Each byte is looked at once, however small the pieces are: a client that sends a head byte by byte must not cost the
 * square of its length.
 */
export class HeadScan {
  /** Bytes checked so far, and the start of the line in which they end. */
  #seen = 0;
  #lineStart = 0;
  readonly #limits: HeadLimits;

  constructor(limits: HeadLimits) {
    this.#limits = limits;
  }

  /** Checks what has arrived since the last call; `head` begins with the earlier bytes. */
  next(head: Buffer): Refusal | undefined {
    const { headBytesMax, targetBytesMax } = this.#limits;
    const length = Math.min(head.length, headBytesMax + 1);
    for (; this.#seen < length; this.#seen++) {
      const isEnd = head[this.#seen] === LF;
      if (this.#seen === 0 ? isEnd : isEnd !== (head[this.#seen - 1] === CR)) {
        return { status: 400, reason: "a line does not end in CRLF" };
      }
      if (!isEnd) continue;
      const line = this.#lineStart === 0 ? head.toString("latin1", 0, this.#seen - 1) : undefined;
      const parsed = line === undefined ? undefined : parseRequestLine(line, this.#limits);
      if (parsed !== undefined && isRefusal(parsed)) return parsed;
      this.#lineStart = this.#seen + 1;
    }
    if (this.#lineStart === 0 && this.#seen > targetBytesMax + LINE_BYTES_BESIDE_TARGET)
      return targetTooLong(this.#limits);
    return head.length > headBytesMax ? headTooLong(this.#limits) : undefined;
  }

  /** Starts on another head. */
  restart(): void {
    this.#seen = 0;
    this.#lineStart = 0;
  }
}

/**
 * Received bytes that wait to be used, in one piece.
 *
 * Bytes that arrive while nothing waits are not copied. Otherwise they are appended to a buffer that grows by doubling:
 * bytes that come one by one cost their number, not its square.
 */
/** Smaller buffers would only be allocated again and again. */
const CAPACITY_MIN = 1_024;

const EMPTY = Buffer.alloc(0);

class InputBuffer {
  /** The waiting bytes; valid until the next call. */
  view: Buffer = EMPTY;
  /** The buffer that `view` is the middle of, if it is our own; undefined when it is the runtime's. */
  #own: Buffer | undefined;
  #end = 0;

  get length(): number {
    return this.view.length;
  }

  push(bytes: Buffer): void {
    if (this.view.length === 0) {
      this.view = bytes;
      this.#own = undefined;
      return;
    }
    let own = this.#own;
    if (own === undefined || this.#end + bytes.length > own.length) own = this.#move(bytes.length);
    bytes.copy(own, this.#end);
    const start = this.#end - this.view.length;
    this.#end += bytes.length;
    this.view = own.subarray(start, this.#end);
  }

  /** Takes the first `count` bytes away. */
  use(count: number): void {
    if (count > 0) this.view = count === this.view.length ? EMPTY : this.view.subarray(count);
    if (this.view.length === 0) this.#own = undefined;
  }

  takeAll(): Buffer {
    const { view } = this;
    this.view = EMPTY;
    this.#own = undefined;
    return view;
  }

  /** Copies the waiting bytes if they keep a much larger buffer in memory. */
  settle(): void {
    if (this.#own === undefined && this.view.length > 0) this.#move(0);
  }

  /** Our own buffer, with the waiting bytes at its start and room for `more`. */
  #move(more: number): Buffer {
    const own = Buffer.allocUnsafeSlow(Math.max(CAPACITY_MIN, (more === 0 ? 1 : 2) * (this.view.length + more)));
    this.view.copy(own);
    this.#own = own;
    this.#end = this.view.length;
    this.view = own.subarray(0, this.#end);
    return own;
  }
}
