/** A client's socket as a stream, for the parts of Node.js that need one. */

import { Duplex } from "node:stream";
import type { ClientSocket } from "./connection.ts";

export class SocketStream extends Duplex {
  readonly #socket: ClientSocket;
  #rest: Uint8Array | undefined;
  #written: (() => void) | undefined;

  constructor(socket: ClientSocket) {
    super();
    this.#socket = socket;
  }

  /** Bytes have come from the client. */
  received(bytes: Buffer): void {
    // The runtime uses its buffer again.
    if (!this.push(Buffer.from(bytes))) this.#socket.pause();
  }

  /** The socket accepts bytes again. */
  drained(): void {
    const [rest, written] = [this.#rest, this.#written];
    if (rest === undefined || written === undefined) return;
    this.#rest = undefined;
    this.#written = undefined;
    this._write(rest, undefined, written);
  }

  /** The client sends no more. */
  ended(): void {
    this.push(null);
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Uint8Array, _encoding: unknown, written: () => void): void {
    const taken = Math.max(0, this.#socket.write(bytes));
    if (taken === bytes.length) {
      written();
      return;
    }
    this.#rest = bytes.subarray(taken);
    this.#written = written;
  }

  override _final(done: () => void): void {
    this.#socket.end();
    done();
  }
}
