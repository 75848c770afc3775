/**
 * One run: visitors arrive by the plan whatever the site answers, and what they see is written down second by second.
 */

import { seededRandom } from "../crowd/random.ts";
import { openFilesMax } from "../open-files.ts";
import { arrivalsOf } from "./arrivals.ts";
import type { Clock } from "./clock.ts";
import { Latencies } from "./latencies.ts";
import type { LoadOptions } from "./options.ts";
import type { Manner } from "./pauses.ts";
import { type Client, SiteClient } from "./site-client.ts";
import { Sockets } from "./sockets.ts";
import { ASKED, type Asked, Tally } from "./tally.ts";
import { play, type VisitorParts, type VisitorPlan } from "./visitor.ts";

/** What was so at one moment of the run. */
export interface Sample {
  readonly seconds: number;
  readonly arrived: number;
  readonly admitted: number;
  readonly inside: number;
  readonly waiting: number;
  readonly failed: number;
  /** Since the sample before; null without an answer. */
  readonly p95Ms: Readonly<Record<Asked, number | null>>;
}

export interface Run {
  readonly tally: Tally;
  readonly sockets: Sockets;
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

/** Files of this process that are no connections: its log, its libraries, the page that it writes. */
const OTHER_FILES = 100;

/** Longest stay and patience, in averages: exponential times have no end. */
const LONGEST = 5;

export async function rehearse({ options, signal, onSample, clock, connect }: RunParts): Promise<Run> {
  const { target, insecure, durationMs, seed } = options;
  const sockets = new Sockets(Math.min(options.socketsMax, Math.max(1, (openFilesMax() ?? 1_024) - OTHER_FILES)));
  const [tally, lateness, ending] = [new Tally(), new Latencies(), new AbortController()];
  const site = { target, tls: insecure ? { rejectUnauthorized: false } : {}, sockets };
  const connectAny = connect ?? (() => new SiteClient(site));
  const parts: VisitorParts = { target, connect: connectAny, clock, tally, lateness, signal: ending.signal };
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
    await sendAll(options, { parts, startMs, random: seededRandom(seed) });
  } finally {
    end();
    stopBeat();
    signal.removeEventListener("abort", end);
  }
  const { samples } = recorder;
  return { tally, sockets, lateness, samples, seconds: recorder.seconds, isCutShort: signal.aborted };
}

interface Crowd {
  readonly parts: VisitorParts;
  readonly startMs: number;
  readonly random: () => number;
}

/** Starts each visitor when it is due; done when all have left, or the run is over. */
async function sendAll(options: LoadOptions, { parts, startMs, random }: Crowd): Promise<void> {
  const visits = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  for (const atMs of arrivalsOf(options.arrivals, random)) {
    await parts.clock.pause(startMs + atMs - parts.clock.steadyMs(), parts.signal);
    if (parts.signal.aborted || failure !== undefined) break;
    const visit = play(visitorOf(options, parts.tally.arrived + 1, startMs + atMs), parts)
      .catch((error: unknown) => {
        // A fault of this program: the run ends with it.
        failure ??= { error };
      })
      .finally(() => visits.delete(visit));
    visits.add(visit);
  }
  await Promise.all(visits);
  if (failure !== undefined) throw failure.error;
}

/** The visitor with a number: the same one for the same seed, whatever others do. */
function visitorOf(options: LoadOptions, number: number, dueMs: number): VisitorPlan {
  const { seed, paths, stayMs, thinkMs, patienceMs, abandoning } = options;
  const random = seededRandom(seed + Math.imul(number, 0x9e3779b1));
  const drawn = (averageMs: number): number => Math.min(LONGEST, -Math.log(1 - random())) * averageMs;
  return {
    ...{ name: `${seed}-${number}`, dueMs, paths, thinkMs, random },
    manner: mannerOf(random(), options),
    stayMs: drawn(stayMs),
    patienceMs: random() < abandoning ? drawn(patienceMs) : Number.POSITIVE_INFINITY,
  };
}

function mannerOf(part: number, { withoutScript, reloading }: LoadOptions): Manner {
  if (part < withoutScript) return "no script";
  return part < withoutScript + reloading ? "reloads" : "script";
}

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
