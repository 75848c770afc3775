/**
 * How long to wait before a worker that ended by itself is started again.
 *
 * The first time at once, for a crash is mostly one of a kind; then ever longer, so that one that cannot run costs next
 * to nothing. A worker that has run for a while starts from the beginning.
 */

/** A worker is up again before a visitor's browser has given up. */
const FIRST_MS = 100;

/** Longer, and a host that has been repaired stays short of a worker; shorter, and its log fills up. */
const MOST_MS = 10_000;

/** A run as long as this was no failed start. */
const GOOD_RUN_MS = 60_000;

export class RestartPace {
  #waitMs = FIRST_MS;

  /** The wait after a run of `ranMs`. */
  waitMsAfter(ranMs: number): number {
    if (ranMs >= GOOD_RUN_MS) this.#waitMs = FIRST_MS;
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(MOST_MS, 2 * waitMs);
    return waitMs;
  }
}
