/**
 * How often something took how long, counted in classes: plain numbers, because the gate adds to them at every request.
 */

/**
 * Upper bounds of the classes, in seconds: Prometheus's own, and shorter ones, as most decisions take no wait at all.
 */
export const DECISION_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;

/** An origin in trouble takes up to the origin timeout. */
export const ORIGIN_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

/** People give up within hours. */
export const WAIT_SECONDS = [5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400] as const;

export class DurationHistogram {
  readonly bounds: readonly number[];
  /** By class, not added up; the last one has what is longer than all bounds. */
  readonly counts: number[];
  sumSeconds = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array(bounds.length + 1).fill(0);
  }

  /** A negative time, as by a clock that was set back, counts as none. */
  observe(ms: number): void {
    const seconds = Math.max(0, ms / 1_000);
    let at = 0;
    while (at < this.bounds.length && seconds > (this.bounds[at] ?? 0)) at += 1;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.sumSeconds += seconds;
  }
}
