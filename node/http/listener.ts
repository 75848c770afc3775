/**
 * The listening socket, all its connections, the one timer that counts their times, and which connection ends when
 * there are too many.
 *
 * It uses the runtime's raw sockets with our own HTTP on top: its built-in server normalises URLs, joins two Host
 * fields and loses Content-Length, which a gate that must pass requests on unchanged cannot afford.
 */

import { chmodSync, rmSync } from "node:fs";
import { AnswerWriter } from "./answer.ts";
import { type Cidr, isIn, UNIX_PEER } from "./client.ts";
import { ClientConnection, type ClientSocket } from "./connection.ts";
import type { ConnectionState, HttpHandlers, HttpOwner, OwnedConnection } from "./connection-owner.ts";
import type { Refusal } from "./fields.ts";
import { H2_FIRST, H2Client } from "./h2-client.ts";
import { DEFAULT_HTTP_LIMITS, type HttpLimits, PROCESS_CLOCK, type SteadyClock } from "./limits.ts";
import type { Exchange, ExchangeEnd } from "./message.ts";
import { ProxiedClient, type ProxiedOwner } from "./proxied-client.ts";
import { listenTls, ServerCertificates, type ServerTls } from "./server-certificates.ts";
import { isTlsFailure, type OriginTls, TCP_KEEP_ALIVE_MS, Upstream } from "./upstream.ts";
import type { Closing } from "./websocket-frames.ts";

export interface ListenOptions extends HttpHandlers {
  readonly hostname: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Path of a socket file to listen on instead of `hostname` and `port`; made with mode 0660. */
  readonly unix?: string | undefined;
  /** Certificates when clients are to speak TLS to us. */
  readonly tls?: ServerTls | undefined;
  /** Whether clients are offered HTTP/1.1 only, also by TLS. */
  readonly http1Only?: boolean;
  /** Who must begin each connection with a PROXY header: all others are refused. Undefined when nobody does. */
  readonly balancers?: readonly Cidr[] | undefined;
  readonly originTls?: OriginTls;
  readonly limits?: Partial<HttpLimits>;
  /** Counts how long peers keep us waiting; that of the process if there is none. */
  readonly clock?: SteadyClock;
  /** Whether other processes may listen on the same port: the system spreads connections over all that do. */
  readonly reusePort?: boolean;
}

