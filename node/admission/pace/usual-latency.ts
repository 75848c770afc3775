/**
 * How long an origin usually takes, and whether it takes much longer now: the second sign of overload, which comes
 * before errors.
 *
 * A gradient after Netflix's concurrency-limits: the recent level against a long-term one that follows slowly. The
 * limit that is made of it is on visitors inside, as it is they who send the requests (pace.ts).
 */

/**
 * Below this an answer is not called slow, whatever the origin's habit: the noise of a busy machine is of that size.
 */
const SLOW_MIN_MS = 100;

/**
 * Time in which the usual level follows a recent one: down soon, as a cold origin warms; up slowly; hardly while it is
 * slow.
 */
const DOWN_MINUTES = 0.5;
const UP_MINUTES = 5;
const SLOW_MINUTES = 60;

/**
 * The least that one look leaves of the visitors inside. They leave by themselves, and the next look is at those who
 * are left: a stronger cut would only let a hiccup halve the load.
 */
const GRADIENT_MIN = 0.95;

export class UsualLatency {
  #usualMs: number | undefined;
  #lookedMs = 0;

  /** The long-term level in ms; undefined before the first look. */
  get usualMs(): number | undefined {
    return this.#usualMs;
  }

  /**
   * What part of the load the recent level allows, 0.95 to 1; 1 while it is at most `tolerance` times the usual one.
   * `minutes` and `nowMs` count the time since the last look.
   */
  gradient(recentMs: number, tolerance: number, { nowMs, minuteMs }: { nowMs: number; minuteMs: number }): number {
    const usualMs = this.#usualMs;
    const minutes = (nowMs - this.#lookedMs) / minuteMs;
    this.#lookedMs = nowMs;
    if (usualMs === undefined) {
      if (Number.isFinite(recentMs)) this.#usualMs = recentMs;
      return 1;
    }
    const slowMs = Math.max(SLOW_MIN_MS, usualMs * tolerance);
    const isSlow = recentMs > slowMs;
    const overMinutes = recentMs < usualMs ? DOWN_MINUTES : isSlow ? SLOW_MINUTES : UP_MINUTES;
    if (Number.isFinite(recentMs)) this.#usualMs = usualMs + (recentMs - usualMs) * Math.min(1, minutes / overMinutes);
    return isSlow ? Math.max(GRADIENT_MIN, slowMs / recentMs) : 1;
  }
}
