/**
 * Where a head ends, in bytes that come piece by piece; and whether it can still become one.
 *
 * Each byte is looked at once, however small the pieces are: a client that sends a head byte by byte must not cost the
 * square of its length.
 */

import type { Refusal } from "./fields.ts";
import { type HeadLimits, headTooLong, isRefusal, parseRequestLine, targetTooLong } from "./request-head.ts";

const CR = 0x0d;
const LF = 0x0a;

/** The longest method, the version and two spaces, with room to spare. */
const LINE_BYTES_BESIDE_TARGET = 64;

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
