/**
 * The requests of the last moments, and how they ended: counts by second, and times to the answer in a histogram.
 *
 * Bounded: requests that leave the window are forgotten, however many there are.
 */

/** How the requests of a window ended. */
export interface Totals {
  readonly sent: number;
  readonly accepted: number;
  readonly failed: number;
  /**
   * Median time to the answer in ms, those that failed counted as slower than all; undefined without any that ended.
   */
  readonly medianMs: number | undefined;
}

interface Slice {
  at: number;
  sent: number;
  accepted: number;
  failed: number;
  readonly times: Uint32Array;
}

/** Times up to 1.1 ^ 145 × 0.1 ms, which is 100 s, to a precision of a tenth. */
const TIMES = 145;
const TIMES_BASE = 1.1;
const SHORTEST_MS = 0.1;

export class RequestWindow {
  readonly #slices: Slice[];
  readonly #sliceMs: number;

  /**
   * A window of `count` slices of `sliceMs` each, the one under way among them. `isTimed`: whether it keeps times to
   * the answer.
   */
  constructor(count: number, sliceMs: number, isTimed = true) {
    this.#sliceMs = sliceMs;
    this.#slices = Array.from({ length: count }, () => ({
      at: -1,
      sent: 0,
      accepted: 0,
      failed: 0,
      times: new Uint32Array(isTimed ? TIMES : 0),
    }));
  }

  sent(nowMs: number): void {
    this.#slice(nowMs).sent += 1;
  }

  /** One that was sent does not count after all. */
  withdrawn(nowMs: number): void {
    this.#slice(nowMs).sent -= 1;
  }

  accepted(tookMs: number, nowMs: number): void {
    const slice = this.#slice(nowMs);
    slice.accepted += 1;
    if (slice.times.length === 0) return;
    const time = Math.floor(Math.log(Math.max(tookMs, SHORTEST_MS) / SHORTEST_MS) / Math.log(TIMES_BASE));
    const index = Math.min(TIMES - 1, time);
    slice.times[index] = (slice.times[index] ?? 0) + 1;
  }

  failed(nowMs: number): void {
    this.#slice(nowMs).failed += 1;
  }

  /** What is in the window; of what was sent without the newest `youngest` slices, whose answers may be under way. */
  totals(nowMs: number, youngest = 0): Totals {
    const at = Math.floor(nowMs / this.#sliceMs);
    const times = new Uint32Array(TIMES);
    let [sent, accepted, failed] = [0, 0, 0];
    for (const slice of this.#slices) {
      if (slice.at <= at - this.#slices.length || slice.at > at) continue;
      if (slice.at <= at - youngest) sent += slice.sent;
      accepted += slice.accepted;
      failed += slice.failed;
      for (let index = 0; index < slice.times.length; index++)
        times[index] = (times[index] ?? 0) + (slice.times[index] ?? 0);
    }
    return { sent, accepted, failed, medianMs: median(times, accepted + failed) };
  }

  #slice(nowMs: number): Slice {
    const at = Math.floor(nowMs / this.#sliceMs);
    const slice = this.#slices[at % this.#slices.length] as Slice;
    if (slice.at !== at) {
      Object.assign(slice, { at, sent: 0, accepted: 0, failed: 0 });
      slice.times.fill(0);
    }
    return slice;
  }
}

function median(times: Uint32Array, count: number): number | undefined {
  if (count === 0) return undefined;
  let below = 0;
  for (let index = 0; index < times.length; index++) {
    below += times[index] ?? 0;
    if (below * 2 >= count) return SHORTEST_MS * TIMES_BASE ** index;
  }
  return Number.POSITIVE_INFINITY;
}
