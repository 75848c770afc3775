/**
 * The demo's crowd: how many visitors come when, and what happened to them.
 *
 * The spike starts in the first second, so that a line forms at once; it falls slowly, and then no visitor comes, so
 * that the line can empty before the end.
 */

import type { Gate } from "../crowd/browser.ts";
import { SYSTEM_CLOCK } from "../crowd/clock.ts";
import { HttpClient } from "../crowd/http-client.ts";
import { seededRandom } from "../crowd/random.ts";
import type { Seen } from "../crowd/seen.ts";
import { type End, visit, type Witness } from "../crowd/visitor.ts";

/** What happened to one visitor. */
export interface VisitorStory {
  /** From the first request to the first page of the shop. */
  readonly waitedMs: number;
  /** Whether it was given a place in line. */
  readonly hasWaited: boolean;
  readonly wasIn: boolean;
  /** Whether it was sent back into the line while it was inside. */
  readonly thrownOut: boolean;
  readonly end: End;
}

export interface CrowdOptions {
  readonly gates: readonly Gate[];
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

/** Part of the visitors who lose patience, and how long others stay at most, in minutes: some pages. */
const IMPATIENT = 0.06;
const STAY_MINUTES_MAX = 1.2;

/** Longest look at one page, in minutes: a session is extended before it ends. */
const LOOK_MINUTES_MAX = 0.4;

/** A gate that is silent for longer is gone. */
const ANSWER_MAX_MS = 5_000;

/** Tries for one request: a gate that is busy asks to come back. */
const TRIES_MAX = 50;

const PATHS = ["/", "/product/lamp", "/product/mug", "/cart"] as const;

export class Crowd {
  readonly #options: CrowdOptions;
  readonly #random: () => number;
  readonly #pick: () => number;
  readonly #stopping = new AbortController();
  readonly #visits = new Set<Promise<void>>();
  readonly stories: VisitorStory[] = [];
  came = 0;

  constructor(options: CrowdOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    // Its own random numbers: how often visitors poll must not change how they behave.
    this.#pick = seededRandom(options.seed + 1);
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
    const { minuteMs, gates } = this.#options;
    const random = this.#random;
    const { signal } = this.#stopping;
    this.came += 1;
    const name = `synthetic-${this.came}`;
    const patienceMs = random() < IMPATIENT ? random() * 2 * minuteMs : Number.POSITIVE_INFINITY;
    const lookMs = (): number => random() * LOOK_MINUTES_MAX * minuteMs;
    const stayMs = random() * STAY_MINUTES_MAX * minuteMs;
    const story = new Story();
    const visiting = visit(
      {
        ...{ manner: "app", dueMs: performance.now(), patienceMs, stayMs, lookMs },
        paths: PATHS,
        errorsMax: 1,
        random,
      },
      {
        ...{ gates, triesMax: TRIES_MAX, clock: SYSTEM_CLOCK, random: this.#pick, signal },
        client: new HttpClient({ answerMaxMs: ANSWER_MAX_MS }),
        fields: () => ["X-Demo-Visitor", name, "X-Demo-Sent", String(Date.now())],
      },
      story,
    ).then(() => {
      this.stories.push(story);
      this.#visits.delete(visiting);
    });
    this.#visits.add(visiting);
  }
}

class Story implements VisitorStory, Witness {
  waitedMs = 0;
  hasWaited = false;
  wasIn = false;
  thrownOut = false;
  end: End = "stopped";
  readonly #cameMs = performance.now();

  sends(): void {}

  sees({ kind }: Seen): void {
    if (kind === "site" && !this.wasIn) this.waitedMs = performance.now() - this.#cameMs;
    if (kind === "site") this.wasIn = true;
    if (kind !== "waiting") return;
    if (this.wasIn) this.thrownOut = true;
    else this.hasWaited = true;
  }

  unanswered(): void {}

  goesOut(): void {}

  ends(how: End): void {
    this.end = how;
  }
}

function spikeAt(part: number): number {
  const next = SPIKE.findIndex(([time]) => time > part);
  const [fromTime, fromRate] = SPIKE[next - 1] ?? [0, 0];
  const [toTime, toRate] = SPIKE[next] ?? [1, 0];
  return next === -1 ? 0 : fromRate + ((toRate - fromRate) * (part - fromTime)) / (toTime - fromTime);
}
