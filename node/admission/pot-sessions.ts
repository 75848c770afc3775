/**
 * Sessions that are acknowledged on slots of pots, while nobody can say what the lost nodes held.
 *
 * If one of those returns and says it, its table has the same sessions: each that has shown a good cookie of that node's making has a slot
 * there, to that cookie's minute or a later one. Which one is not said, as tables have no ids. So it takes the slot that comes free
 * first, as after a restart (sessions.ts), and holds it to the later of both minutes; whoever is held to longest here chooses first,
 * so that at no minute fewer slots are held than there can be sessions. What cannot be one of the table's is held besides: its
 * cookie is over, or the session was ended. After a restart none of this is possible: ids are lost, and with them which
 * cookies were made here; and a session that was never acknowledged here may have taken the slot of one that was.
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
  /** By id: the latest cookie that was shown here and that the lost node has made. */
  readonly #shown = new Map<string, PotSession>();
  #isComplete = true;

  constructor(sessions: Sessions) {
    this.sessions = sessions;
  }

  /** Whether all that was ever acknowledged on these slots is known by its id. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Holds slots of sessions whose ids are not known. */
  takeOver(slots: SessionsRecord["slots"]): void {
    this.sessions.takeOver({ slots }, []);
    this.#isComplete = false;
  }

  /** A session's first request in `minute`: holds its slot to `extended`; if it has none it gets one where `isFree`. */
  checkIn(
    cookie: PotSession,
    minute: Minute,
    how: { readonly extended: Minute; readonly isFree: () => boolean },
  ): CheckIn {
    const { id, lastGood } = cookie;
    const heldTo = this.sessions.lastGoodOf(id);
    const checkIn = this.sessions.checkIn(id, minute, how.extended, lastGood);
    if (checkIn.kind === "revoked" || (checkIn.kind === "not-mine" && !how.isFree())) return checkIn;
    if (checkIn.kind === "not-mine") this.sessions.admit(id, how.extended);
    // One that is good for longer than anything that was told here can only be of the lost node's making.
    if (heldTo === undefined || lastGood > heldTo) this.#shown.set(id, cookie);
    return { kind: "acknowledged", lastGood: how.extended };
  }

  /** Has `held`, the table of the node that wrote `accounts`, hold what was acknowledged here of theirs. */
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

  /** Forgets what is over; to be called every second or so. */
  sweep(minute: Minute): void {
    this.sessions.sweep(minute);
    for (const id of this.#shown.keys()) if (this.sessions.lastGoodOf(id) === undefined) this.#shown.delete(id);
  }
}
