/**
 * The wall clock as the rooms see it: a step of it is believed only when other members agree with it.
 *
 * A host's clock that jumps an hour ahead would end all stays whose slots it holds, while other gates still let their visitors
 * in; when it is set right, the slots would be given out again. So after a step the time goes on as the steady clock has it, until the members that
 * answer confirm the new one. Steps are summed up since the members last confirmed the time: many small ones count as one. A node without
 * others has nobody to differ from, and believes its clock, unless others that have left did not. One that starts among others waits for one of them (peer.ts), and begins with the
 * members' time where its own is wrong.
 *
 * Time that is slewed never steps: wall and steady clock run faster or slower together. It is only seen beside the clocks of others.
 */

import type { Instant } from "../../mesh/core/instant.ts";

/**
 * Steps up to this in ms, summed up, are believed without asking: time synchronisation at work. With the 4 s that a confirmed clock may be
 * off another one, it stays within the grace of slots. Members that answer confirm at once, so less costs nothing but the comparison.
 */
const STEP_MS = 500;

export class WallGuard {
  /** Unix ms at 0 of the steady clock, by the time that was last confirmed. */
  #zeroMs: number;
  readonly #isConfirmed: (wasDoubted: boolean) => boolean;
  /** Whether the wall clock was not confirmed when it was last asked for. */
  #isDoubted = false;

  /** `isConfirmed`: whether the wall clock as it is now is the members' too, or nobody's but ours. It is told whether the clock has been doubted, and not been right, since. */
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
