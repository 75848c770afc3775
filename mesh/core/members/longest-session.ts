/**
 * The longest session that counts, a field of the view: how long slots must count as held when no node answers for
 * them.
 *
 * A member gives and extends sessions of at most `sessionMinutes` of its view, whatever a room's document says. So a
 * longer duration takes effect with a view, and each node that removes another one knows what that one may have given.
 * A shorter one comes with a view that keeps the longer as `earlierMinutes`: sessions of that length exist until all
 * members have answered in such a view and the last of the sessions is over. Then the next view drops it.
 *
 * The only member of a mesh need not wait: no node removes it, and the next view says what it has given.
 *
 * All rooms count together, because inherited accounts of all rooms are settled together. Price: after sessions were
 * shortened, pots last as for the longer ones for twice that time.
 */

import type { NodeId, RoomId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { GRACE_MS, scaledMs } from "../minute.ts";
import type { View } from "./view.ts";

/** The longest that a room can allow, in minutes: used where a duration cannot be read. */
export const SESSION_MINUTES_MAX = 30;
/** The shortest. A session may always last this long, even where no view names a room. */
const SESSION_MINUTES_MIN = 1;

/** Minutes for which a name is kept beyond two sessions: each is counted in whole minutes, and clocks differ by seconds. */
const NAME_MARGIN_MINUTES = 4;

/** What a view says about sessions. */
export type SessionsOf = Pick<View, "sessionMinutes" | "earlierMinutes">;

export class LongestSession {
  readonly #minuteMs: number;
  readonly #leaseMs: number;
  /** By room: how long its sessions last. */
  readonly #allowed = new Map<RoomId, number>();
  #view: SessionsOf & Pick<View, "number"> = { number: 0 };
  #isAlone = false;
  #most = SESSION_MINUTES_MIN;
  /** Members that were so when the view began to say this, and have not answered since. */
  #unseen = new Set<NodeId>();
  /** Since when all others have answered, and the rooms here allow what they do. */
  #sinceMs = 0;
  #allowedThen = 0;

  constructor({ minuteMs, leaseMs }: { readonly minuteMs: number; readonly leaseMs: number }) {
    this.#minuteMs = minuteMs;
    this.#leaseMs = leaseMs;
  }

  /** A room's sessions last `minutes` from now on; 0 if it was deleted. */
  allow(room: RoomId, minutes: number): void {
    if (minutes === 0) this.#allowed.delete(room);
    else this.#allowed.set(room, minutes);
    this.#raiseIfAlone();
  }

  /** The longest that any room here allows, in minutes. */
  get allowed(): number {
    return Math.max(SESSION_MINUTES_MIN, ...this.#allowed.values());
  }

  /** Most minutes that a session given or extended here may last, whatever its room allows. */
  get most(): number {
    return this.#most;
  }

  /** The longest session that may exist, in minutes. */
  get longest(): number {
    return Math.max(this.most, this.#view.earlierMinutes ?? 0);
  }

  /**
   * Whole minutes after which all sessions must be over: those that any node gave up to now, and those that it gives in
   * the rest of a lease.
   */
  get overMinutes(): number {
    return Math.ceil(this.#lastsMs / this.#minuteMs);
  }

  /** A view is known here, with these beside this node: a new one, or that of the disk. */
  learned({ number, sessionMinutes, earlierMinutes }: View, others: readonly NodeId[], { steadyMs }: Instant): void {
    const { most, longest } = this;
    const before = this.#view.number;
    this.#view = { number, sessionMinutes, earlierMinutes };
    this.#most = sessionMinutes ?? SESSION_MINUTES_MIN;
    this.#isAlone = others.length === 0;
    this.#raiseIfAlone();
    const isSame = before > 0 && number === before + 1 && this.most === most && this.longest === longest;
    if (!isSame || this.#unseen.size > 0) this.#sinceMs = steadyMs;
    // Of the same as before, one that has joined since has never known anything else.
    this.#unseen = isSame ? this.#unseen.intersection(new Set(others)) : new Set(others);
  }

  /** A member has answered in the view that is known here. */
  answered(node: NodeId, { steadyMs }: Instant): void {
    if (this.#unseen.delete(node)) this.#sinceMs = steadyMs;
  }

  /** Call it often. */
  tick({ steadyMs }: Instant): void {
    const { allowed } = this;
    if (this.#unseen.size > 0 || allowed !== this.#allowedThen) this.#sinceMs = steadyMs;
    this.#allowedThen = allowed;
  }

  /** What the next view is to say of sessions; undefined for the same as this one. */
  next({ steadyMs }: Instant): SessionsOf | undefined {
    const { allowed, most } = this;
    const wanted = Math.max(allowed, most);
    if (wanted > (this.#view.sessionMinutes ?? SESSION_MINUTES_MIN)) return sessionsUpTo(wanted, this.longest);
    if (this.longest === allowed || steadyMs - this.#sinceMs < this.#lastsMs) return undefined;
    return sessionsUpTo(allowed, most);
  }

  /**
   * Ms for which a view keeps the name of a former member, from the view that gave it its heir. Cookies name the account
   * on which their session rests. Once the pot is over, each check-in brings a cookie with the name of the node that
   * answers, so after one more session there is none with the old name. An heir that was down meanwhile needs longer. No
   * limit depends on it: the session of a name that is gone is adopted on a free slot.
   */
  get nameKeptMs(): number {
    return this.#leaseMs + (2 * this.longest + NAME_MARGIN_MINUTES) * this.#minuteMs;
  }

  #raiseIfAlone(): void {
    if (this.#isAlone) this.#most = Math.max(this.#most, this.allowed);
  }

  /** Ms from the last moment at which such a session was given until it must be over, at a node that was cut off then. */
  get #lastsMs(): number {
    return this.#leaseMs + (this.longest + 2) * this.#minuteMs + scaledMs(GRACE_MS, this.#minuteMs);
  }
}

function sessionsUpTo(sessionMinutes: number, earlierMinutes: number): SessionsOf {
  return { sessionMinutes, ...(earlierMinutes > sessionMinutes && { earlierMinutes }) };
}
