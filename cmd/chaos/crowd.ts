/**
 * The visitors of a run: people who come in waves, each again and again, as a new visitor each time.
 *
 * A run begins at the top of a wave, all at once. In between fewer come than the room has slots, so that it also shows
 * what happens when no visitor has to wait.
 */

import type { Gate } from "../crowd/browser.ts";
import { pause, SYSTEM_CLOCK } from "../crowd/clock.ts";
import { HttpClient } from "../crowd/http-client.ts";
import { seededRandom } from "../crowd/random.ts";
import { visit } from "../crowd/visitor.ts";
import { ChaosWitness, type WitnessParts } from "./witness.ts";

export interface CrowdOptions extends WitnessParts {
  readonly nodes: readonly Gate[];
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

/** A gate that is silent for longer hangs, or is about to be noticed. */
const ANSWER_MAX_MS = 2_000;

/** Tries for one request: ten seconds in all where no gate is ready. */
const TRIES_MAX = 50;

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
    const { people, nodes, minuteMs, seed } = this.#options;
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
      const witness = new ChaosWitness(this.#options, name);
      const dueMs = performance.now();
      await visit(
        {
          manner: "app",
          dueMs,
          patienceMs,
          stayMs,
          lookMs,
          paths: ["/"],
          errorsMax: 1,
          random,
        },
        {
          gates: nodes,
          locality,
          triesMax: TRIES_MAX,
          clock: SYSTEM_CLOCK,
          random,
          signal,
          client: new HttpClient({ answerMaxMs: ANSWER_MAX_MS }),
          failed: () => witness.failed(),
        },
        witness,
      );
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
