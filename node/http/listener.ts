/**
 * The listening socket, all its connections, and the one timer that counts their times.
 *
 * It uses the runtime's raw sockets with our own HTTP on top: its built-in server normalises URLs, joins two Host
 * fields and loses Content-Length, which a gate that must pass requests on unchanged cannot afford.
 */

import { AnswerWriter } from "./answer.ts";
import { ClientConnection, type ClientSocket } from "./connection.ts";
import { Evictable } from "./evictable.ts";
import type { Refusal } from "./fields.ts";
import type { ConnectionOwner, ConnectionState, HttpHandlers, OwnedConnection } from "./host.ts";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./limits.ts";
import type { Exchange, ExchangeEnd } from "./message.ts";
import { isTlsFailure, type OriginTls, TCP_KEEP_ALIVE_MS } from "./origin-connection.ts";
import { Upstream } from "./upstream.ts";

export interface ListenOptions extends HttpHandlers {
  readonly hostname: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Certificate chain and key in PEM when clients are to speak TLS to us. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly originTls?: OriginTls;
  readonly limits?: Partial<HttpLimits>;
  /** Whether other processes may listen on the same port: the system spreads connections over all that do. */
  readonly reusePort?: boolean;
}

export interface HttpListener {
  readonly port: number;
  /** Open client connections. */
  readonly connections: number;
  /** Closes everything at once. */
  stop(): void;
  /** Accepts no new connections, lets running exchanges end, and closes the rest after `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>;
}

/** Opens the gate's listening socket. Throws when the address cannot be used. */
export function listen(options: ListenOptions): HttpListener {
  const listener = new Listener(options);
  const sharing = options.reusePort === true ? { reusePort: true } : {};
  const server = Bun.listen<ClientConnection | undefined>({
    ...sharing,
    hostname: options.hostname,
    port: options.port,
    allowHalfOpen: true,
    ...(options.tls === undefined ? {} : { tls: { cert: options.tls.cert, key: options.tls.key } }),
    socket: {
      open(socket) {
        socket.setNoDelay(true);
        socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
        socket.data = listener.accept(socket as unknown as ClientSocket, socket.remoteAddress);
      },
      // Without it a TLS connection would be invisible to us, and to our limits, until its handshake is done.
      handshake() {},
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
        if (!isTlsFailure(error)) options.onError(error);
        socket.terminate();
      },
    },
  });
  listener.start(() => server.stop());
  return {
    port: server.port,
    get connections() {
      return listener.connections.size;
    },
    stop: () => listener.stop(),
    drain: (deadlineMs) => listener.drain(deadlineMs),
  };
}

class Listener implements ConnectionOwner {
  readonly limits: HttpLimits;
  readonly upstream: Upstream;
  readonly answers = new AnswerWriter();
  readonly secure: boolean;
  readonly connections = new Set<ClientConnection>();
  draining = false;
  readonly #evictable = new Evictable();
  readonly #handlers: HttpHandlers;
  #timer: ReturnType<typeof setInterval> | undefined;
  #sweptMs = performance.now();
  #stopAccepting: () => void = () => undefined;
  #emptied: () => void = () => undefined;

  constructor(options: ListenOptions) {
    this.limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
    this.upstream = new Upstream(this.limits, options.originTls ?? {}, options.onError);
    this.secure = options.tls !== undefined;
    this.#handlers = options;
  }

  start(stopAccepting: () => void): void {
    this.#stopAccepting = stopAccepting;
    this.#timer = setInterval(() => this.#sweep(), this.limits.sweepMs);
  }

  onExchange(exchange: Exchange): void {
    this.#handlers.onExchange(exchange);
  }

  onEnd(exchange: Exchange, end: ExchangeEnd): void {
    try {
      this.#handlers.onEnd?.(exchange, end);
    } catch (error) {
      // The report is lost, the visitor's answer is not.
      this.onError(error);
    }
  }

  onRefusal(refusal: Refusal, remoteAddress: string): void {
    try {
      this.#handlers.onRefusal?.(refusal, remoteAddress);
    } catch (error) {
      this.onError(error);
    }
  }

  onError(error: unknown): void {
    this.#handlers.onError(error);
  }

  changed(connection: OwnedConnection, state: ConnectionState): void {
    this.#evictable.set(connection, state);
    if (state === "waiting" && this.draining && connection.idle) connection.end(true);
  }

  accept(socket: ClientSocket, remoteAddress: string): ClientConnection | undefined {
    if (this.connections.size >= this.limits.connectionsMax) {
      const first = this.#evictable.first();
      if (first === undefined) {
        socket.terminate();
        return undefined;
      }
      this.#evictable.delete(first);
      first.end(false);
    }
    const connection = new ClientConnection(socket, this, remoteAddress.replace(/^::ffff:(?=[0-9.]+$)/i, ""));
    this.connections.add(connection);
    this.#evictable.set(connection, "new");
    return connection;
  }

  gone(connection: ClientConnection): void {
    connection.closed();
    this.connections.delete(connection);
    this.#evictable.delete(connection);
    if (this.connections.size === 0) this.#emptied();
  }

  stop(): void {
    this.#stopAccepting();
    clearInterval(this.#timer);
    for (const connection of this.connections) connection.end(false);
    this.upstream.close();
  }

  async drain(deadlineMs: number): Promise<void> {
    this.draining = true;
    this.#stopAccepting();
    for (const connection of this.#evictable.waiting) if (connection.idle) connection.end(true);
    if (this.connections.size > 0) {
      const emptied = new Promise<void>((resolve) => {
        this.#emptied = resolve;
      });
      const deadline = setTimeout(this.#emptied, deadlineMs);
      await emptied;
      clearTimeout(deadline);
    }
    this.stop();
  }

  #sweep(): void {
    const nowMs = performance.now();
    // Time in which we did not check the sockets is not counted against the clients.
    const tickMs = Math.min(nowMs - this.#sweptMs, 2 * this.limits.sweepMs);
    this.#sweptMs = nowMs;
    for (const connection of this.connections) connection.sweep(tickMs);
    this.upstream.sweep();
  }
}
