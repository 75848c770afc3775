/**
 * One run: visitors arrive by the plan whatever the site answers, and what they see is written down second by second.
 */

import { arrivalsOf } from "../crowd/arrivals.ts";
import type { Clock } from "../crowd/clock.ts";
import { type Client, HttpClient } from "../crowd/http-client.ts";
import type { Manner } from "../crowd/pauses.ts";
import { seededRandom } from "../crowd/random.ts";
import { type Arrival, sendAll } from "../crowd/send-all.ts";
import { type VisitPlan, visit } from "../crowd/visitor.ts";
import { VERSION } from "../version.ts";
import { Latencies } from "./latencies.ts";
import type { LoadOptions } from "./options.ts";
import { ASKED, type AskedFor, Tally } from "./tally.ts";
import { LoadWitness } from "./witness.ts";

/** What was so at one moment of the run. */
export interface Sample {
  readonly seconds: number;
  readonly arrived: number;
  readonly admitted: number;
  readonly inside: number;
  readonly waiting: number;
  readonly failed: number;
  /** Since the sample before; null without an answer. */
  readonly p95Ms: Readonly<Record<AskedFor, number | null>>;
}

export interface Run {
  readonly tally: Tally;
  /** How late requests were sent, and timers of this process ran. */
  readonly lateness: Latencies;
  readonly samples: readonly Sample[];
  readonly seconds: number;
  /** Whether it was ended before its time. */
  readonly isCutShort: boolean;
}

export interface RunParts {
  readonly options: LoadOptions;
  /** Ends the run when it is aborted. */
  readonly signal: AbortSignal;
  readonly onSample: (sample: Sample) => void;
  readonly clock: Clock;
  /** Connections to the site; real ones without it. */
  readonly connect?: () => Client;
}

/** Points of a plot: as many as a wide screen shows. */
const SAMPLES_MAX = 720;
const SAMPLE_MS_MIN = 1_000;

/** How often a timer of this process is looked at. */
const BEAT_MS = 100;

/** The waiting page's own limit for a poll. Doubled, a hung site holds twice the connections. */
const ANSWER_MAX_MS = 20_000;

/** Parts of the visitors who reload the waiting page all the time, and who lose patience. */
const RELOADING = 0.05;
const ABANDONING = 0.1;

/** Errors in a row after which a visitor who is not in line leaves. */
const ERRORS_MAX = 4;

/** Longest stay, look and patience, in averages: exponential times have no end. */
const LONGEST = 5;

export async function rehearse({ options, signal, onSample, clock, connect }: RunParts): Promise<Run> {
  const { site, arrivals, insecure, durationMs, seed } = options;
  const gate = { gate: site, locality: "", isReady: true };
  const [tally, lateness, ending] = [new Tally(), new Latencies(), new AbortController()];
  const connectAny = connect ?? (() => new HttpClient({ insecure, answerMaxMs: ANSWER_MAX_MS }));
  const startMs = clock.steadyMs();
  const recorder = new Recorder(tally, { startMs, durationMs, onSample });
  const end = (): void => {
    // Before all visitors go: they are still there in the last sample.
    if (!ending.signal.aborted) recorder.sample(clock.steadyMs());
    ending.abort();
  };
  signal.addEventListener("abort", end);
  void clock.pause(durationMs, ending.signal).then(end);
  const stopBeat = clock.every(BEAT_MS, () => lateness.add(recorder.beat(clock.steadyMs())));
  try {
    if (signal.aborted) end();
    const sending = { seed, clock, startMs, signal: ending.signal };
    await sendAll(arrivalsOf(arrivals, seededRandom(seed)), sending, (arrival) => {
      const { number, random } = arrival;
      const fields = ["User-Agent", USER_AGENT, "X-Load-Visitor", `${seed}-${number}`];
      const browser = {
        gates: [gate],
        triesMax: 1,
        clock,
        random,
        signal: ending.signal,
        fields: () => fields,
      };
      const witness = new LoadWitness({ tally, lateness, clock });
      return visit(visitorOf(options, arrival), { ...browser, client: connectAny() }, witness);
    });
  } finally {
    end();
    stopBeat();
    signal.removeEventListener("abort", end);
  }
  const { samples } = recorder;
  return { tally, lateness, samples, seconds: recorder.seconds, isCutShort: signal.aborted };
}

function visitorOf(options: LoadOptions, { dueMs, random }: Arrival): VisitPlan {
  const { paths, stayMs, thinkMs, patienceMs } = options;
  const drawn = (averageMs: number): number => Math.min(LONGEST, -Math.log(1 - random())) * averageMs;
  return {
    dueMs,
    paths,
    random,
    lookMs: () => drawn(thinkMs),
    errorsMax: ERRORS_MAX,
    manner: mannerOf(random(), options),
    stayMs: drawn(stayMs),
    patienceMs: random() < ABANDONING ? drawn(patienceMs) : Number.POSITIVE_INFINITY,
  };
}

function mannerOf(part: number, { withoutScript }: LoadOptions): Manner {
  if (part < withoutScript) return "no script";
  return part < withoutScript + RELOADING ? "reloads" : "script";
}

/** What all requests say about their sender. */
const USER_AGENT = `anteroom-load/${VERSION}`;

/** Writes down the run second by second. */
class Recorder {
  readonly samples: Sample[] = [];
  readonly #tally: Tally;
  readonly #startMs: number;
  readonly #stepMs: number;
  readonly #onSample: (sample: Sample) => void;
  #beatMs: number;
  #sampledMs: number;

  constructor(
    tally: Tally,
    { startMs, durationMs, onSample }: { startMs: number; durationMs: number; onSample: (sample: Sample) => void },
  ) {
    this.#tally = tally;
    this.#startMs = startMs;
    this.#stepMs = Math.max(SAMPLE_MS_MIN, durationMs / SAMPLES_MAX);
    this.#onSample = onSample;
    this.#beatMs = startMs;
    this.#sampledMs = startMs;
  }

  /** Ms by which this timer is late. */
  beat(nowMs: number): number {
    const lateMs = nowMs - this.#beatMs - BEAT_MS;
    this.#beatMs = nowMs;
    if (nowMs - this.#sampledMs >= this.#stepMs) this.sample(nowMs);
    return Math.max(0, lateMs);
  }

  sample(nowMs: number): void {
    const { arrived, admitted, inside, waiting, failed, recent } = this.#tally;
    this.#sampledMs = nowMs;
    const p95 = ASKED.map((asked) => [asked, recent[asked].percentiles?.p95 ?? null] as const);
    for (const asked of ASKED) recent[asked].clear();
    const p95Ms = Object.fromEntries(p95) as Sample["p95Ms"];
    const sample = { seconds: (nowMs - this.#startMs) / 1_000, arrived, admitted, inside, waiting, failed, p95Ms };
    this.samples.push(sample);
    this.#onSample(sample);
  }

  get seconds(): number {
    return this.samples.at(-1)?.seconds ?? 0;
  }
}
