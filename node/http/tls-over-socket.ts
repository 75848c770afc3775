/**
 * TLS on a client's connection of which some bytes are already read, such as a PROXY header.
 *
 * The runtime's own TLS starts with the first byte of a connection. Here Node.js's TLS stream gets the rest of them
 * instead, and looks like a socket to its user.
 */

import { TLSSocket } from "node:tls";
import type { ClientSocket } from "./connection.ts";
import type { ServerCertificates } from "./server-certificates.ts";
import { SocketStream } from "./socket-stream.ts";

/** What happens on the connection, in clear text. */
export interface TlsUser {
  onData(bytes: Buffer): void;
  onDrain(): void;
  /** The client sends no more. */
  onEnd(): void;
}

export class TlsOverSocket implements ClientSocket {
  readonly #raw: ClientSocket;
  readonly #stream: TLSSocket;
  readonly #wire: SocketStream;

  /** `name`: the host that the client asks for, which the runtime does not tell for streams. */
  constructor(raw: ClientSocket, certificates: ServerCertificates, name: string, user: TlsUser) {
    this.#raw = raw;
    this.#wire = new SocketStream(raw);
    const stream = new TLSSocket(this.#wire, {
      isServer: true,
      secureContext: certificates.contextFor(name),
      ...certificates.clients,
    });
    stream.on("data", (bytes: Buffer) => user.onData(bytes));
    stream.on("drain", () => user.onDrain());
    stream.on("end", () => user.onEnd());
    // Broken TLS is the client's; the gate only closes.
    stream.on("error", () => raw.terminate());
    this.#stream = stream;
  }

  /** Bytes from the raw socket. */
  received(bytes: Buffer): void {
    this.#wire.received(bytes);
  }

  /** The raw socket takes bytes again. */
  drained(): void {
    this.#wire.drained();
  }

  /** The raw socket gets no more bytes. */
  ended(): void {
    this.#wire.ended();
  }

  /** The raw socket is gone. */
  closed(): void {
    this.#stream.destroy();
  }

  write(data: string | Uint8Array, encoding?: "latin1"): number {
    if (this.#stream.destroyed) return -1;
    if (this.#stream.writableNeedDrain) return 0;
    if (typeof data === "string") this.#stream.write(data, encoding);
    else this.#stream.write(data);
    return data.length;
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  shutdown(): void {
    this.#stream.end();
  }

  end(): void {
    this.#stream.end();
  }

  terminate(): void {
    this.#raw.terminate();
  }
}
