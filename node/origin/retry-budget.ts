/**
 * How many requests may be sent a second time: a tenth of those of the last ten seconds, so that retries never turn an
 * outage into a storm.
 *
 * Where everything fails, each layer that tries again multiplies the load on what is down; with a budget it gets a
 * tenth more. One retry a second is always allowed: a room with three visitors has no tenth to spare, and one request
 * does no harm.
 */

import { WindowCount } from "./window-count.ts";

/**
 * Part of the requests: the usual budget of retries (SRE book, chapter 21). Doubled, a failing origin gets a fifth
 * more.
 */
const PART = 0.1;

/** Long enough to bridge a pause between two pages, short enough that yesterday's traffic pays for nothing. */
const WINDOW_MS = 10_000;

const FLOOR_PER_SECOND = 1;
const SECOND_MS = 1_000;

export class RetryBudget {
  readonly #requests = new WindowCount(WINDOW_MS);
  readonly #retries = new WindowCount(WINDOW_MS);
  #second = 0;
  #inSecond = 0;

  /** A visitor's request goes to the origin for the first time. */
  asked(nowMs: number): void {
    this.#requests.add(nowMs);
  }

  /** Whether one may be sent again now; it counts as sent. */
  take(nowMs: number): boolean {
    const second = Math.floor(nowMs / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#inSecond = 0;
    }
    const isInPart = this.#retries.sum(nowMs) < PART * this.#requests.sum(nowMs);
    if (!isInPart && this.#inSecond >= FLOOR_PER_SECOND) return false;
    this.#inSecond += 1;
    this.#retries.add(nowMs);
    return true;
  }
}
