/**
 * Begins and ends the events of rooms when they are due.
 *
 * It is called before each step, so it remembers until when nothing is due.
 */

import type { LiveRoom } from "./live-room.ts";

export interface TurnNow {
  readonly nowMs: number;
  /** Rises when a draw is decided: an event with a draw begins when its seed is known. */
  readonly drawVersion: number;
}

export class EventTurn {
  /** Which draws were decided at the last look. */
  #drawVersion = 0;
  /** The time within which no event begins or ends, in Unix ms; unknown until the next look. */
  #still: { readonly sinceMs: number; readonly untilMs: number } | undefined;

  /** Looks at all rooms the next time: one of them has changed. */
  reset(): void {
    this.#still = undefined;
  }

  /** A clock that is set back takes back what it had begun. */
  turn(rooms: () => readonly LiveRoom[], { nowMs, drawVersion }: TurnNow): void {
    const isNewDraw = drawVersion !== this.#drawVersion;
    if (!isNewDraw && this.#still !== undefined && isWithin(this.#still, nowMs)) return;
    const all = rooms();
    for (const live of all)
      if (!isWithin(live, nowMs) || (isNewDraw && live.room.draw?.seed === undefined)) live.turn();
    this.#drawVersion = drawVersion;
    this.#still = {
      sinceMs: all.reduce((latest, { sinceMs }) => Math.max(latest, sinceMs), Number.NEGATIVE_INFINITY),
      untilMs: all.reduce((first, { untilMs }) => Math.min(first, untilMs), Number.POSITIVE_INFINITY),
    };
  }
}

function isWithin({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }, nowMs: number): boolean {
  return sinceMs <= nowMs && nowMs < untilMs;
}
