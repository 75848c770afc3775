/**
 * How long a visitor in line will wait, from the measured rate of admissions.
 *
 * Slots come free at the edges of minutes (a new minute's arrivals, the end of sessions), so a place is reached at an
 * edge: after as many whole minutes as the places ahead fill, less the part of the minute that has passed; unless the
 * room is paced, whose places come evenly. The rate is the mean of the last minutes in which visitors were waiting,
 * steadied by one minute at the rate the limits allow; it changes at minute edges only, so the wait shown runs down
 * evenly in between.
 */

import type { Minute } from "../../mesh/core/ids.ts";

/** Seconds until the visitor is admitted: expected, and at a rate one standard deviation above and below the mean. */
export interface Wait {
  readonly seconds: number;
  readonly earliestSeconds: number;
  readonly latestSeconds: number;
}

interface Rate {
  readonly mean: number;
  readonly deviation: number;
}

/** Minutes the mean is taken over. More follow a changed rate too slowly, fewer let the wait jump. */
const MINUTES_OF_RATE = 10;

/** Visitors a minute below which waits do not get shorter: one in ten minutes. Keeps a stalled line's wait finite. */
const RATE_MIN = 0.1;

export class WaitEstimate {
  readonly #minuteMs: number;
  #letIn: number[] = [];
  #minute = 0 as Minute;
  #letInThisMinute = 0;
  #waitedThisMinute = false;
  #rate: (Rate & { allowedPerMinute: number }) | undefined;

  constructor(minuteMs: number) {
    this.#minuteMs = minuteMs;
  }

  /** Visitors admitted per minute, for the last minutes with a line, oldest first. */
  get letIn(): readonly number[] {
    return this.#letIn;
  }

  /** Continues with another node's measurement. */
  follow(letIn: readonly number[]): void {
    if (letIn.length === this.#letIn.length && letIn.every((count, index) => count === this.#letIn[index])) return;
    this.#letIn = letIn.slice(-MINUTES_OF_RATE);
    this.#rate = undefined;
  }

  /** Records that a visitor was admitted, from the line or past an empty one. */
  recordLetIn(minute: Minute): void {
    this.#turnTo(minute);
    this.#letInThisMinute += 1;
  }

  /** Records that visitors are waiting: only such minutes show how fast the line moves. */
  recordWaiting(minute: Minute): void {
    this.#turnTo(minute);
    this.#waitedThisMinute = true;
  }

  /**
   * Wait of the visitor at `position` (1 = next), when `perMinute` visitors a minute are allowed in the long run.
   * `isEven`: they are admitted evenly over each minute, not at its edge.
   */
  wait(position: number, nowMs: number, allowed: { readonly perMinute: number; readonly isEven: boolean }): Wait {
    const { perMinute: allowedPerMinute, isEven } = allowed;
    if (this.#rate?.allowedPerMinute !== allowedPerMinute) {
      this.#rate = { ...rateOf([...this.#letIn, allowedPerMinute]), allowedPerMinute };
    }
    const { mean, deviation } = this.#rate;
    const passed = (nowMs % this.#minuteMs) / this.#minuteMs;
    const secondsAt = (rate: number): number => {
      const places = position / Math.max(rate, RATE_MIN);
      const minutes = isEven ? places : Math.ceil(places) - passed;
      return Math.max(1, Math.round((minutes * this.#minuteMs) / 1_000));
    };
    return {
      seconds: secondsAt(mean),
      earliestSeconds: secondsAt(mean + deviation),
      latestSeconds: secondsAt(mean - deviation),
    };
  }

  #turnTo(minute: Minute): void {
    if (minute <= this.#minute) return;
    if (this.#waitedThisMinute) {
      this.#letIn.push(this.#letInThisMinute);
      if (this.#letIn.length > MINUTES_OF_RATE) this.#letIn.shift();
      this.#rate = undefined;
    }
    this.#minute = minute;
    this.#letInThisMinute = 0;
    this.#waitedThisMinute = false;
  }
}

function rateOf(counts: readonly number[]): Rate {
  const mean = counts.reduce((total, count) => total + count, 0) / counts.length;
  const variance = counts.reduce((total, count) => total + (count - mean) ** 2, 0) / counts.length;
  return { mean, deviation: Math.sqrt(variance / counts.length) };
}
