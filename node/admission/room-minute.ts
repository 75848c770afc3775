/**
 * The present minute of a room at this node, and how many visitors were admitted in it.
 *
 * The minute never goes back, whatever the clock does: what a minute's limit allows is spent once.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";

/** What must be on disk of it. */
export interface MinuteRecord {
  readonly minute: Minute;
  readonly admittedInMinute: number;
}

export class RoomMinute {
  readonly #minuteMs: number;
  #minute: Minute;
  #admitted: number;

  constructor(minuteMs: number, restored: MinuteRecord | undefined) {
    this.#minuteMs = minuteMs;
    this.#minute = restored?.minute ?? (0 as Minute);
    this.#admitted = restored?.admittedInMinute ?? 0;
  }

  get record(): MinuteRecord {
    return { minute: this.#minute, admittedInMinute: this.#admitted };
  }

  /** The minute at `nowMs`, or a later one if a clock has shown that before. */
  at(nowMs: number): Minute {
    const minute = minuteOf(nowMs, this.#minuteMs);
    if (minute > this.#minute) {
      this.#minute = minute;
      this.#admitted = 0;
    }
    return this.#minute;
  }

  /** The minute that `at` returned last. */
  get latest(): Minute {
    return this.#minute;
  }

  /** Visitors admitted in the minute at `nowMs`. */
  admitted(nowMs: number): number {
    this.at(nowMs);
    return this.#admitted;
  }

  noteAdmitted(): void {
    this.#admitted += 1;
  }

  /**
   * Begins with the minute at `nowMs`, also if a clock that was wrong had a later one: for a node that has not been a
   * member yet, and so has admitted nobody.
   */
  begin(nowMs: number): void {
    this.#minute = minuteOf(nowMs, this.#minuteMs);
    this.#admitted = 0;
  }

  /** Counts what another account has admitted in its minute, because its units come here. `nowMs` is 0 if unknown. */
  takeOver({ minute, admittedInMinute }: MinuteRecord, nowMs: number): void {
    const ahead = minute - this.at(nowMs);
    if (ahead === 0) this.#admitted += admittedInMinute;
    else if (ahead === 1 || (ahead > 1 && nowMs === 0)) {
      // The other clock is ahead by a moment, or it is not known here which minute it is: what was spent in that minute
      // must not be spent in it again.
      this.#minute = minute;
      this.#admitted = admittedInMinute;
    }
  }
}