export interface HttpListener {
  readonly port: number;
  /** Open client connections. */
  readonly connections: number;
  /** Uses other certificates for connections from now on. Throws, and changes nothing, if they cannot be used. */
  replaceTls(tls: ServerTls | undefined, originTls: OriginTls | undefined): void;
  /** Closes everything at once. */
  stop(): void;
  /** Accepts no new connections, lets running exchanges end, and closes the rest after `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>;
}

/** Opens the gate's listening socket. Throws when the address cannot be used. */
export function listen(options: ListenOptions): HttpListener {
  const { balancers, tls, unix } = options;
  const listener = new Listener(options);
  const shared = {
    allowHalfOpen: true,
    // Behind a balancer, TLS begins after its header.
    ...(tls !== undefined &&
      balancers === undefined && {
        tls: { ...listenTls(tls), ...(options.http1Only !== true && { ALPNProtocols: H2_FIRST }) },
      }),
    socket: handlersOf(listener, balancers, unix !== undefined),
  };
  const server =
    unix === undefined
      ? Bun.listen<Client>({
          ...shared,
          ...(options.reusePort === true && { reusePort: true }),
          hostname: options.hostname,
          port: options.port,
        })
      : Bun.listen<Client>({ ...shared, unix });
  if (tls !== undefined) {
    listener.certificates = new ServerCertificates(balancers === undefined ? server : undefined, tls);
  }
  if (unix !== undefined) chmodSync(unix, UNIX_MODE);
  listener.start(() => {
    server.stop();
    if (unix !== undefined) rmSync(unix, { force: true });
  });
  return {
    port: "port" in server ? server.port : 0,
    get connections() {
      return listener.connections.size;
    },
    replaceTls: (forClients, forOrigins) => {
      if (forClients !== undefined) listener.certificates?.replace(forClients);
      listener.upstream.tls = forOrigins ?? {};
    },
    stop: () => listener.stop(),
    drain: (deadlineMs) => listener.drain(deadlineMs),
  };
}

/** The proxy in front runs as another user of the same group. */
const UNIX_MODE = 0o660;

/** The user of one socket; undefined for a socket that was refused. */
type Client = ClientConnection | H2Client | ProxiedClient | undefined;

function handlersOf(
  listener: Listener,
  balancers: readonly Cidr[] | undefined,
  isUnix: boolean,
): Bun.SocketHandler<Client> {
  return {
    open(socket) {
      const peer = isUnix ? UNIX_PEER : addressOf(socket);
      const client = socket as unknown as ClientSocket;
      if (balancers === undefined) socket.data = listener.accept(client, peer);
      else if (isUnix || isIn(peer, balancers)) socket.data = listener.acceptBalancer(client, peer);
      else {
        listener.onNoHeader(peer);
        socket.terminate();
      }
    },
    // Without it a TLS connection would be invisible to us, and to our limits, until its handshake is done.
    handshake(socket) {
      const { alpnProtocol } = socket as unknown as { readonly alpnProtocol?: string };
      if (alpnProtocol === "h2" && socket.data instanceof ClientConnection) {
        socket.data = listener.acceptH2(socket as unknown as ClientSocket, socket.data);
      }
    },
    data(socket, bytes) {
      socket.data?.received(bytes);
    },
    drain(socket) {
      socket.data?.drained();
    },
    end(socket) {
      socket.data?.ended();
    },
    close(socket) {
      if (socket.data !== undefined) listener.gone(socket.data);
    },
    error(socket, error) {
      if (!isTlsFailure(error)) listener.onError(error);
      socket.terminate();
    },
  };
}

/** The address of a TCP socket's other end, IPv4 in dotted form; empty if it has gone already. */
function addressOf(socket: Bun.Socket<Client>): string {
  const { remoteAddress = "" } = socket;
  socket.setNoDelay(true);
  socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
  return remoteAddress.replace(/^::ffff:(?=[0-9.]+$)/i, "");
}

/** RFC 6455 §7.4.1. */
const GOING_AWAY: Closing = { code: 1001, reason: "going away" };

class Listener implements HttpOwner, ProxiedOwner {
  readonly limits: HttpLimits;
  readonly upstream: Upstream;
  readonly answers = new AnswerWriter();
  readonly secure: boolean;
  /** With those that have not sent their PROXY header. */
  readonly connections = new Set<ClientConnection | H2Client | ProxiedClient>();
  certificates: ServerCertificates | undefined;
  draining = false;
  readonly #evictable = new Evictable();
  readonly #handlers: HttpHandlers;
  readonly #clock: SteadyClock;
  #sweptMs: number;
  #stopSweeping: () => void = () => undefined;
  #stopAccepting: () => void = () => undefined;
  #emptied: () => void = () => undefined;

  constructor(options: ListenOptions) {
    this.limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
    const { originTls = {}, onError, clock = PROCESS_CLOCK } = options;
    this.#clock = clock;
    this.#sweptMs = clock.now();
    this.upstream = new Upstream({ limits: this.limits, tls: originTls, onError, clock });
    this.secure = options.tls !== undefined;
    this.#handlers = options;
  }

  start(stopAccepting: () => void): void {
    this.#stopAccepting = stopAccepting;
    this.#stopSweeping = this.#clock.every(this.limits.sweepMs, () => this.#sweep());
  }

  onExchange(exchange: Exchange): void {
    this.#handlers.onExchange(exchange);
  }

  onEnd(exchange: Exchange, end: ExchangeEnd): void {
    this.#reported(() => this.#handlers.onEnd?.(exchange, end));
  }

  onRefusal(refusal: Refusal, remoteAddress: string): void {
    this.#reported(() => this.#handlers.onRefusal?.(refusal, remoteAddress));
  }

  /** If that fails the report is lost, the visitor's answer is not. */
  #reported(report: () => void): void {
    try {
      report();
    } catch (error) {
      this.onError(error);
    }
  }

  onNoHeader(balancer: string): void {
    this.onRefusal(
      { status: 400, reason: "the connection does not begin with a PROXY header of a trusted proxy" },
      balancer,
    );
  }

  onError(error: unknown): void {
    this.#handlers.onError(error);
  }

  changed(connection: OwnedConnection, state: ConnectionState): void {
    this.#evictable.set(connection, state);
    if (state === "waiting" && this.draining && connection.idle) connection.end(true);
  }

  accept(socket: ClientSocket, remoteAddress: string): ClientConnection | undefined {
    return this.#hasRoom(socket)
      ? this.#added(new ClientConnection(socket, { owner: this, remoteAddress }))
      : undefined;
  }

