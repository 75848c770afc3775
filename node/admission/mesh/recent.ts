/**
 * Remembers values for some time, in two generations: when one is full or old enough, it becomes the one before, and what that
 * one held is forgotten. Forgetting the oldest entry of a large map one by one costs more the more were ever removed.
 */

export interface RecentOptions {
  /** A value is remembered for so long at least, and for twice as long at most. */
  readonly forMs: number;
  /** Most values; with more in that time the oldest half is forgotten. */
  readonly max: number;
}

export class Recent<Value> {
  readonly #options: RecentOptions;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(options: RecentOptions) {
    this.#options = options;
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: Value, nowMs: number): void {
    this.turn(nowMs);
    this.#young.set(key, value);
  }

  /** To be called now and then. A clock that was set back makes values live longer. */
  turn(nowMs: number): void {
    const { forMs, max } = this.#options;
    if (this.#young.size < max / 2 && nowMs - this.#sinceMs < forMs) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#sinceMs = nowMs;
  }
}
