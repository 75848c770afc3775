/**
 * Sessions of silent homes that asked for a slot at this node and found none: the next slots that come free are theirs.
 *
 * Their visitors are inside, and lose their sessions when their cookies are over; visitors in line lose nothing by
 * waiting. Without this, the next visitor who asks takes a free slot, and visitors in line ask more often.
 *
 * Pure. It does not decide whether a slot is free (room-sessions.ts).
 */

import type { AccountId, Minute } from "../../mesh/core/ids.ts";

/** Sessions that are remembered; later ones ask again with their next request. */
const ASKED_MAX = 10_000;

export interface Asked {
  /** The last minute that its cookie is good for. */
  readonly lastGood: Minute;
  /** Its home, if that did not answer: once it does, the session is extended there. */
  readonly silentHome?: AccountId | undefined;
}

export class AdoptionLine {
  readonly #asked = new Map<string, Asked>();
  /** By id, in the order in which they asked. */
  readonly asked: ReadonlyMap<string, Asked> = this.#asked;

  /** A session found no slot. */
  join(id: string, asked: Asked): void {
    if (this.#asked.size < ASKED_MAX || this.#asked.has(id)) this.#asked.set(id, asked);
  }

  /** A session has a slot, or has ended. */
  leave(id: string): void {
    this.#asked.delete(id);
  }

  /**
   * Takes out the session that has waited for longest, of those whose cookies are good in `minute` and whose homes have
   * not come back.
   */
  next(
    minute: Minute,
    isSilent: (home: AccountId) => boolean,
  ): { readonly id: string; readonly lastGood: Minute } | undefined {
    for (const [id, { lastGood, silentHome }] of this.#asked) {
      this.#asked.delete(id);
      if (lastGood >= minute && (silentHome === undefined || isSilent(silentHome))) return { id, lastGood };
    }
    return undefined;
  }

  /** Forgets sessions whose cookies are over: where no slot comes free, nobody takes them out. */
  sweep(minute: Minute): void {
    for (const [id, { lastGood }] of this.#asked) if (lastGood < minute) this.#asked.delete(id);
  }
}
