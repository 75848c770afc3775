/**
 * The visitors of a run: people who come in waves, each again and again, as a new visitor each time.
 *
 * A run begins at the top of a wave, all at once. In between fewer come than the room has slots, so that it also shows
 * what happens when no visitor has to wait.
 */

import { pause } from "../crowd/pause.ts";
import { seededRandom } from "../crowd/random.ts";
import { type VisitPlan, visit } from "./visitor.ts";

export interface CrowdOptions extends Pick<VisitPlan, "nodes" | "judge" | "open" | "minuteMs"> {
  readonly people: number;
  readonly runMs: number;
  readonly seed: number;
}

/** Waves in a run: each is long enough to see a line grow and go. */
const WAVE_MS = 75_000;

/** Part of the people who come at the bottom of a wave. */
const FEWEST = 0.2;

/** How long people keep a session, in ms: so that a slot changes hands some times in a minute of real time. */
const STAY_MS = { least: 4_000, most: 20_000 };

/** A look at a page in parts of a minute, and its longest: well below a minute, so that each minute has a request. */
const LOOK = { least: 0.15, most: 0.7, mostMs: 5_000 };

/** Part of the people who lose patience, and how long they have it. */
const IMPATIENT = 0.05;
const PATIENCE_MS = 15_000;

/** Part of the people whose requests go to any locality, as with a load balancer without localities. */
const SPRAYED = 0.2;

/** Between two visits of one person, at most. */
const AWAY_MS = 4_000;

/** How often people at home decide whether to come. */
const HOME_MS = 250;

export class Crowd {
  readonly #options: CrowdOptions;
  readonly #stopping = new AbortController();
  readonly #startMs = performance.now();
  #people: readonly Promise<void>[] = [];
  /** Visits so far. */
  came = 0;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  start(): void {
    this.#people = Array.from({ length: this.#options.people }, (_, at) => this.#live(at));
  }

  /** Ends all visits. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#people);
  }

  async #live(person: number): Promise<void> {
    const { people, nodes, judge, open, minuteMs, seed } = this.#options;
    const { signal } = this.#stopping;
    const random = seededRandom(seed * 100_003 + person);
    const locality = random() < SPRAYED ? undefined : nodes[person % nodes.length]?.locality;
    for (let times = 1; !signal.aborted; ) {
      if (person / people >= this.#wanted()) {
        await pause(HOME_MS, signal);
        continue;
      }
      this.came += 1;
      const name = `person-${person + 1}-${times++}`;
      const stayMs = STAY_MS.least + random() * (STAY_MS.most - STAY_MS.least);
      const patienceMs = random() < IMPATIENT ? random() * PATIENCE_MS : Number.POSITIVE_INFINITY;
      const lookMs = (): number => Math.min(LOOK.mostMs, minuteMs * (LOOK.least + random() * (LOOK.most - LOOK.least)));
      await visit({ name, nodes, locality, judge, open, minuteMs, stayMs, patienceMs, lookMs, random, signal });
      await pause(random() * AWAY_MS, signal);
    }
  }

  /** The part of the people who want to be in the room now. */
  #wanted(): number {
    const { runMs } = this.#options;
    const waves = Math.max(1, Math.round(runMs / WAVE_MS));
    const turn = Math.cos((2 * Math.PI * waves * (performance.now() - this.#startMs)) / runMs);
    return FEWEST + ((1 - FEWEST) * (1 + turn)) / 2;
  }
}
