/**
 * How long something took, as a histogram of bounded size: classes that grow by 2 %, so that a percentile is right
 * within 1 %, and the worst value itself.
 */

const GROWTH = 1.02;
const LOG_GROWTH = Math.log(GROWTH);
/** The first class: a hundredth of a millisecond is below what a timer measures. */
const SMALLEST_MS = 0.01;
/** Classes up to a day: no run is longer. */
const CLASSES = Math.ceil(Math.log(86_400_000 / SMALLEST_MS) / LOG_GROWTH) + 1;

export interface Percentiles {
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
  readonly p99: number;
  readonly worst: number;
}

export class Latencies {
  readonly #counts = new Float64Array(CLASSES);
  #count = 0;
  #worst = 0;

  get count(): number {
    return this.#count;
  }

  /** A negative time, as of a timer that was early, counts as none. */
  add(ms: number): void {
    const at = ms <= SMALLEST_MS ? 0 : Math.min(CLASSES - 1, 1 + Math.floor(Math.log(ms / SMALLEST_MS) / LOG_GROWTH));
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count += 1;
    this.#worst = Math.max(this.#worst, ms);
  }

  /** The value that `part` of all do not exceed, in ms; 0 for none. */
  at(part: number): number {
    const rank = Math.max(1, Math.ceil(part * this.#count));
    let below = 0;
    for (let at = 0; at < CLASSES && this.#count > 0; at++) {
      below += this.#counts[at] ?? 0;
      if (below >= rank) return Math.min(this.#worst, at === 0 ? 0 : SMALLEST_MS * GROWTH ** (at - 0.5));
    }
    return this.#worst;
  }

  /** In ms; null for none. */
  get percentiles(): Percentiles | null {
    if (this.#count === 0) return null;
    const [p25, p50, p75, p95, p99] = [this.at(0.25), this.at(0.5), this.at(0.75), this.at(0.95), this.at(0.99)];
    return { p25, p50, p75, p95, p99, worst: this.#worst };
  }

  clear(): void {
    this.#counts.fill(0);
    this.#count = 0;
    this.#worst = 0;
  }
}
