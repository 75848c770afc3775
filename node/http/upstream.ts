/**
 * The connections to origins of one listener, and the pool of those that are idle.
 *
 * A connection that has served a request well is kept for the next one to the same origin, the latest used first, and
 * for less time than origins themselves keep it. How many are in use at once is not limited here: a slow origin has as
 * many requests in flight as visitors inside ask for.
 */

import { LEADS_HERE, leadsHere } from "../outside.ts";
import type { HttpLimits, SteadyClock } from "./limits.ts";
import type { ForwardFailure, OriginTarget } from "./message.ts";
import { Outlet, type WritableSocket } from "./outlet.ts";

type PoolLimits = Pick<HttpLimits, "originIdleMs" | "originIdleMax" | "backlogBytesMax">;

interface UpstreamOptions {
  readonly limits: PoolLimits;
  readonly tls: OriginTls;
  readonly onError: (error: unknown) => void;
  readonly clock: SteadyClock;
}

export class Upstream {
  /** Idle connections by origin, the latest released last. */
  readonly #idle = new Map<string, OriginConnection[]>();
  readonly #limits: PoolLimits;
  /** For connections that are made from now on. */
  tls: OriginTls;
  readonly #onError: (error: unknown) => void;
  readonly #clock: SteadyClock;

  constructor({ limits, tls, onError, clock }: UpstreamOptions) {
    this.#limits = limits;
    this.tls = tls;
    this.#onError = onError;
    this.#clock = clock;
  }

  /** An idle connection that was in use less than `idleMsMax` ago, now `user`'s; undefined when there is none. */
  take(target: OriginTarget, user: OriginUser, idleMsMax: number): OriginConnection | undefined {
    const connections = this.#idle.get(keyOf(target));
    if (connections === undefined) return undefined;
    const nowMs = this.#clock.now();
    for (let connection = connections.pop(); connection !== undefined; connection = connections.pop()) {
      if (connection.ended) continue;
      if (nowMs - connection.idleSinceMs < Math.min(idleMsMax, connection.idleMsMax)) {
        connection.user = user;
        connection.reused = true;
        return connection;
      }
      // The latest released comes first: when it has been idle for too long, so have all others.
      connections.push(connection);
      return undefined;
    }
    return undefined;
  }

