/**
 * How much longer waits are because nobody is admitted for a part of the time: a node that is cut off from the
 * majority, or that is not in step with the others, uses no slots.
 *
 * A node knows when it may not admit. Nobody knows how long that lasts, but an outage that has lasted for a while lasts
 * for as long again in half of all cases, if nothing else is known of it. And waits are interrupted as often as the
 * node was of late.
 */

/** Weight of a minute compared with the one after it: about the last half hour counts. */
const MEMORY = 0.97;

/**
 * A minute without an outage is taken for granted. With none, the first second of an outage after a start would count
 * as half of all time.
 */
const ASSUMED_UP = 1;

/** No wait is stretched further: a node that was cut off for hours will be needed again when it is back. */
const STRETCH_MAX = 4;

export class Outages {
  readonly #minuteMs: number;
  /** Minutes in which the node admitted, and in which it could not. */
  #up = 0;
  #down = 0;
  #lastMs: number | undefined;
  #sinceMs: number | undefined;

  constructor(minuteMs: number) {
    this.#minuteMs = minuteMs;
  }

  /** Call it often: whether the node may admit now. How long a start took says nothing about the waits after it. */
  note(mayAdmit: boolean, nowMs: number): void {
    this.#sinceMs = mayAdmit ? undefined : (this.#sinceMs ?? nowMs);
    if (this.#lastMs === undefined && !mayAdmit) return;
    const minutes = Math.min(1, Math.max(0, nowMs - (this.#lastMs ?? nowMs)) / this.#minuteMs);
    this.#lastMs = nowMs;
    this.#up = this.#up * MEMORY ** minutes + (mayAdmit ? minutes : 0);
    this.#down = this.#down * MEMORY ** minutes + (mayAdmit ? 0 : minutes);
  }

  /** How many minutes of a wait will be outages, if it takes so many minutes without. */
  within(minutes: number, nowMs: number): number {
    const up = this.#up + ASSUMED_UP;
    const stretch = Math.min(STRETCH_MAX, (up + this.#down) / up);
    const present = this.#sinceMs === undefined ? 0 : Math.max(0, nowMs - this.#sinceMs) / this.#minuteMs;
    return minutes * (stretch - 1) + present;
  }
}
