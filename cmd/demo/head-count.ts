/**
 * The visitors at an origin that knows nothing about the gate: all that sent a request within the last `sessionMs`. The
 * demo and the load checks judge the gate by this count, so it shares no code with it.
 *
 * A session begins at the gate, before the shop knows: on a busy machine a request is on its way for seconds. So a
 * visitor counts for the session time less the longest such delay so far: all that count are inside for certain.
 *
 * It is a map in order of last request; those at its front leave when their time is over, at constant cost for each
 * request.
 */

/**
 * Most visitors counted at once, about 100 MB. Above that the one silent for longest counts as gone, so the count
 * stops: no limit of the demo comes near.
 */
export const COUNTED_MAX = 1_000_000;

export class HeadCount {
  readonly #sessionMs: number;
  readonly #countedMax: number;
  readonly #lastSeenMs = new Map<string, number>();
  #longestDelayMs = 0;
  #peak = 0;
  #stays = 0;

  constructor(sessionMs: number, countedMax = COUNTED_MAX) {
    this.#sessionMs = sessionMs;
    this.#countedMax = countedMax;
  }

  /** Counts a request of `visitor`, sent `delayMs` ago at most. Time must not go back. */
  seen(visitor: string, nowMs: number, delayMs = 0): void {
    this.#longestDelayMs = Math.max(this.#longestDelayMs, delayMs);
    this.#letGo(nowMs);
    if (!this.#lastSeenMs.delete(visitor)) this.#stays += 1;
    this.#lastSeenMs.set(visitor, nowMs);
    if (this.#lastSeenMs.size > this.#countedMax) this.#forgetOldest();
    this.#peak = Math.max(this.#peak, this.#lastSeenMs.size);
  }

  /** Visitors inside at `nowMs`. */
  inside(nowMs: number): number {
    this.#letGo(nowMs);
    return this.#lastSeenMs.size;
  }

  /** Most visitors inside at once so far. */
  get peakInside(): number {
    return this.#peak;
  }

  /** Stays begun so far; a visitor who comes back after having left counts again. */
  get visitors(): number {
    return this.#stays;
  }

  #letGo(nowMs: number): void {
    for (const [visitor, lastSeenMs] of this.#lastSeenMs) {
      if (nowMs - lastSeenMs < this.#sessionMs - this.#longestDelayMs) return;
      this.#lastSeenMs.delete(visitor);
    }
  }

  #forgetOldest(): void {
    for (const visitor of this.#lastSeenMs.keys()) {
      this.#lastSeenMs.delete(visitor);
      return;
    }
  }
}
