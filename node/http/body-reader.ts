/**
 * Cuts one message's body out of a connection's bytes, with any framing.
 *
 * It hands pieces on as they come and keeps none; where the body ends, the next message begins.
 */

import { type BodySink, ChunkedDecoder, type ChunkedLimits, type ChunkedReading } from "./chunked.ts";
import type { Framing } from "./framing.ts";
import type { HeaderList } from "./message.ts";

export class BodyReader {
  /** Bytes of body handed on so far. */
  received = 0;
  #left: number;
  readonly #chunked: ChunkedDecoder | undefined;

  constructor(framing: Framing, limits: ChunkedLimits, reading?: ChunkedReading) {
    this.#chunked = framing === "chunked" ? new ChunkedDecoder(limits, reading) : undefined;
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
