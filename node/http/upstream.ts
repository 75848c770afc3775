/**
 * The pool of origin connections of one listener.
 *
 * A connection that has served a request well is kept for the next one to the same origin, the latest used first, and
 * for less time than origins themselves keep it. How many are in use at once is not limited here: a slow origin has as
 * many requests in flight as visitors inside ask for.
 */

import type { HttpLimits } from "./limits.ts";
import type { OriginTarget } from "./message.ts";
import { OriginConnection, type OriginTls, type OriginUser } from "./origin-connection.ts";
import type { SteadyClock } from "./steady-clock.ts";

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
  if (target.unix !== undefined) return target.unix;
  const origin = `${target.tls ? "https" : "http"}://${target.hostname}:${target.port}`;
  return target.askedAs === undefined || !target.tls ? origin : `${origin} as ${target.askedAs}`;
}
