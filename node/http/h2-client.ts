/**
 * A client's connection that speaks HTTP/2: requests side by side, each a connection of its own to the rest of the
 * gate.
 *
 * Frames, header compression and flow control are the runtime's; it also ends connections that flood it with frames.
 */

import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { ClientSocket } from "./connection.ts";
import type { ConnectionState, HttpOwner, OwnedConnection } from "./connection-owner.ts";
import { H2Stream, h2Request } from "./h2-stream.ts";
import { SocketStream } from "./socket-stream.ts";

/** The protocols that TLS offers, by preference: `h2` and `http/1.1`, each with its length (RFC 7301 §3.1). */
export const H2_FIRST = new Uint8Array(Buffer.from("\x02h2\x08http/1.1", "latin1")).buffer;

/** As many requests as a browser has under way for one page. */
const STREAMS_MAX = 100;

export class H2Client implements OwnedConnection {
  readonly #socket: ClientSocket;
  readonly #owner: HttpOwner;
  readonly #remoteAddress: string;
  readonly #wire: SocketStream;
  readonly #session: ServerHttp2Session;
  /** By the connection of each, with what it is doing. */
  readonly #streams = new Map<OwnedConnection, { readonly stream: H2Stream; state: ConnectionState }>();
  #idleMs = 0;

  constructor(socket: ClientSocket, owner: HttpOwner, remoteAddress: string) {
    this.#socket = socket;
    this.#owner = owner;
    this.#remoteAddress = remoteAddress;
    this.#wire = new SocketStream(socket);
    this.#session = performServerHandshake(this.#wire, {
      maxHeaderListPairs: owner.limits.fieldsMax,
      // Else the runtime leaves such a field out, and nobody hears of it.
      strictFieldWhitespaceValidation: false,
      settings: {
        enablePush: false,
        maxConcurrentStreams: STREAMS_MAX,
        maxHeaderListSize: owner.limits.headBytesMax,
      },
    });
    this.#session.on("stream", (stream, _fields, flags, raw) => this.#request(stream, flags, raw));
    // Broken HTTP/2 is the client's; the gate only closes.
    this.#session.on("error", () => socket.terminate());
    this.#wire.on("error", () => socket.terminate());
  }

  get idle(): boolean {
    return this.#streams.size === 0;
  }

  received(bytes: Buffer): void {
    this.#wire.received(bytes);
  }

  drained(): void {
    this.#wire.drained();
  }

  /** Without its window updates no answer gets far, so a client that sends no more has gone. */
  ended(): void {
    this.#socket.terminate();
  }

  /** The socket is gone. */
  closed(): void {
    this.#session.destroy();
    this.#wire.destroy();
    for (const { stream } of this.#streams.values()) stream.connection.closed();
    this.#streams.clear();
  }

  end(gently: boolean): void {
    if (gently) this.#session.close();
    else this.#socket.terminate();
  }

  sweep(tickMs: number): void {
    for (const { stream } of this.#streams.values()) stream.sweep(tickMs);
    if (!this.idle) this.#tell();
    this.#idleMs = this.idle ? this.#idleMs + tickMs : 0;
    const { idleMs, lingerMs, standstillMs } = this.#owner.limits;
    if (this.#idleMs > standstillMs) this.#owner.changed(this, "waiting");
    if (this.#idleMs > idleMs + lingerMs) this.end(false);
    else if (this.#idleMs > idleMs) this.end(true);
  }

  #request(stream: ServerHttp2Stream, flags: number, raw: readonly string[]): void {
    const request = h2Request(raw, !stream.endAfterHeaders && (flags & END_STREAM) === 0);
    if ("reason" in request) {
      this.#owner.onRefusal?.(request, this.#remoteAddress);
      stream.on("error", () => undefined);
      stream.respond({ ":status": request.status, "content-type": "text/plain; charset=utf-8" });
      stream.end(`${request.status}: ${request.reason}\n`);
      return;
    }
    const made = new H2Stream(stream, request, {
      owner: this.#owner,
      remoteAddress: this.#remoteAddress,
      // Which connection may be ended is decided for all streams together.
      changed: (connection, state) => this.#changed(connection, state),
    });
    this.#streams.set(made.connection, { stream: made, state: "new" });
    this.#tell();
    stream.on("close", () => {
      made.connection.closed();
      this.#streams.delete(made.connection);
      this.#tell();
    });
    made.start();
  }

  #changed(connection: OwnedConnection, state: ConnectionState): void {
    const changed = this.#streams.get(connection);
    if (changed === undefined) return;
    changed.state = state;
    this.#tell();
  }

  /** A client of which every request stands still may be ended for another, as if each were a connection. */
  #tell(): void {
    const streams = [...this.#streams.values()];
    const works = streams.some(({ stream, state }) => state !== "stalled" && !stream.isStill);
    this.#owner.changed(this, this.idle ? "waiting" : works ? "working" : "stalled");
  }
}

/** The flag of a frame that is the last of its stream. */
const END_STREAM = 1;
