/**
 * The sessions of one account in one room: every stay rests on a slot.
 *
 * A session checked in in minute m holds one slot to the end of minute m + sessionDuration, plus a grace for clocks and
 * messages under way; its cookie is accepted to the end of that minute. Slots are counted per last good minute, so that
 * releasing a minute's slots is one subtraction however many sessions end. Parallel requests count once: the account
 * remembers each id's last good minute.
 *
 * After a restart the ids are lost but the numbers are not. As many slots stay held to each minute as were, and as many
 * unknown ids are acknowledged. Each gets the slot that would be released first, so all that come back find one. It
 * does not decide which visitors are admitted (see admission.ts).
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { GRACE_MS, minutePlus, scaledMs, startOfMinuteMs } from "../../mesh/core/minute.ts";

/** What must be on disk before any answer depends on it. */
export interface SessionsRecord {
  /** Slots held, by the last minute their session is good for, earliest first; perhaps some whose minute is over. */
  readonly slots: readonly (readonly [lastGood: Minute, slots: number])[];
}

/** A session that the origin ended, and the last minute that its cookie could be good for. */
export interface Revoked {
  readonly id: string;
  readonly lastGood: Minute;
}

export type CheckIn =
  | { readonly kind: "acknowledged"; readonly lastGood: Minute }
  | { readonly kind: "revoked" }
  | { readonly kind: "not-mine" };

/** How many ids one sweep checks: 20,000 take about 1 ms, so that no request waits behind a sweep of millions. */
const IDS_PER_SWEEP = 20_000;

export class Sessions {
  readonly #minuteMs: number;
  readonly #graceMs: number;
  /** How many minutes an ended session's id is remembered, so that its old place in line can't be used again. */
  rememberMinutes: number;
  readonly #lastGoodById = new Map<string, Minute>();
  /** Slots held, by the last minute their session is good for. */
  readonly #slotsByLastGood = new Map<Minute, number>();
  /** Ids whose session the origin ended, with the last minute their cookie could be good for. */
  readonly #revoked = new Map<string, Minute>();
  #held = 0;
  #released = 0;
  #lastGoodMax = 0 as Minute;
  #nextReleaseMs = Number.POSITIVE_INFINITY;
  /** Slots of sessions from before the restart whose ids are not known yet, by last good minute, earliest first. */
  readonly #unknown = new Map<Minute, number>();
  #sweep: MapIterator<[string, Minute]> | undefined;

  constructor(options: {
    minuteMs: number;
    rememberMinutes: number;
    restored?: SessionsRecord | undefined;
    revoked?: readonly Revoked[] | undefined;
  }) {
    const { minuteMs, restored, revoked = [] } = options;
    this.#minuteMs = minuteMs;
    this.rememberMinutes = options.rememberMinutes;
    this.#graceMs = scaledMs(GRACE_MS, minuteMs);
    this.takeOver(restored ?? { slots: [] }, revoked);
  }

