/**
 * How many lines of one kind the log gets in a second: floods must not fill a disk. What was left out is counted and
 * reported from time to time.
 */

import { PerSecond } from "./per-second.ts";

/**
 * About 4 kB a second at most. Doubled, a flood fills a disk twice as fast; halved, a busy hour's reports have no ids.
 */
export const LINES_PER_SECOND = 20;

/** How often a flood is reported. */
const TOLD_APART_MS = 10_000;

export interface LogBudgetOptions {
  readonly clock: () => number;
  /** Reports how many lines were left out. */
  readonly tell: (count: number) => void;
}

export class LogBudget {
  readonly #options: LogBudgetOptions;
  readonly #lines = new PerSecond(LINES_PER_SECOND);
  #leftOut = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(options: LogBudgetOptions) {
    this.#options = options;
  }

  /** Whether one more line may be written in this second, about this sender if one is named. */
  take(by?: string): boolean {
    const nowMs = this.#options.clock();
    if (!this.#lines.take(nowMs, by)) {
      this.#leftOut += 1;
      return false;
    }
    this.#tell(nowMs);
    return true;
  }

  #tell(nowMs: number): void {
    if (this.#leftOut === 0 || Math.abs(nowMs - this.#toldMs) < TOLD_APART_MS) return;
    this.#options.tell(this.#leftOut);
    this.#leftOut = 0;
    this.#toldMs = nowMs;
  }
}
