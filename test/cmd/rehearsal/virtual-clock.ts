/**
 * A clock for whole rehearsals: time passes only when nothing else is left to do, from one timer to the next.
 */

import type { Clock } from "../../../cmd/crowd/clock.ts";
import { VirtualTime } from "../../sim/virtual-time.ts";

/** Between two looks for timers that are due; also how exact a time is. */
const STEP_MS = 1;

/** A run that goes on for longer hangs. */
const RUN_MS_MAX = 3_600_000;

export class VirtualClock implements Clock {
  readonly #time = new VirtualTime(0);
  /** What this clock is ahead of its timers: they are late by so much. */
  #aheadMs = 0;

  steadyMs(): number {
    return this.#time.nowMs + this.#aheadMs;
  }

  unixMs(): number {
    return this.steadyMs();
  }

  async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.after(ms, resolve);
    signal.addEventListener("abort", () => resolve());
    await promise;
  }

  every(everyMs: number, act: () => void): () => void {
    let isOn = true;
    this.#time.every(everyMs, () => {
      if (isOn) act();
      return isOn;
    });
    return () => {
      isOn = false;
    };
  }

  after(ms: number, act: () => void): void {
    this.#time.after(ms, act);
  }

  /** The machine stands still: all that is due meanwhile comes late. */
  standStill(ms: number): void {
    this.#aheadMs += ms;
  }

  /** Lets time pass until `work` is done. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const ended = work.finally(() => {
      isDone = true;
    });
    for (let atMs = STEP_MS; !isDone && atMs <= RUN_MS_MAX; atMs += STEP_MS) {
      this.#time.runUntil(atMs);
      // All that this has woken goes on before time does.
      await new Promise((next) => setImmediate(next));
    }
    return ended;
  }
}
