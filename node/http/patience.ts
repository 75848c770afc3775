/**
 * How long one client may keep us waiting: for a head, for the next request, for a body, for its close.
 *
 * It counts ticks of the sweep while we wait for the client; so a client that we hold back, or whose bytes were not
 * read because this process was busy, is not charged. Slow bodies are judged by their rate, not by their pauses: an
 * attacker that drips a byte now and then gains nothing.
 */

import type { HttpLimits } from "./limits.ts";

export type Awaited = "head" | "body" | "goodbye";

type Times = Pick<HttpLimits, "headMs" | "idleMs" | "bodyMs" | "bodyBytesPerSecond" | "lingerMs">;

export class Patience {
  #waitedMs = 0;
  #headBegun = true;
  readonly #times: Times;

  constructor(times: Times) {
    this.#times = times;
  }

  /** Waiting for something new begins. */
  restart(): void {
    this.#waitedMs = 0;
  }

  /** A client that was answered may take its time to send the next request. */
  betweenRequests(): void {
    this.#headBegun = false;
  }

  /** The first bytes of a head have come. */
  headBegins(): void {
    if (!this.#headBegun) this.#waitedMs = 0;
    this.#headBegun = true;
  }

  /** Whether a body is `lagMs` behind a rate: the required one, if none is given. */
  lags(lagMs: number, bodyBytes: number, bytesPerSecond = this.#times.bodyBytesPerSecond): boolean {
    return this.#waitedMs > lagMs + (bodyBytes * 1_000) / bytesPerSecond;
  }

  /** Counts a tick of waiting; true when the client's time is up. `bodyBytes` are those received so far. */
  runsOut(tickMs: number, awaited: Awaited, bodyBytes: number): boolean {
    this.#waitedMs += tickMs;
    const { headMs, idleMs, bodyMs, lingerMs } = this.#times;
    switch (awaited) {
      case "head":
        return this.#waitedMs > (this.#headBegun ? headMs : idleMs);
      case "body":
        return this.lags(bodyMs, bodyBytes);
      default:
        return this.#waitedMs > lingerMs;
    }
  }
}
