/**
 * How long a slot was free while a visitor waited for it and none was admitted, and how well slots were used meanwhile:
 * those within reach, and those of the whole room.
 *
 * It is sampled a few times a second. An admission ends such a time, and so does a sample without waiting visitors or
 * free slots.
 */

export interface IdleLook {
  readonly nowMs: number;
  readonly waiting: number;
  /** Slots that are free where visitors can reach them: of both resources. */
  readonly free: number;
  readonly inside: number;
  /** As many as may have a session, and how many more may be admitted during this minute, by the limits alone. */
  readonly limit: number;
  readonly mayCome: number;
  /** Visitors admitted so far. */
  readonly admitted: number;
}

export class IdleTime {
  #sinceMs: number | undefined;
  #admitted = 0;
  #longestMs = 0;
  #longestAtMs = 0;
  #used = 0;
  #usable = 0;
  #ofWhole = 0;

  look({ nowMs, waiting, free, inside, limit, mayCome, admitted }: IdleLook): void {
    if (waiting > 0) {
      this.#used += inside;
      this.#usable += inside + Math.max(0, Math.min(free, waiting));
      this.#ofWhole += Math.max(inside, Math.min(limit, inside + Math.min(waiting, mayCome)));
    }
    const isIdle = waiting > 0 && free >= 1;
    if (!isIdle || admitted > this.#admitted) this.#sinceMs = isIdle ? nowMs : undefined;
    this.#admitted = admitted;
    if (!isIdle) return;
    this.#sinceMs ??= nowMs;
    if (nowMs - this.#sinceMs <= this.#longestMs) return;
    this.#longestMs = nowMs - this.#sinceMs;
    this.#longestAtMs = this.#sinceMs;
  }

  /** Part of the slots within reach that were in use while visitors waited, on average; 1 if nobody ever did. */
  get use(): number {
    return this.#usable === 0 ? 1 : this.#used / this.#usable;
  }

  /**
   * The same for all slots that the limits allow and for which there were visitors: a mesh that admits nobody uses none
   * of them.
   */
  get useOfWhole(): number {
    return this.#ofWhole === 0 ? 1 : this.#used / this.#ofWhole;
  }

  /** The longest such time, and when it began. */
  get longest(): { readonly ms: number; readonly atMs: number } {
    return { ms: this.#longestMs, atMs: this.#longestAtMs };
  }
}
