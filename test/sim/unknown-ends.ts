/**
 * Slots of a room that no node could use, whatever the protocol: those of sessions that have ended at a home that
 * nobody can ask.
 *
 * A node that is cut off extends its sessions until its lease is over, its last cookies are good for longer, and a node
 * that is down looks the same from outside. So the slot of each of its sessions is held until the node is back, or until the
 * last cookie from there must be over: its pot ends. Which sessions have ended before, only the judge knows. Of a
 * revoked one all members know, but a copy of its cookie may be extended there.
 *
 * What is left of the room is a bound and not an aim: as if free slots always lay where they are needed, and nothing
 * took time.
 */

import type { AccountId, Minute } from "../../mesh/core/ids.ts";

export interface Session {
  readonly home: AccountId;
  readonly lastGood: Minute;
}

interface Ends {
  readonly isAway: (home: AccountId) => boolean;
  readonly isRevoked: (id: string) => boolean;
}

export class UnknownEnds {
  /** By id: sessions with a good cookie. */
  readonly #sessions = new Map<string, Session>();
  /** Sessions that have ended, with their homes, while nobody could ask there. */
  readonly #ended = new Map<string, AccountId>();
  #minute = 0 as Minute;

  /** A visitor received a session. */
  received(id: string, session: Session): void {
    this.#ended.delete(id);
    const before = this.#sessions.get(id);
    if (before === undefined || before.lastGood <= session.lastGood) this.#sessions.set(id, session);
  }

  /** The slots. */
  get count(): number {
    return this.#ended.size;
  }

  /**
   * Once a second. `isAway`: whether no node that may use the slots of a home knows which of its sessions have ended.
   */
  pass(minute: Minute, { isAway, isRevoked }: Ends): void {
    if (minute !== this.#minute)
      for (const [id, { home, lastGood }] of this.#sessions) {
        if (lastGood >= minute && !isRevoked(id)) continue;
        this.#sessions.delete(id);
        this.#ended.set(id, home);
      }
    this.#minute = minute;
    const away = new Map<AccountId, boolean>();
    const isBack = (home: AccountId): boolean => !away.getOrInsertComputed(home, () => isAway(home));
    for (const [id, home] of this.#ended) if (isBack(home)) this.#ended.delete(id);
  }
}
