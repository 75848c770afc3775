/**
 * The demo's crowd: how many visitors come when, and what happened to them.
 *
 * The spike starts in the first second, so that a line forms at once; it falls slowly, and then no visitor comes, so
 * that the line can empty before the end.
 */

import { arrivalsOf } from "../crowd/arrivals.ts";
import type { Gate } from "../crowd/browser.ts";
import { pause, SYSTEM_CLOCK } from "../crowd/clock.ts";
import { HttpClient } from "../crowd/http-client.ts";
import { seededRandom } from "../crowd/random.ts";
import type { Seen } from "../crowd/seen.ts";
import { type Arrival, sendAll } from "../crowd/send-all.ts";
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
}

/** The spike as parts of the run and of the top rate: straight lines, and nobody comes after the last one. */
const SPIKE = [
  { from: 1, to: 1, part: 0.2 },
  { from: 1, to: 0.25, part: 0.25 },
  { from: 0.25, to: 0, part: 0.2 },
];

/** Of the arrivals and of the visitors' behaviour: each demo looks the same. */
const SEED = 1;

/** How often it is checked whether the shop is empty. */
const QUIET_MS = 50;

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
  readonly #stopping = new AbortController();
  #sending: Promise<void> | undefined;
  readonly stories: VisitorStory[] = [];
  came = 0;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /** Sends visitors for the whole run, until stopped, or until all have left and `isQuiet` says that none is inside. */
  async run(isQuiet: () => boolean): Promise<void> {
    const { runMs } = this.#options;
    const { signal } = this.#stopping;
    const startMs = performance.now();
    const sending = { seed: SEED, clock: SYSTEM_CLOCK, startMs, signal };
    this.#sending = sendAll(spikeOf(this.#options), sending, (arrival) => this.#visit(arrival));
    await Promise.race([this.#sending, pause(runMs, signal)]);
    while (performance.now() - startMs < runMs && !signal.aborted && !isQuiet()) await pause(QUIET_MS, signal);
  }

  /** Ends all visits. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#sending;
  }

  async #visit({ number, dueMs, random }: Arrival): Promise<void> {
    const { minuteMs, gates } = this.#options;
    const { signal } = this.#stopping;
    this.came = number;
    const patienceMs = random() < IMPATIENT ? random() * 2 * minuteMs : Number.POSITIVE_INFINITY;
    const stayMs = random() * STAY_MINUTES_MAX * minuteMs;
    const lookMs = (): number => random() * LOOK_MINUTES_MAX * minuteMs;
    const story = new Story();
    await visit(
      {
        manner: "app",
        dueMs,
        patienceMs,
        stayMs,
        lookMs,
        paths: PATHS,
        errorsMax: 1,
        random,
      },
      {
        gates,
        triesMax: TRIES_MAX,
        clock: SYSTEM_CLOCK,
        random,
        signal,
        client: new HttpClient({ answerMaxMs: ANSWER_MAX_MS }),
        fields: () => ["X-Demo-Visitor", `synthetic-${number}`, "X-Demo-Sent", String(Date.now())],
      },
      story,
    );
    this.stories.push(story);
  }
}

class Story implements VisitorStory, Witness {
  waitedMs = 0;
  hasWaited = false;
  wasIn = false;
  thrownOut = false;
  end: End = "stopped";
  readonly #cameMs = performance.now();

  sees({ kind }: Seen): void {
    if (kind === "site" && !this.wasIn) this.waitedMs = performance.now() - this.#cameMs;
    if (kind === "site") this.wasIn = true;
    if (kind !== "waiting") return;
    if (this.wasIn) this.thrownOut = true;
    else this.hasWaited = true;
  }

  ends(how: End): void {
    this.end = how;
  }
}

/** Ms since the start at which visitors arrive. */
function* spikeOf({ rate, runMs }: CrowdOptions): Generator<number, void> {
  const random = seededRandom(SEED);
  let startMs = 0;
  for (const { from, to, part } of SPIKE) {
    const leg = { kind: "rate", from: 60 * rate * from, to: 60 * rate * to, forMs: part * runMs } as const;
    for (const atMs of arrivalsOf(leg, random)) yield startMs + atMs;
    startMs += leg.forMs;
  }
}
