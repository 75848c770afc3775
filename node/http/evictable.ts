/**
 * Which connection is ended to make room when there are as many as allowed.
 *
 * First those that have their answer and still owe something (the rest of a body, a close), then those that wait for a
 * request or send one. Then come those whose client has stalled in the middle of an exchange, and last those that have
 * only just come. Within each group the one that has been there longest goes first. Working connections are never ended
 * for others. So a client that holds connections without using them locks out no other client.
 */

import type { ConnectionState, OwnedConnection } from "./connection-owner.ts";

export class Evictable {
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
