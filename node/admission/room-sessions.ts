/**
 * The sessions in one room that this node is the home of: it admits, extends, adopts and ends them.
 *
 * A session rests on an own slot, or on a slot of a group of pots (accounts of lost nodes, whose sessions may still
 * exist) until the group settles. Each change that another node may rely on is in `record`, which the caller puts on
 * disk before it answers.
 *
 * Pure: time comes in as `nowMs`. It does not decide which visitors are admitted (admission.ts), nor which node is a
 * session's home (mesh/check-ins.ts).
 */

import type { AccountId, Minute } from "../../mesh/core/ids.ts";
import type { CountKind } from "../../mesh/core/ledger/row.ts";
import { minutePlus } from "../../mesh/core/minute.ts";
import { type AdmissionRecord, potsIn, type Restored } from "./admission-record.ts";
import { AdoptionLine } from "./adoption-line.ts";
import { rememberMinutes } from "./kept-place.ts";
import { type PotSession, PotSessions } from "./pot-sessions.ts";
import { ofMembers, type RoomConfig } from "./room-config.ts";
import { RoomMinute } from "./room-minute.ts";
import { type CheckIn, type Revoked, Sessions, type SessionsRecord } from "./sessions.ts";

/** The account in this room, as the admission needs it: its slots, from its units in the ledger, and its counts. */
export interface RoomAccount {
  /** Slots of the `active` resource. */
  active(limit: number, minute: Minute): number;
  /** Admissions of the `arrivals` resource in `minute`. */
  arrivals(limit: number, minute: Minute): number;
  /** Slots of the `active` resource in a group of pots: inherited accounts whose sessions may still exist. */
  pot(group: string, limit: number, minute: Minute): number;
  /** Most sessions that may be held, not counting pots, whatever the account owns. */
  ceiling(): number;
  /** Publishes one more of `kind` in `minute`: for views, waits and policies, never for admission. */
  count(kind: CountKind, minute: Minute): void;
}

const NOT_MINE: CheckIn = { kind: "not-mine" };

export interface Admitted {
  readonly kind: "admitted";
  readonly lastGood: Minute;
}

export interface RoomSessionsOptions {
  readonly account: RoomAccount;
  readonly minuteMs: number;
  readonly restored: Restored | undefined;
  /** Most minutes that a session given or extended now may last, whatever the room allows; no bound if left out. */
  readonly sessionMinutesMost?: (() => number) | undefined;
}

export class RoomSessions {
  readonly #account: RoomAccount;
  readonly #config: RoomConfig;
  readonly #minuteMs: number;
  readonly #sessionMinutesMost: (() => number) | undefined;
  /** The present minute, and how many visitors were admitted in it. */
  readonly minute: RoomMinute;
  readonly #sessions: Sessions;
  /** By group of pots: sessions on their slots. They count only against those until the group settles. */
  readonly #pots = new Map<string, PotSessions>();
  /** Sessions of other homes that found no free slot here. */
  readonly adoptions = new AdoptionLine();