  /**
   * Holds slots of sessions whose ids are not known: of this account before a restart, or of an account that is taken
   * over.
   */
  takeOver({ slots }: SessionsRecord, revoked: readonly Revoked[]): void {
    for (const one of revoked) this.refuse(one);
    for (const [lastGood, count] of slots) {
      this.#unknown.set(lastGood, (this.#unknown.get(lastGood) ?? 0) + count);
      this.#hold(lastGood, count);
    }
    // In the order in which they are claimed.
    const ordered = [...this.#unknown].sort(([one], [other]) => one - other);
    this.#unknown.clear();
    for (const [lastGood, count] of ordered) this.#unknown.set(lastGood, count);
  }

  /** Continues the sessions of another table, ids included. */
  absorb(other: Sessions): void {
    this.takeOver({ slots: [...other.#unknown] }, []);
    for (const [lastGood, slots] of other.#slotsByLastGood) {
      const known = slots - (other.#unknown.get(lastGood) ?? 0);
      if (known > 0) this.#hold(lastGood, known);
    }
    for (const [id, lastGood] of other.#lastGoodById) this.#lastGoodById.set(id, lastGood);
    for (const [id, lastGood] of other.#revoked) this.refuse({ id, lastGood });
  }

  /** Whether no slot is held, and no session is remembered. */
  get isEmpty(): boolean {
    return this.#held === 0 && this.#lastGoodById.size === 0 && this.#revoked.size === 0;
  }

  get record(): SessionsRecord {
    return { slots: [...this.#slotsByLastGood].sort(([one], [other]) => one - other) };
  }

  /** Sessions that the origin ended and whose cookies could still be good. */
  get revoked(): readonly Revoked[] {
    return Array.from(this.#revoked, ([id, lastGood]) => ({ id, lastGood }));
  }

  /** Last good minute of a session, over or not; undefined for an id that is unknown or forgotten. */
  lastGoodOf(id: string): Minute | undefined {
    return this.#lastGoodById.get(id);
  }

  /** Slots released so far, since this object was made. */
  get released(): number {
    return this.#released;
  }

  /** Slots held at `nowMs`. */
  held(nowMs: number): number {
    if (nowMs >= this.#nextReleaseMs) this.#release(nowMs);
    return this.#held;
  }

  /**
   * Takes a slot for `id` until the end of `lastGood`. The caller has checked that one is free, and that the id is new.
   */
  admit(id: string, lastGood: Minute): void {
    this.#lastGoodById.set(id, lastGood);
    this.#hold(lastGood, 1);
  }

  /**
   * First request of session `id` in `minute`: holds its slot to `lastGood` at least. Only for ids whose cookie is
   * still good, and with a `lastGood` that is not before the cookie's. A slot that is held for longer stays so, as a
   * restored one: another cookie of the session may be good for longer. An unknown id gets one of the slots held for
   * such ids only if its cookie, good to `cookie`, is not over: otherwise a late question would take the slot of a
   * session that came after.
   */
  checkIn(id: string, minute: Minute, lastGood: Minute, cookie = lastGood): CheckIn {
    if (this.#revoked.has(id)) return { kind: "revoked" };
    let known = this.#lastGoodById.get(id);
    // A session known by an older cookie that proves a later slot: that slot is among the unknown ones.
    if ((known === undefined || known < minute) && cookie >= minute) known = this.#claimUnknown(minute);
    if (known === undefined || known < minute) return { kind: "not-mine" };
    const heldTo = known > lastGood ? known : lastGood;
    this.#lastGoodById.set(id, heldTo);
    if (heldTo > known) this.#move(known, heldTo);
    return { kind: "acknowledged", lastGood };
  }

  /** Whether a session is refused because the origin ended it. */
  isRevoked(id: string): boolean {
    return this.#revoked.has(id);
  }

  /**
   * Refuses a session that the origin ended, for as long as a cookie of it could be good; its slot is held as before.
   * Returns whether that is new.
   */
  refuse({ id, lastGood }: Revoked): boolean {
    const before = this.#revoked.get(id);
    if (before === undefined || before < lastGood) this.#revoked.set(id, lastGood);
    return before === undefined;
  }

  /**
   * Ends a session on the origin's command: refused at its next check-in, its slot free at the end of `minute`. Returns
   * the minute it was good for, or undefined if it was over.
   */
  revoke(id: string, minute: Minute): Minute | undefined {
    const known = this.#lastGoodById.get(id);
    // For a refused session that is unknown here no slot is held, or it is unknown which.
    if (this.#revoked.has(id) && (known === undefined || known <= minute)) return undefined;
    const held = known ?? this.#claimUnknown(minute);
    if (held === undefined || held < minute) return undefined;
    // For an unknown session only this is sure: its cookie is good for no longer than any.
    const lastGood = known ?? this.#lastGoodMax;
    this.refuse({ id, lastGood });
    this.#lastGoodById.set(id, minute);
    this.#move(held, minute);
    return lastGood;
  }

  /** Withdraws the admission of `id`, which was never sent: its slot is free at once. Returns whether there was one. */
  withdraw(id: string): boolean {
    const lastGood = this.#lastGoodById.get(id);
    if (lastGood === undefined) return false;
    this.#lastGoodById.delete(id);
    this.#letGo(lastGood);
    return true;
  }

  /**
   * Forgets ids whose last good minute is long over; call it every second or so. Each call checks a bounded number.
   * Returns the revoked ones that were forgotten.
   */
  sweep(minute: Minute): string[] {
    this.#sweep ??= this.#lastGoodById.entries();
    for (let looked = 0; looked < IDS_PER_SWEEP; looked++) {
      const { value, done } = this.#sweep.next();
      if (done) {
        this.#sweep = undefined;
        break;
      }
      if (value[1] + this.rememberMinutes < minute) this.#lastGoodById.delete(value[0]);
    }
    const over = [...this.#revoked].flatMap(([id, lastGood]) => (lastGood < minute ? [id] : []));
    for (const id of over) this.#revoked.delete(id);
    return over;
  }

  /**
   * One of the restored sessions becomes known: returns the last minute for which its slot is held, the earliest of
   * those not over. Undefined if all are known.
   */
  #claimUnknown(minute: Minute): Minute | undefined {
    for (const [lastGood, slots] of this.#unknown) {
      if (lastGood < minute) continue;
      if (slots > 1) this.#unknown.set(lastGood, slots - 1);
      else this.#unknown.delete(lastGood);
      return lastGood;
    }
    return undefined;
  }

  #hold(lastGood: Minute, slots: number): void {
    this.#held += slots;
    this.#slotsByLastGood.set(lastGood, (this.#slotsByLastGood.get(lastGood) ?? 0) + slots);
    if (lastGood > this.#lastGoodMax) this.#lastGoodMax = lastGood;
    this.#nextReleaseMs = Math.min(this.#nextReleaseMs, this.#releaseMs(lastGood));
  }

  #move(from: Minute, to: Minute): void {
    this.#letGo(from);
    this.#hold(to, 1);
  }

  #letGo(lastGood: Minute): void {
    const slots = (this.#slotsByLastGood.get(lastGood) ?? 0) - 1;
    if (slots > 0) this.#slotsByLastGood.set(lastGood, slots);
    else this.#slotsByLastGood.delete(lastGood);
    this.#held -= 1;
  }

  #release(nowMs: number): void {
    let next = Number.POSITIVE_INFINITY;
    for (const [lastGood, slots] of this.#slotsByLastGood) {
      const releaseMs = this.#releaseMs(lastGood);
      if (releaseMs > nowMs) {
        next = Math.min(next, releaseMs);
        continue;
      }
      this.#held -= slots;
      this.#released += slots;
      this.#slotsByLastGood.delete(lastGood);
      this.#unknown.delete(lastGood);
    }
    this.#nextReleaseMs = next;
  }

  #releaseMs(lastGood: Minute): number {
    return startOfMinuteMs(minutePlus(lastGood, 1), this.#minuteMs) + this.#graceMs;
  }
}
