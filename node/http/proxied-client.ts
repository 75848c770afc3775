/**
 * A client behind a TCP balancer that speaks the PROXY protocol: waits for the header, then hands the connection over
 * with the client's address, through TLS if the listener speaks it.
 */

import { serverNameIn } from "./client-hello.ts";
import type { ClientConnection, ClientSocket } from "./connection.ts";
import { readProxyHeader } from "./proxy-header.ts";
import type { ServerCertificates } from "./server-certificates.ts";
import { TlsOverSocket } from "./tls-over-socket.ts";

/** The listener of a proxied client. */
export interface ProxiedOwner {
  /** The contexts for TLS, if clients are to speak it. */
  readonly certificates: ServerCertificates | undefined;
  /** Longest wait for the header, and for the client's first bytes of TLS, in ms. */
  readonly headerMs: number;
  accept(socket: ClientSocket, remoteAddress: string): ClientConnection | undefined;
  gone(connection: ClientConnection): void;
  /** A connection does not begin as it must. */
  onNoHeader(balancer: string): void;
}

export class ProxiedClient {
  readonly #socket: ClientSocket;
  readonly #owner: ProxiedOwner;
  /** The balancer's address, which is also that of its own health checks. */
  readonly #balancer: string;
  readonly #timer: ReturnType<typeof setTimeout>;
  /** What has come and is not handed on: the header, or the first bytes of TLS. */
  #held: Buffer = Buffer.alloc(0);
  /** The client's address, once the header is whole. */
  #address: string | undefined;
  #tls: TlsOverSocket | undefined;
  #connection: ClientConnection | undefined;

  constructor(socket: ClientSocket, owner: ProxiedOwner, balancer: string) {
    this.#socket = socket;
    this.#owner = owner;
    this.#balancer = balancer;
    this.#timer = setTimeout(() => this.#refuse(), owner.headerMs);
  }

  received(bytes: Buffer): void {
    if (this.#tls !== undefined) this.#tls.received(bytes);
    else if (this.#connection !== undefined) this.#connection.received(bytes);
    else {
      this.#held = Buffer.concat([this.#held, bytes]);
      if (this.#address === undefined) this.#readHeader();
      if (this.#address !== undefined) this.#open(this.#address);
    }
  }

  drained(): void {
    if (this.#tls !== undefined) this.#tls.drained();
    else this.#connection?.drained();
  }

  ended(): void {
    if (this.#tls !== undefined) this.#tls.ended();
    else if (this.#connection !== undefined) this.#connection.ended();
    else this.#socket.terminate();
  }

  closed(): void {
    clearTimeout(this.#timer);
    this.#tls?.closed();
    if (this.#connection !== undefined) this.#owner.gone(this.#connection);
  }

  #readHeader(): void {
    const header = readProxyHeader(this.#held);
    if (header === "more") return;
    if (header === "none") {
      this.#refuse();
      return;
    }
    this.#address = header.address ?? this.#balancer;
    this.#held = this.#held.subarray(header.length);
  }

  /** Hands the connection over; through TLS once the client has said which host it wants. */
  #open(address: string): void {
    const { certificates } = this.#owner;
    const name = certificates && serverNameIn(this.#held);
    if (certificates !== undefined && name === undefined) return;
    clearTimeout(this.#timer);
    if (certificates === undefined || name === undefined) {
      this.#connection = this.#owner.accept(this.#socket, address);
      if (this.#held.length > 0) this.#connection?.received(this.#held);
    } else {
      this.#tls = new TlsOverSocket(this.#socket, certificates, name, {
        onData: (clear) => this.#connection?.received(clear),
        onDrain: () => this.#connection?.drained(),
        onEnd: () => this.#connection?.ended(),
      });
      this.#connection = this.#owner.accept(this.#tls, address);
      this.#tls.received(this.#held);
    }
    this.#held = Buffer.alloc(0);
  }

  #refuse(): void {
    this.#owner.onNoHeader(this.#balancer);
    this.#socket.terminate();
  }
}