  /** A new connection for `user`, who hears `onOpen` or `onRefused`. */
  dial(target: OriginTarget, user: OriginUser): OriginConnection {
    const { backlogBytesMax } = this.#limits;
    return new OriginConnection(target, user, { tls: this.tls, backlogBytesMax, onError: this.#onError });
  }

  /**
   * Takes back a connection whose last answer is complete. `keepAliveMs` is what the origin said of its own patience.
   */
  release(connection: OriginConnection, keepAliveMs: number | undefined): void {
    const key = keyOf(connection.target);
    const connections = this.#idle.get(key) ?? [];
    const idleMsMax = Math.min(this.#limits.originIdleMs, (keepAliveMs ?? Number.POSITIVE_INFINITY) - 1_000);
    connection.user = undefined;
    connection.hold(false);
    if (idleMsMax <= 0 || connections.length >= this.#limits.originIdleMax) {
      connection.close();
      return;
    }
    connection.idleSinceMs = this.#clock.now();
    connection.idleMsMax = idleMsMax;
    connections.push(connection);
    this.#idle.set(key, connections);
  }

  /** Closes what has been idle for too long. */
  sweep(): void {
    const nowMs = this.#clock.now();
    for (const [key, connections] of this.#idle) {
      const kept: OriginConnection[] = [];
      for (const connection of connections) {
        if (connection.ended) continue;
        if (nowMs - connection.idleSinceMs < connection.idleMsMax) kept.push(connection);
        else connection.close();
      }
      if (kept.length === 0) this.#idle.delete(key);
      else this.#idle.set(key, kept);
    }
  }

  /** Closes all idle connections. */
  close(): void {
    for (const connections of this.#idle.values()) for (const connection of connections) connection.close();
    this.#idle.clear();
  }
}

function keyOf(target: OriginTarget): string {
  const way = target.isOutside === true ? "outside " : "";
  if (target.unix !== undefined) return way + target.unix;
  const origin = `${way}${target.tls ? "https" : "http"}://${target.hostname}:${target.port}`;
  return target.askedAs === undefined || !target.tls ? origin : `${origin} as ${target.askedAs}`;
}

/** The callbacks of a connection's user. */
export interface OriginUser {
  /** It cannot be opened; nothing else follows. */
  onRefused(failure: ForwardFailure): void;
  onOpen(): void;
  onData(bytes: Buffer): void;
  /** The socket accepts bytes again. */
  onDrain(): void;
  /** The origin will send nothing more (`clean`), or the connection broke. Nothing else follows. */
  onGone(clean: boolean): void;
}

/** TLS settings for origins; certificates are verified unless `rejectUnauthorized` is false. */
export interface OriginTls {
  readonly ca?: string | undefined;
  /** Certificate chain and key (PEM) that the gate shows to origins which ask for one. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly rejectUnauthorized?: boolean;
}

interface OriginOptions {
  readonly tls: OriginTls;
  readonly backlogBytesMax: number;
  /** Receives our own errors. */
  readonly onError: (error: unknown) => void;
}

/** Whether the runtime reports a peer's broken TLS, not an error of our own code. */
export function isTlsFailure(error: Error): boolean {
  return "code" in error && error.code === "EPROTO";
}

/** After this long without traffic TCP asks whether the peer is still there; event streams may be silent for hours. */
export const TCP_KEEP_ALIVE_MS = 60_000;

type OriginSocket = Bun.Socket<OriginConnection>;

/**
 * One connection to an origin, from dialling to its end, and its present user.
 *
 * Between two uses it has no user: then whatever the origin sends, bytes or a close, ends it, so that no answer can be
 * taken for that of a later request. The runtime checks certificates, host name included, before `onOpen`.
 */
export class OriginConnection {
  readonly outlet: Outlet;
  readonly target: OriginTarget;
  user: OriginUser | undefined;
  /** Whether it served a request before. */
  reused = false;
  /** When it was last released (ms, monotonic), and how long it may stay idle from then. */
  idleSinceMs = 0;
  idleMsMax = 0;
  #socket: OriginSocket | undefined;
  #open = false;
  #ended = false;
  #paused = false;
  readonly #verified: boolean;

  readonly #onError: (error: unknown) => void;

  constructor(target: OriginTarget, user: OriginUser, options: OriginOptions) {
    this.target = target;
    this.user = user;
    this.#onError = options.onError;
    this.#verified = options.tls.rejectUnauthorized !== false;
    this.outlet = new Outlet(undefined, options.backlogBytesMax);
    const shared = { data: this, allowHalfOpen: true, socket: target.tls ? TLS_HANDLERS : PLAIN_HANDLERS };
    const dialled =
      target.unix === undefined
        ? Bun.connect<OriginConnection>({
            ...shared,
            hostname: target.hostname,
            port: target.port,
            // Never an empty object: the runtime treats it as no TLS at all.
            ...(target.tls && {
              tls: {
                ...options.tls,
                rejectUnauthorized: this.#verified,
                ...(target.askedAs !== undefined && { serverName: target.askedAs }),
              },
            }),
          })
        : Bun.connect<OriginConnection>({ ...shared, unix: target.unix });
    dialled.catch((error: Error) => this.refused(error));
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Pauses or resumes reading from the origin. */
  hold(paused: boolean): void {
    if (paused === this.#paused || this.#ended || this.#socket === undefined) return;
    this.#paused = paused;
    if (paused) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Ends the connection at once, without further callbacks to its user. */
  abort(): void {
    this.#ended = true;
    this.user = undefined;
    this.outlet.close();
    this.#socket?.terminate();
  }

  /** Ends an idle connection in good order. */
  close(): void {
    // A TLS close would wait for the origin's, which may never come.
    this.#ended = true;
    if (!this.target.tls) this.#socket?.end();
    this.abort();
  }

  connected(socket: OriginSocket): void {
    this.#socket = socket;
    // A host that asks one of its own addresses does so from that address; a unix socket has none.
    const { remoteAddress = "", localAddress = "" } = socket;
    if (this.#ended) socket.terminate();
    else if (this.target.isOutside === true && leadsHere(remoteAddress, [localAddress]))
      this.refused(new Error(`it ${LEADS_HERE.problem}`));
  }

  ready(socket: OriginSocket): void {
    if (this.#ended || this.#open) return;
    this.#open = true;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    this.outlet.open(socket as unknown as WritableSocket);
    this.user?.onOpen();
  }

  handshakeDone(socket: OriginSocket, error: Error | null): void {
    if (error !== null && this.#verified) this.refused(error);
    else this.ready(socket);
  }

  received(bytes: Buffer): void {
    if (this.user !== undefined) this.user.onData(bytes);
    else this.close();
  }

  drained(): void {
    if (!this.#open) return;
    this.outlet.drain();
    this.user?.onDrain();
  }

  refused(error: Error): void {
    if (this.#ended || this.#open) return;
    const user = this.user;
    this.abort();
    user?.onRefused({ kind: "unreachable", detail: error.message });
  }

  failed(error: Error): void {
    if (!isTlsFailure(error)) this.#onError(error);
    this.gone(false);
  }

  gone(clean: boolean): void {
    if (this.#ended) return;
    if (!this.#open) this.refused(new Error("the connection was closed before it could be used"));
    else if (this.user === undefined) this.close();
    else {
      const user = this.user;
      if (clean) this.close();
      else this.abort();
      user.onGone(clean);
    }
  }
}

const PLAIN_HANDLERS: Bun.SocketHandler<OriginConnection> = {
  open(socket) {
    socket.data.connected(socket);
    socket.data.ready(socket);
  },
  data(socket, bytes) {
    socket.data.received(bytes);
  },
  drain(socket) {
    socket.data.drained();
  },
  end(socket) {
    socket.data.gone(true);
  },
  close(socket) {
    socket.data.gone(false);
  },
  error(socket, error) {
    socket.data.failed(error);
  },
  connectError(socket, error) {
    socket.data.refused(error);
  },
};

const TLS_HANDLERS: Bun.SocketHandler<OriginConnection> = {
  ...PLAIN_HANDLERS,
  open(socket) {
    socket.data.connected(socket);
  },
  handshake(socket, authorized, error) {
    socket.data.handshakeDone(socket, authorized ? null : (error ?? new Error("the TLS handshake failed")));
  },
};
