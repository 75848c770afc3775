/**
 * Reports to the operator which node was refused and why: once a minute per address and reason, and never more than a
 * hundred lines a minute, however often a stranger connects.
 */

type Notify = (address: string, reason: string) => void;

const APART_MS = 60_000;
/** Lines within a minute. A mesh of 100 nodes with one wrong setting has that many different ones. */
const LINES_MAX = 100;

export class Refusals {
  readonly #clock: () => number;
  readonly #notify: Notify;
  /** When each line was written, oldest first. */
  readonly #recent = new Map<string, number>();

  /** `clock` gives ms since any moment, and never goes back. */
  constructor(clock: () => number, notify: Notify) {
    this.#clock = clock;
    this.#notify = notify;
  }

  tell(address: string, reason: string): void {
    const nowMs = this.#clock();
    for (const [line, toldMs] of this.#recent) {
      if (nowMs - toldMs < APART_MS) break;
      this.#recent.delete(line);
    }
    const line = `${address} ${reason}`;
    if (this.#recent.has(line) || this.#recent.size >= LINES_MAX) return;
    this.#recent.set(line, nowMs);
    this.#notify(address, reason);
  }
}
