/**
 * How many of the visitors in a line show up, learned from those who were called and from those who joined; and the
 * time in which they could be heard.
 *
 * Some of the called visitors never ask again, and programs may join that never ask at all. Visitors are called past
 * both, so that their slots are not idle.
 */

/**
 * Most of the called visitors that are expected not to show up. Without the cap, a burst of abandoners would call the
 * whole line.
 */
const NO_SHOW_SHARE_MAX = 0.5;

/** Weight of the earlier share before each new outcome: about the last 50 visitors count. */
const MEMORY = 0.98;

/**
 * Least part of the visitors who have not asked again yet that is expected to ask: of a hundred in front, two keep a
 * slot from those behind. At 0, one wrong guess would call the whole line.
 */
const POLLS_SHARE_MIN = 0.02;

/** From this part on they all count: a lost poll is not worth calling one more for. */
const POLLS_SHARE_ALL = 0.9;

export class Turnout {
  #noShowShare = 0;
  /** Of those who joined of late, the part that has polled since. */
  #pollsShare = 1;

  /** The part of the visitors who never polled that is expected to. */
  get freshShare(): number {
    return this.#pollsShare >= POLLS_SHARE_ALL ? 1 : Math.max(POLLS_SHARE_MIN, this.#pollsShare);
  }

  /** How many visitors are called for so many slots. */
  calledFor(slots: number): number {
    // Rounded down: of two visitors called for one slot the younger may be the first to ask.
    return Math.floor(slots / (1 - Math.min(this.#noShowShare, NO_SHOW_SHARE_MAX)));
  }

  /** A visitor who joined has polled for the first time, or counts as gone without that. */
  noteJoined(polled: 0 | 1): void {
    this.#pollsShare = MEMORY * this.#pollsShare + (1 - MEMORY) * polled;
  }

  /** A called visitor has shown up, or counts as gone. */
  noteCalled(noShow: 0 | 1): void {
    this.#noShowShare = MEMORY * this.#noShowShare + (1 - MEMORY) * noShow;
  }
}

/**
 * A line that has not been checked for this long has heard nobody meanwhile: the process was stopped. It is checked
 * twice a second. A tenth of it would mistake a busy moment for a stop; ten times as long, a short stop would clear a
 * line of fast polls.
 */
const DEAF_AFTER_MS = 2_000;

/**
 * The time in which visitors could be heard: without suspensions of the process, and without steps of the clock, which
 * look the same.
 */
export class HeardTime {
  #lastMs: number | undefined;
  #deafMs = 0;

  /** The time at `nowMs`. */
  at(nowMs: number): number {
    const sinceMs = nowMs - (this.#lastMs ?? nowMs);
    if (sinceMs < 0 || sinceMs > DEAF_AFTER_MS) this.#deafMs += sinceMs;
    this.#lastMs = nowMs;
    return nowMs - this.#deafMs;
  }

  /** The time when it was last asked for; 0 if it never was. */
  get lastMs(): number {
    return (this.#lastMs ?? 0) - this.#deafMs;
  }
}