  constructor(config: RoomConfig, { account, minuteMs, restored, sessionMinutesMost }: RoomSessionsOptions) {
    this.#account = account;
    this.#config = config;
    this.#minuteMs = minuteMs;
    this.#sessionMinutesMost = sessionMinutesMost;
    this.minute = new RoomMinute(minuteMs, restored?.record);
    this.#sessions = new Sessions({
      minuteMs,
      rememberMinutes: this.#rememberMinutes(),
      restored: restored?.record,
      revoked: restored?.revoked,
    });
    for (const [group, slots] of potsIn(restored?.record)) this.#potOf(group).takeOver(slots);
  }

  /** Whether no slot is held, and there is no session, over or not, that something here remembers. */
  isEmpty(nowMs: number): boolean {
    const isForgotten = this.#sessions.isEmpty && this.#pots.size === 0 && this.adoptions.asked.size === 0;
    return isForgotten && this.inside(nowMs) === 0;
  }

  /** Slots held by sessions, those of members included, not counting pots. */
  inside(nowMs: number): number {
    return this.#sessions.held(nowMs) + ofMembers(this.#config, (member) => member.inside(nowMs));
  }

  /** Slots of pots held by sessions that have checked in here. */
  insidePots(nowMs: number): number {
    return this.#pots.values().reduce((sum, { sessions }) => sum + sessions.held(nowMs), 0);
  }

  /** The same of one group of pots. */
  insidePot(group: string, nowMs: number): number {
    return this.#pots.get(group)?.sessions.held(nowMs) ?? 0;
  }

  /**
   * Admits a visitor on a free slot; the caller has checked that there is one. `trialSeconds`: within which the visitor
   * is to enter, if not at once. The session is only as long, and its first check-in makes it a whole one.
   */
  admit(id: string, nowMs: number, trialSeconds = 0): Admitted {
    const whole = this.#lastGood(nowMs);
    const lastGood = trialSeconds > 0 ? (Math.min(whole, this.#trialEnd(trialSeconds)) as Minute) : whole;
    this.#sessions.admit(id, lastGood);
    this.minute.noteAdmitted();
    this.#account.count("in", lastGood < whole ? this.#countedIn(lastGood) : this.minute.latest);
    return { kind: "admitted", lastGood };
  }

  /**
   * The decision on a visitor whose place was used here before: of two polls under way at once the first takes the
   * slot, the second is admitted to the same session. Undefined for a visitor who has not been admitted here.
   */
  knownAs(id: string, nowMs: number): Admitted | { readonly kind: "used" } | undefined {
    const lastGood = this.#sessions.lastGoodOf(id);
    if (lastGood === undefined) return undefined;
    return lastGood >= this.minute.at(nowMs) ? { kind: "admitted", lastGood } : { kind: "used" };
  }

  /** Whether one more session may be held here, if there is a slot for it. */
  mayHoldMore(nowMs: number): boolean {
    const isMore = this.inside(nowMs) < this.#account.ceiling();
    return isMore && (this.#config.site?.mayHoldMore(nowMs) ?? true);
  }

  /**
   * First request of a session in a minute. `lastGood`: what its cookie says. A session that this account does not hold
   * is adopted if a slot is free; otherwise it has none (`not-mine`).
   */
  checkIn(id: string, lastGood: Minute, nowMs: number): CheckIn {
    return this.#checkIn({ id, lastGood, isHome: true }, nowMs);
  }

  /**
   * The same for a session of another account: it has no claim to the slots that are held for this one's. `silentHome`:
   * that account, if its node does not answer.
   */
  adopt(id: string, lastGood: Minute, nowMs: number, silentHome?: AccountId): CheckIn {
    const heldTo = this.#sessions.lastGoodOf(id);
    const minute = this.minute.at(nowMs);
    const isHome = heldTo !== undefined && heldTo >= minute;
    const checkIn = this.#checkIn({ id, lastGood, isHome }, nowMs);
    if (checkIn.kind === "not-mine" && lastGood >= minute) this.adoptions.join(id, { lastGood, silentHome });
    else this.adoptions.leave(id);
    return checkIn;
  }

  /**
   * Gives free slots to sessions that asked to be adopted and found none, each to the end of its cookie: its next
   * request finds it adopted. Those whose home was silent then and is not now have a slot there, or ask again. Returns
   * whether there were any.
   */
  adoptNext(nowMs: number, isSilent: (home: AccountId) => boolean): boolean {
    if (this.adoptions.asked.size === 0) return false;
    const minute = this.minute.at(nowMs);
    let isAny = false;
    while (this.isFree(nowMs)) {
      const next = this.adoptions.next(minute, isSilent);
      if (next === undefined) return isAny;
      if (this.isRevoked(next.id) || (this.#sessions.lastGoodOf(next.id) ?? 0) >= minute) continue;
      this.#sessions.admit(next.id, next.lastGood);
      this.#account.count("in", this.#countedIn(next.lastGood));
      isAny = true;
    }
    return isAny;
  }

  /** Whether one more session may be held, and there is a slot for it. */
  isFree(nowMs: number): boolean {
    const slots = this.#account.active(this.#config.room.totalActiveUsers, this.minute.at(nowMs));
    const isSlot = this.inside(nowMs) < slots && (this.#config.site?.isFree(nowMs) ?? true);
    return isSlot && this.mayHoldMore(nowMs);
  }

  /**
   * The same for a session of an account in a group of pots: it may have one of those slots, as long as one is left.
   */
  checkInPot(group: string, cookie: PotSession, nowMs: number): CheckIn {
    const minute = this.minute.at(nowMs);
    const extended = this.#extended(cookie.lastGood, nowMs);
    const pot = this.#potOf(group);
    const isFree = () =>
      pot.sessions.held(nowMs) < this.#account.pot(group, this.#config.room.totalActiveUsers, minute);
    return pot.checkIn(cookie, minute, { extended, isFree });
  }

  /**
   * Gives a session that this account holds a new term on the origin's command, also where sessions are not renewed:
   * `minutes` from now, and no more than a whole session, for which slots may be held anyway. Never a shorter one than
   * it has. `group`: the group of pots that its home is in.
   */
  extend({ id, home, lastGood }: PotSession, minutes: number, nowMs: number, group?: string): CheckIn {
    const minute = this.minute.at(nowMs);
    const { sessions } = group === undefined ? { sessions: this.#sessions } : this.#potOf(group);
    const heldTo = sessions.lastGoodOf(id);
    if (this.isRevoked(id)) return { kind: "revoked" };
    // A session that no slot is held for, as far as is known here, gets none by this: it checks in for that.
    if (heldTo === undefined || heldTo < minute) return NOT_MINE;
    const asked = Math.min(this.#lastGood(nowMs), minutePlus(minute, minutes));
    const extended = Math.max(lastGood, asked) as Minute;
    if (group !== undefined)
      return this.#potOf(group).checkIn({ id, home, lastGood }, minute, { extended, isFree: () => false });
    const checkIn = this.#sessions.checkIn(id, minute, extended, lastGood);
    if (checkIn.kind === "acknowledged" && extended > heldTo) this.#countMove(heldTo, extended);
    return checkIn;
  }

  #checkIn({ id, lastGood, isHome }: { id: string; lastGood: Minute; isHome: boolean }, nowMs: number): CheckIn {
    if (this.isRevoked(id)) return { kind: "revoked" };
    const minute = this.minute.at(nowMs);
    const isFree = this.isFree(nowMs);
    const before = this.#sessions.lastGoodOf(id) ?? lastGood;
    const extended = this.#extended(lastGood, nowMs);
    const checkIn = isHome ? this.#sessions.checkIn(id, minute, extended, lastGood) : NOT_MINE;
    if (checkIn.kind === "not-mine" && isFree) {
      this.#sessions.admit(id, extended);
      this.#account.count("in", minute);
      return { kind: "acknowledged", lastGood: extended };
    }
    if (checkIn.kind === "acknowledged" && checkIn.lastGood > before) this.#countMove(before, checkIn.lastGood);
    return checkIn;
  }

  /** Whether a session is refused, whatever its home. */
  isRevoked(id: string): boolean {
    return this.#sessions.isRevoked(id);
  }

  /**
   * Refuses a session that the origin ended, wherever it was admitted; its slot stays held. Returns whether that is
   * new.
   */
  refuse(revoked: Revoked): boolean {
    for (const { sessions } of this.#pots.values()) sessions.refuse(revoked);
    return this.#sessions.refuse(revoked);
  }

  /**
   * Withdraws an admission that could not be stored and was never sent. Its part of the minute's arrivals stays spent.
   */
  withdraw(id: string): boolean {
    return this.#sessions.withdraw(id);
  }

  /**
   * Ends a session on the origin's command, at the end of this minute; `group`: the group of pots that its home is in.
   * Returns what must be on disk by then, if it existed.
   */
  revoke(id: string, nowMs: number, group?: string): Revoked | undefined {
    const minute = this.minute.at(nowMs);
    const lastGood = (group === undefined ? this.#sessions : this.#potOf(group).sessions).revoke(id, minute);
    if (lastGood === undefined) return undefined;
    this.refuse({ id, lastGood });
    this.#account.count("out", this.#countedIn(lastGood));
    return { id, lastGood };
  }

  /** Sessions that the origin ended and whose cookies could still be good. */
  get revoked(): readonly Revoked[] {
    return this.#sessions.revoked;
  }

  /** Sessions ended so far whose slots came free, since this object was made. */
  get released(): number {
    return this.#sessions.released;
  }

  /** What must be on disk before an admission or an extension is sent. */
  get record(): AdmissionRecord {
    const pots = Array.from(this.#pots, ([group, { sessions }]) => [group, sessions.record.slots] as const);
    const held = pots.filter(([, slots]) => slots.length > 0);
    const { siteId } = this.#config;
    const beside = { ...(held.length > 0 && { pots: held }), ...(siteId !== undefined && { site: siteId }) };
    return { ...this.#sessions.record, ...beside, ...this.minute.record };
  }

  /** Groups of pots on whose slots sessions rest here, or rested a moment ago. */
  get potGroups(): readonly string[] {
    return [...this.#pots.keys()];
  }

  /**
   * Takes over what another account held: as after a restart, as many unknown ids are acknowledged. Its units bring
   * along the admissions that it has spent them on in this minute, and the contents of its pots. `nowMs` is 0 while the
   * time is not known here.
   */
  takeOver(record: AdmissionRecord, revoked: readonly Revoked[], nowMs: number): void {
    this.minute.takeOver(record, nowMs);
    this.#sessions.takeOver(record, revoked);
    for (const one of revoked) this.refuse(one);
    for (const [group, slots] of potsIn(record)) this.#potOf(group).takeOver(slots);
  }

  /** Holds all of `slots`, as after a restart, for sessions that no node here knows. */
  holdAll(slots: number, nowMs: number): void {
    const free = slots - this.#sessions.held(nowMs);
    if (free > 0) this.#sessions.takeOver({ slots: [[this.#lastGood(nowMs), free]] }, []);
  }

  /**
   * A group of pots settles: its sessions rest on own slots from now on, because its units are now own ones. Returns
   * whether there were any.
   */
  settlePot(group: string): boolean {
    const pot = this.#pots.get(group);
    if (pot !== undefined) this.#sessions.absorb(pot.sessions);
    return this.#pots.delete(group);
  }

  /** Whether the ids of all sessions acknowledged here on slots of a group of pots are known. */
  knowsPot(group: string): boolean {
    return this.#pots.get(group)?.isComplete ?? true;
  }

  /**
   * A removed node has returned and reports what it held on slots of `accounts`, which have been in a group of pots:
   * they are own ones from now on. A session that was acknowledged here meanwhile is one of those. Call it only if the
   * group is known, see `knowsPot`.
   */
  acceptTestimony(
    group: string,
    testimony: {
      readonly accounts: readonly AccountId[];
      readonly slots: SessionsRecord["slots"];
      readonly revoked: readonly Revoked[];
    },
    nowMs: number,
  ): void {
    const minute = this.minute.at(nowMs);
    for (const one of testimony.revoked) this.refuse(one);
    const { revoked } = this.#sessions;
    const held = new Sessions({ minuteMs: this.#minuteMs, rememberMinutes: 0, restored: testimony, revoked });
    this.#pots.get(group)?.moveTo(held, testimony.accounts, minute);
    this.#sessions.absorb(held);
  }

  /** The room has changed: what it says of sessions counts from their next check-in on. */
  roomChanged(): void {
    this.#sessions.rememberMinutes = this.#rememberMinutes();
  }

  /** Forgets sessions that are over. Returns the ids of revoked ones that need not be remembered any more. */
  sweep(nowMs: number): string[] {
    const minute = this.minute.at(nowMs);
    for (const [group, pot] of this.#pots) {
      pot.sweep(minute);
      if (pot.sessions.held(nowMs) === 0) this.#pots.delete(group);
    }
    this.adoptions.sweep(minute);
    this.#sessions.held(nowMs);
    return this.#sessions.sweep(minute);
  }

  #rememberMinutes(): number {
    return rememberMinutes({ room: this.#config.room, minuteMs: this.#minuteMs });
  }

  /** The sessions on slots of a group of pots. An ended session is refused in all of them: its home is not stored. */
  #potOf(group: string): PotSessions {
    return this.#pots.getOrInsertComputed(group, () => {
      const { revoked } = this.#sessions;
      return new PotSessions(new Sessions({ minuteMs: this.#minuteMs, rememberMinutes: 0, revoked }));
    });
  }

  /** Publishes that a session that was good to `from` now rests on the minute that makes it good to `to`. */
  #countMove(from: Minute, to: Minute): void {
    this.#account.count("out", this.#countedIn(from));
    this.#account.count("in", this.#countedIn(to));
  }

  /**
   * The minute in which a session that is good to `lastGood` counts. Never a future one: sessions may have been made
   * shorter since, and other nodes refuse counts of minutes ahead.
   */
  #countedIn(lastGood: Minute): Minute {
    const minute = minutePlus(lastGood, -this.#config.room.sessionDuration);
    return Math.min(minute, this.minute.latest) as Minute;
  }

  /** The last good minute after a check-in of a session that is good to `lastGood`. */
  #extended(lastGood: Minute, nowMs: number): Minute {
    // Never before what the cookie says, even if sessions have become shorter: the cookie may be shown again.
    const renewed = this.#config.room.disableSessionRenewal ? lastGood : this.#lastGood(nowMs);
    return renewed > lastGood ? renewed : lastGood;
  }

  #lastGood(nowMs: number): Minute {
    const { sessionDuration } = this.#config.room;
    return minutePlus(
      this.minute.at(nowMs),
      Math.min(sessionDuration, this.#sessionMinutesMost?.() ?? sessionDuration),
    );
  }

  /** The last good minute of a session that its visitor has not entered. */
  #trialEnd(seconds: number): Minute {
    return minutePlus(this.minute.latest, Math.ceil((seconds * 1_000) / this.#minuteMs));
  }
}
