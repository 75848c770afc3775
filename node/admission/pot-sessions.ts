/**
 * Sessions that are acknowledged on slots of pots, while it is unknown what the lost nodes held.
 *
 * If one of those nodes returns and reports it, its table has the same sessions: each that has shown a good cookie made
 * by that node has a slot there, to that cookie's minute or a later one. Tables have no ids, so it is unknown which. So
 * it takes the slot that comes free first, as after a restart (sessions.ts), and holds it to the later of both minutes.
 * Sessions held to longest here choose first, so that at no minute fewer slots are held than there can be sessions. A
 * session that cannot be in the table is held in addition: its cookie is over, or it was ended. After a restart none of
 * this is possible: ids are lost, and with them which cookies were made here; and a session that was never acknowledged
 * here may have taken the slot of one that was.
 */

import type { AccountId, Minute } from "../../mesh/core/ids.ts";
import type { CheckIn, Sessions, SessionsRecord } from "./sessions.ts";

/** A session by its cookie. */
export interface PotSession {
  readonly id: string;
  readonly home: AccountId;
  readonly lastGood: Minute;
}

export class PotSessions {
  readonly sessions: Sessions;
  /** By id: the latest cookie shown here that the lost node has made. */
  readonly #shown = new Map<string, PotSession>();
  #isComplete = true;

  constructor(sessions: Sessions) {
    this.sessions = sessions;
  }

  /** Whether the ids of all sessions ever acknowledged on these slots are known. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Holds slots of sessions whose ids are not known. */
  takeOver(slots: SessionsRecord["slots"]): void {
    this.sessions.takeOver({ slots }, []);
    this.#isComplete = false;
  }

  /**
   * A session's first request in `minute`: holds its slot to `extended`; if it has none it gets one where `isFree`.
   * After a restart it is unknown whose slots are held, and a session that has never been acknowledged here has none of
   * them. So each takes a free slot first, and one of those only if none is free: then they are enough for all.
   */
  checkIn(
    cookie: PotSession,
    minute: Minute,
    how: { readonly extended: Minute; readonly isFree: () => boolean },
  ): CheckIn {
    const { id, lastGood } = cookie;
    const { sessions } = this;
    if (sessions.isRevoked(id)) return { kind: "revoked" };
    const heldTo = sessions.lastGoodOf(id);
    const isHeld = heldTo !== undefined && heldTo >= minute;
    if (!isHeld && how.isFree()) sessions.admit(id, how.extended);
    else {
      const checkIn = sessions.checkIn(id, minute, how.extended, lastGood);
      if (checkIn.kind !== "acknowledged") return checkIn;
    }
    // A cookie that is good for longer than anything sent here can only come from the lost node.
    if (heldTo === undefined || lastGood > heldTo) this.#shown.set(id, cookie);
    return { kind: "acknowledged", lastGood: how.extended };
  }

  /**
   * Makes `held`, the table of the node that wrote `accounts`, hold the sessions of theirs that were acknowledged here.
   */
  moveTo(held: Sessions, accounts: readonly AccountId[], minute: Minute): void {
    const { sessions } = this;
    const own = [...this.#shown.values()].flatMap(({ id, home, lastGood: cookie }) => {
      const heldTo = sessions.lastGoodOf(id);
      const isAbout = heldTo !== undefined && heldTo >= minute && !sessions.isRevoked(id);
      return isAbout && accounts.includes(home) ? [{ id, cookie, heldTo }] : [];
    });
    for (const { id, cookie, heldTo } of own.sort((one, other) => other.heldTo - one.heldTo)) {
      sessions.withdraw(id);
      if (held.checkIn(id, minute, heldTo, cookie).kind !== "acknowledged") held.admit(id, heldTo);
    }
  }

  /** Forgets what is over; call it every second or so. */
  sweep(minute: Minute): void {
    this.sessions.sweep(minute);
    for (const id of this.#shown.keys()) if (this.sessions.lastGoodOf(id) === undefined) this.#shown.delete(id);
  }
}