  /** A balancer has connected, for a client of which nothing is known. */
  acceptBalancer(socket: ClientSocket, balancer: string): ProxiedClient | undefined {
    return this.#hasRoom(socket) ? this.#added(new ProxiedClient(socket, this, balancer)) : undefined;
  }

  acceptProxied(socket: ClientSocket, client: ProxiedClient, remoteAddress: string): ClientConnection {
    this.#remove(client);
    return this.#added(new ClientConnection(socket, { owner: this, remoteAddress }));
  }

  /** The client of `connection` speaks HTTP/2. */
  acceptH2(socket: ClientSocket, connection: ClientConnection): H2Client {
    this.#remove(connection);
    return this.#added(new H2Client(socket, this, connection.remoteAddress));
  }

  gone(connection: ClientConnection | H2Client | ProxiedClient): void {
    connection.closed();
    this.#remove(connection);
    if (this.connections.size === 0) this.#emptied();
  }

  stop(): void {
    this.#stopAccepting();
    this.#stopSweeping();
    for (const connection of this.connections) connection.end(false);
    this.upstream.close();
  }

  async drain(deadlineMs: number): Promise<void> {
    this.draining = true;
    this.#stopAccepting();
    for (const connection of this.#evictable.waiting) if (connection.idle) connection.end(true);
    // A WebSocket is never finished. Its client goes on at another node, by the same session.
    for (const connection of this.connections)
      if (connection instanceof ClientConnection) connection.closeTunnel(GOING_AWAY);
    if (this.connections.size > 0) {
      const emptied = new Promise<void>((resolve) => {
        this.#emptied = resolve;
      });
      const stopWaiting = this.#clock.every(deadlineMs, this.#emptied);
      await emptied;
      stopWaiting();
    }
    this.stop();
  }

  /** Whether there is room for one more connection, if need be in place of another. */
  #hasRoom(socket: ClientSocket): boolean {
    if (this.connections.size < this.limits.connectionsMax) return true;
    const first = this.#evictable.first();
    if (first === undefined) {
      socket.terminate();
      return false;
    }
    this.#evictable.delete(first);
    first.end(false);
    return true;
  }

  #added<C extends ClientConnection | H2Client | ProxiedClient>(connection: C): C {
    this.connections.add(connection);
    this.#evictable.set(connection, "new");
    return connection;
  }

  #remove(connection: ClientConnection | H2Client | ProxiedClient): void {
    this.connections.delete(connection);
    this.#evictable.delete(connection);
  }

  #sweep(): void {
    const nowMs = this.#clock.now();
    // Time in which we did not check the sockets is not counted against the clients.
    const tickMs = Math.min(nowMs - this.#sweptMs, 2 * this.limits.sweepMs);
    this.#sweptMs = nowMs;
    for (const connection of this.connections) connection.sweep(tickMs);
    this.upstream.sweep();
  }
}

/**
 * Which connection is ended to make room when there are as many as allowed.
 *
 * First those that have their answer and still owe something (the rest of a body, a close), then those that wait for a
 * request or send one. Then come those whose client has stalled in the middle of an exchange, and last those that have
 * only just come. Within each group the one that has been there longest goes first. Working connections are never ended
 * for others. So a client that holds connections without using them locks out no other client.
 */
class Evictable {
  readonly #sets = {
    answered: new Set<OwnedConnection>(),
    waiting: new Set<OwnedConnection>(),
    stalled: new Set<OwnedConnection>(),
    new: new Set<OwnedConnection>(),
  };

  /** All that wait for a request. */
  get waiting(): readonly OwnedConnection[] {
    return [...this.#sets.waiting, ...this.#sets.new];
  }

  /** Records the state of `connection` from now on. */
  set(connection: OwnedConnection, state: ConnectionState): void {
    if (state !== "working" && this.#sets[state].has(connection)) return;
    this.delete(connection);
    if (state !== "working") this.#sets[state].add(connection);
  }

  delete(connection: OwnedConnection): void {
    for (const set of Object.values(this.#sets)) set.delete(connection);
  }

  /** The connection to end; undefined when all are working. */
  first(): OwnedConnection | undefined {
    const { answered, waiting, stalled, new: fresh } = this.#sets;
    for (const set of [answered, waiting, stalled, fresh]) {
      const [first] = set;
      if (first !== undefined) return first;
    }
    return undefined;
  }
}
