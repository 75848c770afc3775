/**
 * Sessions of silent homes that asked for a slot at this node and found none: the next slots that come free are theirs.
 *
 * Their visitors are inside, and lose their sessions when their cookies are over; visitors in line lose nothing by
 * waiting. Without this, the next visitor who asks takes a free slot, and visitors in line ask more often.
 *
 * Pure. It does not decide whether a slot is free (room-sessions.ts).
 */

import type { Minute } from "../../mesh/core/ids.ts";

/** Sessions that are remembered; later ones ask again with their next request. */
const ASKED_MAX = 10_000;

export class AdoptionLine {
  /** By id, in the order in which they asked: the last minute that their cookies are good for. */
  readonly #asked = new Map<string, Minute>();

  get isEmpty(): boolean {
    return this.#asked.size === 0;
  }

  /** The last minute that each cookie is good for, by id. */
  get asked(): ReadonlyMap<string, Minute> {
    return this.#asked;
  }

  /** A session found no slot. */
  join(id: string, lastGood: Minute): void {
    if (this.#asked.size < ASKED_MAX || this.#asked.has(id)) this.#asked.set(id, lastGood);
  }

  /** A session has a slot, or has ended. */
  leave(id: string): void {
    this.#asked.delete(id);
  }

  /** Takes out the session that has waited for longest, of those whose cookies are good in `minute`. */
  next(minute: Minute): { readonly id: string; readonly lastGood: Minute } | undefined {
    for (const [id, lastGood] of this.#asked) {
      this.#asked.delete(id);
      if (lastGood >= minute) return { id, lastGood };
    }
    return undefined;
  }
}
