/**
 * How many lines of one kind the log gets in a second: floods must not fill a disk. What was left out is counted and
 * reported from time to time.
 */

/** About 4 kB a second at most. Doubled, a flood fills a disk twice as fast; halved, a busy hour's reports have no ids. */
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
  #second = 0;
  #lines = 0;
  #leftOut = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(options: LogBudgetOptions) {
    this.#options = options;
  }

  /** Whether one more line may be written in this second. */
  take(): boolean {
    const nowMs = this.#options.clock();
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.#tell(nowMs);
      this.#second = second;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines <= LINES_PER_SECOND) return true;
    this.#leftOut += 1;
    return false;
  }

  #tell(nowMs: number): void {
    if (this.#leftOut === 0 || Math.abs(nowMs - this.#toldMs) < TOLD_APART_MS) return;
    this.#options.tell(this.#leftOut);
    this.#leftOut = 0;
    this.#toldMs = nowMs;
  }
}
