/**
 * Where frames of a WebSocket end (RFC 6455 §5.2), so that the gate can say goodbye between two of them.
 *
 * Only lengths are read: payloads pass as they are. Used for what an origin sends.
 */

/** Why the gate ends a long-lived exchange: a close code of RFC 6455 §7.4.1, and words for the client. */
export interface Closing {
  /** 1001: the visitor may come back as a new one. 1008: the session was taken away. */
  readonly code: 1001 | 1008;
  /** ASCII, at most 123 bytes. */
  readonly reason: string;
}

const CLOSE = 0x8;
const FIN = 0x80;
const MASK_BYTES = 4;
const HEADER_BYTES_MAX = 14;

export class WebSocketFrames {
  /** Whether a close frame has begun: nothing may follow it. */
  isClosed = false;
  /** Bytes of the frame's payload still to come. */
  #left = 0;
  /** The frame's header, while it is not whole. */
  readonly #header = Buffer.alloc(HEADER_BYTES_MAX);
  #headerBytes = 0;

  /** Whether the next byte begins a frame. */
  get isBetween(): boolean {
    return this.#left === 0 && this.#headerBytes === 0;
  }

  /** Reads on from `at` to the end of the frame, or of `bytes`; returns where it stopped. */
  readFrame(bytes: Buffer, at: number): number {
    let next = at;
    while (this.#left === 0 && next < bytes.length) {
      this.#header[this.#headerBytes] = bytes[next] ?? 0;
      this.#headerBytes += 1;
      next += 1;
      if (!this.#isHeaderWhole()) continue;
      this.isClosed ||= ((this.#header[0] ?? 0) & 0x0f) === CLOSE;
      this.#left = this.#payloadBytes();
      this.#headerBytes = 0;
      if (this.#left === 0) return next;
    }
    const taken = Math.min(this.#left, bytes.length - next);
    this.#left -= taken;
    return next + taken;
  }

  /** Reads all of `bytes`. */
  read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at = this.readFrame(bytes, at);
  }

  #isHeaderWhole(): boolean {
    if (this.#headerBytes < 2) return false;
    const second = this.#header[1] ?? 0;
    const lengthBytes = { 126: 2, 127: 8 }[second & 0x7f] ?? 0;
    return this.#headerBytes === 2 + lengthBytes + (second & 0x80 ? MASK_BYTES : 0);
  }

  #payloadBytes(): number {
    const short = (this.#header[1] ?? 0) & 0x7f;
    if (short === 126) return this.#header.readUInt16BE(2);
    return short === 127 ? Number(this.#header.readBigUInt64BE(2)) : short;
  }
}

/** The frame with which a server ends a WebSocket. */
export function closeFrame({ code, reason }: Closing): Buffer {
  const payload = Buffer.from(`\0\0${reason}`, "latin1");
  payload.writeUInt16BE(code);
  return Buffer.concat([Buffer.from([FIN | CLOSE, payload.length]), payload]);
}
