/**
 * Whether the disk takes what must be on it before visitors are told: if not, nobody new comes in, and the operator is told so.
 */

import type { Log } from "./log.ts";
import { OnceASecond } from "./once-a-second.ts";

/** How long a refusal is shown in the status: longer than between two looks, shorter than it takes to forget it. */
const SHOWN_MS = 60_000;

export class DiskWatch {
  readonly #log: Log;
  readonly #clock: () => number;
  readonly #often = new OnceASecond();
  #failedMs = Number.NEGATIVE_INFINITY;

  constructor(log: Log, clock: () => number) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Notes that the disk refused something. */
  failed(error: unknown): void {
    this.#failedMs = this.#clock();
    if (this.#often.isDue(this.#failedMs)) {
      this.#log.error(
        { error: String(error) },
        "not stored: new visitors are asked to come again, their slots stay taken",
      );
    }
  }

  /** A warning in words for a minute after the disk refused something. */
  look(nowMs: number): string | undefined {
    if (nowMs - this.#failedMs > SHOWN_MS) return undefined;
    return "the disk refuses what must be stored: new visitors get 503; free space in the data directory, or repair it";
  }
}
