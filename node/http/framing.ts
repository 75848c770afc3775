/**
 * The length of a message's body (RFC 9112 §6): the question on which request smuggling depends.
 *
 * Requests: anything that two servers could read differently is refused, never repaired. Answers of the origin: the
 * same, except that equal repeated lengths are one length, that chunks override a length (RFC 9112 §6.3), also in
 * HTTP/1.0 (§6.1), and that a body may end with the connection.
 */

import { type BodySink, ChunkedDecoder, type ChunkedLimits } from "./chunked.ts";
import type { Refusal } from "./fields.ts";
import type { HeaderList } from "./message.ts";

/**
 * `none`: no body and no framing field; a number: Content-Length; `until-close`: the connection's end is the end of the
 * body.
 */
export type Framing = "none" | "chunked" | "until-close" | number;

interface FramingFields {
  readonly contentLength: string | undefined;
  readonly transferEncoding: string | undefined;
}

/** Framing of a request's body. */
export function requestFraming(fields: FramingFields, minorVersion: 0 | 1): Framing | Refusal {
  const { contentLength, transferEncoding } = fields;
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) return { status: 400, reason: "both Content-Length and Transfer-Encoding" };
    if (minorVersion === 0) return { status: 400, reason: "Transfer-Encoding in HTTP/1.0" };
    if (transferEncoding.toLowerCase() !== "chunked") return { status: 400, reason: "a Transfer-Encoding not chunked" };
    return "chunked";
  }
  if (contentLength === undefined) return "none";
  return lengthOf(contentLength) ?? { status: 400, reason: "Content-Length is not one number" };
}

/** Framing of an origin's answer to a request of `method`; a text that says what is wrong with it. */
export function responseFraming(
  fields: FramingFields,
  answer: { readonly status: number; readonly method: string },
): { readonly framing: Framing; readonly contentLength: number | undefined } | string {
  const { transferEncoding } = fields;
  const values = fields.contentLength?.split(",").map((value) => value.trim());
  const contentLength = values === undefined ? undefined : lengthOf(values[0] ?? "");
  if (values !== undefined && (contentLength === undefined || values.some((value) => value !== values[0]))) {
    return "Content-Length is not one number";
  }
  const isChunked = transferEncoding !== undefined;
  if (isChunked && transferEncoding.toLowerCase() !== "chunked") return "a Transfer-Encoding not chunked";
  if (answer.status < 200 || answer.status === 204) return { framing: "none", contentLength: undefined };
  if (answer.method === "HEAD" || answer.status === 304)
    return { framing: "none", contentLength: isChunked ? undefined : contentLength };
  if (isChunked) return { framing: "chunked", contentLength: undefined };
  return { framing: contentLength ?? "until-close", contentLength };
}

function lengthOf(value: string): number | undefined {
  if (!/^[0-9]{1,16}$/.test(value)) return undefined;
  const length = Number(value);
  return Number.isSafeInteger(length) ? length : undefined;
}

/**
 * Cuts one message's body out of a connection's bytes, with any framing.
 *
 * It hands pieces on as they come and keeps none; where the body ends, the next message begins.
 */
export class BodyReader {
  /** Bytes of body handed on so far. */
  received = 0;
  #left: number;
  readonly #chunked: ChunkedDecoder | undefined;

  constructor(framing: Framing, limits: ChunkedLimits, isLenient = false) {
    this.#chunked = framing === "chunked" ? new ChunkedDecoder(limits, isLenient) : undefined;
    this.#left = typeof framing === "number" ? framing : framing === "until-close" ? Number.POSITIVE_INFINITY : 0;
  }

  /** Whether the body is complete; one that lasts until the connection ends never is. */
  get done(): boolean {
    return this.#chunked === undefined ? this.#left === 0 : this.#chunked.done;
  }

  /** Bytes still to come: infinite when unknown. */
  get left(): number {
    return this.done ? 0 : this.#chunked === undefined ? this.#left : Number.POSITIVE_INFINITY;
  }

  /** Whether its chunks were not written as the standard says. */
  get isLoose(): boolean {
    return this.#chunked?.isLoose ?? false;
  }

  get trailers(): HeaderList {
    return this.#chunked?.trailers ?? [];
  }

  /** Reads `bytes` and returns how many of them are this body's; -1 when the framing is malformed. */
  feed(bytes: Buffer, sink: BodySink | undefined): number {
    if (this.#chunked !== undefined) {
      const used = this.#chunked.feed(bytes, sink);
      this.received += Math.max(used, 0);
      return used;
    }
    const used = Math.min(this.#left, bytes.length);
    if (used > 0) sink?.body(used === bytes.length ? bytes : bytes.subarray(0, used));
    this.#left -= used;
    this.received += used;
    return used;
  }
}
