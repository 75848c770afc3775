/** How long something took, as a histogram of bounded size: a percentile is right within 1 %, and the worst value itself. */

import { createHistogram } from "node:perf_hooks";

/** It counts whole microseconds, up to a day: no run is longer. */
const US_MAX = 86_400_000_000;

export interface Percentiles {
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
  readonly p99: number;
  readonly worst: number;
}

export class Latencies {
  readonly #histogram = createHistogram({ lowest: 1, highest: US_MAX, figures: 3 });

  get count(): number {
    return this.#histogram.count;
  }

  /** A negative time, as of a timer that was early, counts as none. */
  add(ms: number): void {
    this.#histogram.record(Math.min(US_MAX, Math.max(1, Math.round(1_000 * ms))));
  }

  /** In ms; null for none. */
  get percentiles(): Percentiles | null {
    if (this.count === 0) return null;
    const worst = this.#histogram.max / 1_000;
    const at = (percent: number): number => Math.min(worst, this.#histogram.percentile(percent) / 1_000);
    return { p25: at(25), p50: at(50), p75: at(75), p95: at(95), p99: at(99), worst };
  }

  clear(): void {
    this.#histogram.reset();
  }
}
