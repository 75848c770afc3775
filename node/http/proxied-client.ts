/**
 * A client behind a TCP balancer that speaks the PROXY protocol: waits for the header, then hands the connection over
 * with the client's address, through TLS if the listener speaks it.
 */

import { UNKNOWN_PEER } from "./client.ts";
import { serverNameIn } from "./client-hello.ts";
import type { ClientConnection, ClientSocket } from "./connection.ts";
import type { ConnectionState, OwnedConnection } from "./connection-owner.ts";
import type { HttpLimits } from "./limits.ts";
import { readProxyHeader } from "./proxy-header.ts";
import type { ServerCertificates } from "./server-certificates.ts";
import { TlsOverSocket } from "./tls-over-socket.ts";

/** The listener of a proxied client. */
export interface ProxiedOwner {
  /** The contexts for TLS, if clients are to speak it. */
  readonly certificates: ServerCertificates | undefined;
  /** The header, and the client's first bytes of TLS, have the time of a head. */
  readonly limits: Pick<HttpLimits, "headMs" | "standstillMs">;
  /** Takes `client` on as a connection of its own, now that its address is known. */
  acceptProxied(socket: ClientSocket, client: ProxiedClient, remoteAddress: string): ClientConnection;
  gone(connection: ClientConnection | ProxiedClient): void;
  changed(client: ProxiedClient, state: ConnectionState): void;
  /** A connection does not begin as it must. */
  onNoHeader(balancer: string): void;
}

export class ProxiedClient implements OwnedConnection {
  readonly #socket: ClientSocket;
  readonly #owner: ProxiedOwner;
  readonly #balancer: string;
  /** What has come and is not handed on: the header, or the first bytes of TLS. */
  #held: Buffer = Buffer.alloc(0);
  /** The client's address, once the header is whole. */
  #address: string | undefined;
  #tls: TlsOverSocket | undefined;
  #connection: ClientConnection | undefined;
  #waitedMs = 0;
  /** No request has begun. */
  readonly idle = true;

  constructor(socket: ClientSocket, owner: ProxiedOwner, balancer: string) {
    this.#socket = socket;
    this.#owner = owner;
    this.#balancer = balancer;
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
    this.#tls?.closed();
    if (this.#connection !== undefined) this.#owner.gone(this.#connection);
  }

  /** While it is no connection of its own yet. */
  sweep(tickMs: number): void {
    this.#waitedMs += tickMs;
    const { headMs, standstillMs } = this.#owner.limits;
    if (this.#waitedMs > standstillMs) this.#owner.changed(this, "waiting");
    if (this.#waitedMs > headMs) this.#refuse();
  }

  end(): void {
    this.#socket.terminate();
  }

  #readHeader(): void {
    const header = readProxyHeader(this.#held);
    if (header === "more") return;
    if (header === "none") {
      this.#refuse();
      return;
    }
    this.#address = header.address ?? UNKNOWN_PEER;
    this.#held = this.#held.subarray(header.length);
  }

  /** Hands the connection over; through TLS once the client has said which host it wants. */
  #open(address: string): void {
    const { certificates } = this.#owner;
    const name = certificates && serverNameIn(this.#held);
    if (certificates !== undefined && name === undefined) return;
    if (certificates === undefined || name === undefined) {
      this.#connection = this.#owner.acceptProxied(this.#socket, this, address);
      if (this.#held.length > 0) this.#connection.received(this.#held);
    } else {
      this.#tls = new TlsOverSocket(this.#socket, certificates, name, {
        onData: (clear) => this.#connection?.received(clear),
        onDrain: () => this.#connection?.drained(),
        onEnd: () => this.#connection?.ended(),
      });
      this.#connection = this.#owner.acceptProxied(this.#tls, this, address);
      this.#tls.received(this.#held);
    }
    this.#held = Buffer.alloc(0);
  }

  #refuse(): void {
    this.#owner.onNoHeader(this.#balancer);
    this.#socket.terminate();
  }
}
