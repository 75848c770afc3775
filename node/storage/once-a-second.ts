/**
 * Keeps an error that every request meets from flooding the log: of repeated errors, one a second is due.
 */

const APART_MS = 1_000;

export class OnceASecond {
  #lastMs = 0;

  /** Whether the last time that this was true is a second ago, or the clock was set back. */
  isDue(nowMs: number): boolean {
    if (Math.abs(nowMs - this.#lastMs) < APART_MS) return false;
    this.#lastMs = nowMs;
    return true;
  }
}
