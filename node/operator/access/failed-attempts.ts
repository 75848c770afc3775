/**
 * Counts wrong tokens, by the address from which they came and in all, and says when there are too many in a minute.
 *
 * It never decides about a right token, which is always accepted, whatever others try from the same address. It only
 * limits answers and log lines for a guesser; the length of a token keeps guessers out.
 */

/** A person who mistypes needs a few. Doubled, a guesser gets twice as many answers before 429. */
const BY_ADDRESS_MAX = 10;

/** From all addresses: a hundred people who mistype at once. */
const TOTAL_MAX = 300;

/** Addresses that are counted apart in one minute; those beyond count in all. */
const ADDRESSES_MAX = 1_000;

const MINUTE_MS = 60_000;

/** How long a sender of too many wrong tokens should wait, in s. */
export const WAIT_SECONDS = MINUTE_MS / 1_000;

export class FailedAttempts {
  readonly #clock: () => number;
  readonly #byAddress = new Map<string, number>();
  #total = 0;
  #countedFromMs = Number.NEGATIVE_INFINITY;

  /** `clock`: Unix ms. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Counts one; whether it is one too many. */
  count(from: string): boolean {
    const nowMs = this.#clock();
    // A clock that is set back begins another minute, too.
    if (Math.abs(nowMs - this.#countedFromMs) >= MINUTE_MS) {
      this.#countedFromMs = nowMs;
      this.#total = 0;
      this.#byAddress.clear();
    }
    this.#total += 1;
    const before = this.#byAddress.get(from);
    const count = (before ?? 0) + 1;
    if (before !== undefined || this.#byAddress.size < ADDRESSES_MAX) this.#byAddress.set(from, count);
    return count > BY_ADDRESS_MAX || this.#total > TOTAL_MAX;
  }
}
