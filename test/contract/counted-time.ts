/**
 * Time that passes by turns of the event loop, some times as fast as the host's. In each turn everything that has
 * arrived is dealt with, so a host that is busy or stands still makes no node look silent, and no answer come late.
 */

import type { Timers } from "../../mesh/timers.ts";

/** Of the time of the nodes, in each turn: a tick of the transport takes ten. */
const STEP_MS = 20;
/** Of the host's time, at least: threads that work for the nodes get a share of it too. */
const TURN_MS = 5;

interface Timer {
  readonly act: () => void;
  readonly everyMs: number | undefined;
  dueMs: number;
}

export class CountedTime implements Timers {
  readonly #timers = new Set<Timer>();
  #nowMs = 0;
  #isOver = false;

  constructor() {
    void this.#run();
  }

  readonly clock = () => this.#nowMs;

  readonly after = (ms: number, act: () => void) => this.#add({ act, everyMs: undefined, dueMs: this.#nowMs + ms });

  readonly every = (ms: number, act: () => void) => this.#add({ act, everyMs: ms, dueMs: this.#nowMs + ms });

  /** Waits until so much time has passed. */
  pass(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  stop(): void {
    this.#isOver = true;
  }

  #add(timer: Timer): () => void {
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      // A turn in which timers run and, before the second wait is over, one in which what arrived is read.
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
      await new Promise((resolve) => setImmediate(resolve));
      this.#nowMs += STEP_MS;
      for (const timer of [...this.#timers]) if (timer.dueMs <= this.#nowMs) this.#ring(timer);
    }
  }

  #ring(timer: Timer): void {
    if (!this.#timers.has(timer)) return;
    if (timer.everyMs === undefined) this.#timers.delete(timer);
    else timer.dueMs += timer.everyMs;
    timer.act();
  }
}
