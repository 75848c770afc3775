/**
 * How many connections a run may have: each is a file of this process, and one of the site's.
 *
 * Visitors keep a connection between two requests, as browsers do. At the limit the one that has been idle for longest
 * is closed for a new one; without an idle one a request cannot be sent, which the run reports.
 */

/** What the connections of visitors have in common. */
export interface Closable {
  /** Ends an idle connection. */
  close(): void;
}

export class Connections {
  readonly max: number;
  open = 0;
  /** Most at once. */
  peak = 0;
  /** Requests that could not be sent. */
  refused = 0;
  /** The longest idle first. */
  readonly #idle = new Set<Closable>();

  constructor(max: number) {
    this.max = max;
  }

  /** Takes a place for a new connection; false without one. */
  take(): boolean {
    const [longest] = this.#idle;
    if (this.open >= this.max) longest?.close();
    if (this.open >= this.max) {
      this.refused += 1;
      return false;
    }
    this.open += 1;
    this.peak = Math.max(this.peak, this.open);
    return true;
  }

  /** A connection has no request in flight, or has one. */
  rest(connection: Closable, isIdle: boolean): void {
    if (isIdle) this.#idle.add(connection);
    else this.#idle.delete(connection);
  }

  gone(connection: Closable): void {
    this.#idle.delete(connection);
    this.open -= 1;
  }
}
