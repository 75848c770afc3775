/**
 * The time in which visitors could be heard: without suspensions of the process, and without steps of the clock, which
 * look the same.
 */

/**
 * A line that has not been checked for this long has heard nobody meanwhile: the process was stopped. It is checked
 * twice a second. A tenth of it would mistake a busy moment for a stop; ten times as long, a short stop would clear a
 * line of fast polls.
 */
const DEAF_AFTER_MS = 2_000;

export class HeardTime {
  #lastMs: number | undefined;
  #deafMs = 0;

  /** The time at `nowMs`. */
  at(nowMs: number): number {
    const sinceMs = nowMs - (this.#lastMs ?? nowMs);
    if (sinceMs < 0 || sinceMs > DEAF_AFTER_MS) this.#deafMs += sinceMs;
    this.#lastMs = nowMs;
    return nowMs - this.#deafMs;
  }

  /** The time when it was last asked for; 0 if it never was. */
  get lastMs(): number {
    return (this.#lastMs ?? 0) - this.#deafMs;
  }
}
