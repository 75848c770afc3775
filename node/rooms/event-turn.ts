/**
 * Begins and ends the events of rooms when they are due.
 *
 * It is called before each step, so it remembers until when nothing is due.
 */

import type { LiveRoom } from "./live-room.ts";

export class EventTurn {
  /** The time within which no event begins or ends, in Unix ms; unknown until the next look. */
  #still: { readonly sinceMs: number; readonly untilMs: number } | undefined;

  /** Looks at all rooms the next time: one of them has changed. */
  reset(): void {
    this.#still = undefined;
  }

  /** A clock that is set back takes back what it had begun. */
  turn(rooms: () => readonly LiveRoom[], nowMs: number): void {
    if (this.#still !== undefined && isWithin(this.#still, nowMs)) return;
    const all = rooms();
    for (const live of all) if (!isWithin(live, nowMs)) live.turn();
    this.#still = {
      sinceMs: all.reduce((latest, { sinceMs }) => Math.max(latest, sinceMs), Number.NEGATIVE_INFINITY),
      untilMs: all.reduce((first, { untilMs }) => Math.min(first, untilMs), Number.POSITIVE_INFINITY),
    };
  }
}

function isWithin({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }, nowMs: number): boolean {
  return sinceMs <= nowMs && nowMs < untilMs;
}
