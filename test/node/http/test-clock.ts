/** A clock that only its test moves: what a gate does after a while, it does when the test says so. */

import type { SteadyClock } from "../../../node/http/limits.ts";

interface Timer {
  readonly everyMs: number;
  readonly act: () => void;
  nextMs: number;
}

export class TestClock implements SteadyClock {
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#nowMs;
  }

  every(everyMs: number, act: () => void): () => void {
    const timer: Timer = { everyMs, act, nextMs: this.#nowMs + everyMs };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets `ms` pass; whatever is due meanwhile happens at its time. */
  pass(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (let next = this.#next(); next !== undefined && next.nextMs <= endMs; next = this.#next()) {
      this.#nowMs = next.nextMs;
      next.nextMs += next.everyMs;
      next.act();
    }
    this.#nowMs = endMs;
  }

  /** Lets `ms` pass in which the process stands still: what was due meanwhile happens once, at their end. */
  standStill(ms: number): void {
    this.#nowMs += ms;
    for (const timer of this.#timers) {
      if (timer.nextMs > this.#nowMs) continue;
      timer.nextMs = this.#nowMs + timer.everyMs;
      timer.act();
    }
  }

  /** The timer that is due first. */
  #next(): Timer | undefined {
    return [...this.#timers].sort((one, other) => one.nextMs - other.nextMs)[0];
  }
}
