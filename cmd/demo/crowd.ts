/**
 * The demo's crowd: how many visitors come when, and what happened to them.
 *
 * The spike starts in the first second, so that a line forms at once; it falls slowly, and then no visitor comes, so
 * that the line can empty before the end.
 */

import { Gates } from "../crowd/gates.ts";
import { seededRandom } from "../crowd/random.ts";
import { type VisitorStory, visit } from "./visitor.ts";

export interface CrowdOptions {
  /** Base URLs of the gates. */
  readonly gates: readonly string[];
  /** Visitors per second at the top of the spike. */
  readonly rate: number;
  readonly runMs: number;
  readonly minuteMs: number;
  readonly seed: number;
}

/** Part of the run after which no visitor comes any more. */
const SPIKE_END = 0.65;

/** The spike as parts of the run and of the top rate: straight lines between these points. */
const SPIKE: readonly (readonly [time: number, rate: number])[] = [
  [0, 1],
  [0.2, 1],
  [0.45, 0.25],
  [SPIKE_END, 0],
];

/** How often arrivals are drawn. */
const STEP_MS = 50;

/** Part of the visitors who lose patience, and pages that one looks at. */
const IMPATIENT = 0.06;
const PAGES_MAX = 6;
const PATHS = ["/", "/product/lamp", "/product/mug", "/cart"] as const;

export class Crowd {
  readonly #options: CrowdOptions;
  readonly #random: () => number;
  readonly #gates: Gates;
  readonly #stopping = new AbortController();
  readonly #visits = new Set<Promise<void>>();
  readonly stories: VisitorStory[] = [];
  came = 0;

  constructor(options: CrowdOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    // Its own random numbers: how often visitors poll must not change how they behave.
    this.#gates = new Gates(options.gates, seededRandom(options.seed + 1));
  }

  /**
   * Sends visitors for the whole run, until stopped, or until the spike is over and `isQuiet` says that none is left.
   */
  async run(isQuiet: () => boolean): Promise<void> {
    const { runMs, rate } = this.#options;
    const startMs = performance.now();
    let due = 0;
    let lastMs = startMs;
    for (let nowMs = startMs; nowMs - startMs < runMs && !this.#stopping.signal.aborted; nowMs = performance.now()) {
      due += (spikeAt((nowMs - startMs) / runMs) * rate * (nowMs - lastMs)) / 1_000;
      lastMs = nowMs;
      for (; due >= 1; due--) this.#send();
      if ((nowMs - startMs) / runMs > SPIKE_END && this.#visits.size === 0 && isQuiet()) return;
      await Bun.sleep(STEP_MS);
    }
  }

  /** Ends all visits. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#visits);
  }

  #send(): void {
    const { minuteMs } = this.#options;
    const random = this.#random;
    this.came += 1;
    const pages = Array.from({ length: 1 + Math.floor(random() * PAGES_MAX) }, () => ({
      path: PATHS[Math.floor(random() * PATHS.length)] ?? "/",
      lookMs: random() * 0.4 * minuteMs,
    }));
    const patienceMs = random() < IMPATIENT ? random() * 2 * minuteMs : Number.POSITIVE_INFINITY;
    const name = `synthetic-${this.came}`;
    const ending = visit({ gates: this.#gates, name, patienceMs, pages, signal: this.#stopping.signal }).then(
      (story) => {
        this.stories.push(story);
        this.#visits.delete(ending);
      },
    );
    this.#visits.add(ending);
  }
}

function spikeAt(part: number): number {
  const next = SPIKE.findIndex(([time]) => time > part);
  const [fromTime, fromRate] = SPIKE[next - 1] ?? [0, 0];
  const [toTime, toRate] = SPIKE[next] ?? [1, 0];
  return next === -1 ? 0 : fromRate + ((toRate - fromRate) * (part - fromTime)) / (toTime - fromTime);
}
