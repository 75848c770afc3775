/**
 * A bound on how often something is done in a second, by the gate's clock.
 *
 * Where a stranger's requests use it up, each of them takes from a part of its own first: so one leaves some for others.
 */

/** One in so many: ten strangers use it up. */
const PARTS = 10;

export class PerSecond {
  readonly #most: number;
  #second = 0;
  #count = 0;
  /** What each has taken in this second: no more of them than have taken something. */
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether it may be done once more in this second, for this stranger. */
  take(nowMs: number, by?: string): boolean {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
      this.#taken.clear();
    }
    if (this.#count >= this.#most) return false;
    if (by !== undefined) {
      const own = this.#taken.get(by) ?? 0;
      if (own >= this.#most / PARTS) return false;
      this.#taken.set(by, own + 1);
    }
    this.#count += 1;
    return true;
  }
}
