/**
 * An origin with a knee: it answers fast as long as it keeps up; then its queue grows, requests wait longer than any
 * client does, and the work on those is lost.
 *
 * One queue, first come first served. The longer it is, the longer each request takes, because memory and connections
 * run short.
 */

import type { VirtualTime } from "./virtual-time.ts";

export interface OriginOptions {
  /** Requests that it can answer in a second. */
  readonly perSecond: number;
  /** The duration of an answer without other requests. */
  readonly serviceMs: number;
}

/** Longest that a gate waits for the answer; the origin does the work all the same. */
const TIMEOUT_MS = 5_000;
/** A queue of so many seconds of work is full: the next requests are refused at once. */
const QUEUE_MS_MAX = 20_000;
const REFUSED_MS = 1;
/** What a second of queue adds to the work on a request. */
const THRASH_PER_SECOND = 0.05;

/** How a request ends, and when from now; without a status if nobody waits for it any more. */
export interface OriginAnswer {
  readonly afterMs: number;
  readonly status: number | undefined;
}

export class OriginModel {
  readonly #time: VirtualTime;
  readonly #options: OriginOptions;
  /** When all that is queued will be done. */
  #doneMs = 0;
  /** Factor by which everything takes longer than usual. */
  slowness = 1;
  isDown = false;
  /** Requests answered in time, by second of the run; and visitors who came in. */
  readonly good: number[] = [];
  readonly entered: number[] = [];

  constructor(time: VirtualTime, options: OriginOptions) {
    this.#time = time;
    this.#options = options;
  }

  /** A visitor is admitted. */
  enter(): void {
    add(this.entered, this.#time.elapsedMs);
  }

  /** A request comes now. */
  request(): OriginAnswer {
    const { nowMs } = this.#time;
    const waitMs = Math.max(0, this.#doneMs - nowMs);
    if (this.isDown || waitMs > QUEUE_MS_MAX) return { afterMs: REFUSED_MS, status: 503 };
    const workMs = (1_000 / this.#options.perSecond) * this.slowness * (1 + (THRASH_PER_SECOND * waitMs) / 1_000);
    this.#doneMs = nowMs + waitMs + workMs;
    const tookMs = waitMs + workMs + this.#options.serviceMs * this.slowness;
    if (tookMs > TIMEOUT_MS) return { afterMs: TIMEOUT_MS, status: undefined };
    this.#time.after(tookMs, () => add(this.good, this.#time.elapsedMs));
    return { afterMs: tookMs, status: 200 };
  }
}

function add(bySecond: number[], elapsedMs: number): void {
  const second = Math.floor(elapsedMs / 1_000);
  bySecond[second] = (bySecond[second] ?? 0) + 1;
}
