/**
 * The wall clock as the rooms see it: a step is believed only when other members agree with it.
 *
 * A host's clock that jumps an hour ahead would end all sessions whose slots it holds, while other gates still admit
 * their visitors; when the clock is corrected, the slots would be given out again. So after a step the time follows the
 * steady clock, until the members that answer confirm the new time. Steps are summed up since the members last
 * confirmed the time: many small ones count as one. A node without others has none to differ from, and believes its
 * clock, unless others that have left did not. A node that starts among others waits for one of them (node-time.ts),
 * and starts with the members' time if its own is wrong.
 *
 * Time that is slewed never steps: wall and steady clock run faster or slower together. Only the clocks of others
 * reveal it.
 */

import type { Instant } from "../../mesh/core/instant.ts";

/**
 * Steps up to this in ms, summed up, are believed without asking: they come from time synchronisation. Together with
 * the 4 s by which confirmed clocks may differ, this stays within the grace of slots. Members that answer confirm at
 * once, so a lower value costs only the comparison.
 */
const STEP_MS = 500;

export class WallGuard {
  /** Unix ms at 0 of the steady clock, by the time that was last confirmed. */
  #zeroMs: number;
  readonly #isConfirmed: (wasDoubted: boolean) => boolean;
  /** Whether the wall clock was unconfirmed at the last call. */
  #isDoubted = false;

  /**
   * `isConfirmed`: whether the members agree with the present wall clock, or there are no members. Its argument says
   * whether the clock has been doubted, and not been right, since.
   */
  constructor(now: Instant, isConfirmed: (wasDoubted: boolean) => boolean) {
    this.#zeroMs = now.wallMs - now.steadyMs;
    this.#isConfirmed = isConfirmed;
  }

  /** Starts from a time that is known to be right. */
  begin({ wallMs, steadyMs }: Instant): void {
    this.#zeroMs = wallMs - steadyMs;
  }

  /** Unix ms for everything that ends by the minute. */
  look({ wallMs, steadyMs }: Instant): number {
    const stepMs = wallMs - steadyMs - this.#zeroMs;
    const isSmall = Math.abs(stepMs) <= STEP_MS;
    this.#isDoubted = !isSmall && !this.#isConfirmed(this.#isDoubted);
    if (this.#isDoubted) return Math.floor(this.#zeroMs + steadyMs);
    if (isSmall) return wallMs;
    this.#zeroMs = wallMs - steadyMs;
    return wallMs;
  }
}
