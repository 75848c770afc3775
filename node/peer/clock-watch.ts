/**
 * Detects a clock that has been set back: minutes stand still until it has caught up, and the operator gets a warning.
 */

/** Steps back below this are time synchronisation at work. */
const STEP_BACK_MS = 2_000;

export class ClockWatch {
  #highestMs: number;

  /** `lastAliveMs`: the last time known to be past, from an earlier run. */
  constructor(lastAliveMs: number | undefined) {
    this.#highestMs = lastAliveMs ?? 0;
  }

  /** Records the time; returns a warning while the clock is behind what it was. */
  look(nowMs: number): string | undefined {
    this.#highestMs = Math.max(this.#highestMs, nowMs);
    const behindMs = this.#highestMs - nowMs;
    if (behindMs <= STEP_BACK_MS) return undefined;
    const seconds = Math.round(behindMs / 1_000);
    return `the clock is ${seconds} s behind what it was: the minute stands still for so long, and no more come in than fit into it; check time synchronisation`;
  }
}
