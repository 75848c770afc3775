/**
 * Which visitors are admitted to one room at one node, wait, or are rejected.
 *
 * A new session needs a slot of both resources: `active` (as many as the account's share allows, less those its
 * sessions hold) and `arrivals` (less the admissions of this minute). New visitors never overtake the line. The caller
 * puts `record` on disk before it sends an admission or an acknowledged check-in.
 *
 * Pure: time comes in as `nowMs`, and the caller draws ids. It never reads cookies (node/cookie) or requests
 * (node/gate).
 */

import type { AccountId, Minute } from "../../mesh/core/ids.ts";
import type { CountKind } from "../../mesh/core/ledger/row.ts";
import { EARLIER_POTS } from "../../mesh/core/members/pots.ts";
import { minuteOf, minutePlus } from "../../mesh/core/minute.ts";
import { CallTally } from "./call-tally.ts";
import { rememberMinutes } from "./kept-place.ts";
import { Line, type LineSummary, type Moves } from "./line.ts";
import { LineCounts } from "./line-counts.ts";
import { pollPauseSeconds } from "./poll-pause.ts";
import { type PotSession, PotSessions } from "./pot-sessions.ts";
import { keepsLine, orderIn, type RoomConfig } from "./room-config.ts";
import { type CheckIn, type Revoked, Sessions, type SessionsRecord } from "./sessions.ts";
import { type Outlook, type RoomView, type Wait, WaitEstimate } from "./wait.ts";
import type { Forecast } from "./wait-record.ts";

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

export type Decision =
  | { readonly kind: "admitted"; readonly lastGood: Minute }
  | { readonly kind: "waiting"; readonly place: Place }
  /** The line is full: no place was given. */
  | { readonly kind: "full" }
  /** The room admits no new visitors. */
  | { readonly kind: "rejected" };

export interface Place {
  readonly key: number;
  /** 1 = next. */
  readonly position: number;
  /** Undefined while the room is held, because the wait is unknown. */
  readonly wait: Wait | undefined;
}

/** Where a visitor stands. The position that is shown never goes up, even when older visitors come back to the line. */
export interface Standing extends Pick<Place, "key" | "position"> {
  /** As many visitors in front as there are, and 1. */
  readonly rank: number;
}

/** A decision for another gate: `go` means that it gets a slot, and admits on it. */
export type Entry = Exclude<Decision, { kind: "admitted" }> | { readonly kind: "go" };

/** What must be on disk before an admission or an extension is sent. */
export interface AdmissionRecord extends SessionsRecord {
  /** Slots held in pots, by their group, as `slots`. */
  readonly pots?: readonly (readonly [group: string, slots: SessionsRecord["slots"]])[] | undefined;
  /** The same in the form of an earlier version, which had one table for all pots: their group is `earlier`. */
  readonly pot?: SessionsRecord["slots"] | undefined;
  readonly minute: Minute;
  readonly admittedInMinute: number;
}

/** What was on disk. A room held from the start has a line, but no record, because it admitted nobody. */
export interface Restored {
  readonly record: AdmissionRecord | undefined;
  readonly line: LineSummary | undefined;
  /** When the room's ramp last began, in Unix ms. */
  readonly rampStartMs?: number | undefined;
  readonly revoked?: readonly Revoked[];
  /** Entries of the public log, in any order. */
  readonly callLog?: readonly string[];
}

/** Part of a minute for whose slots visitors are called ahead when they are released evenly: they take a few seconds to ask. */
const CALLED_AHEAD = 5 / 60;

const NOT_MINE: CheckIn = { kind: "not-mine" };

/** What holds new visitors back besides the limits: it only ever lowers the arrivals. */
export interface Brake {
  /** Most admissions of all nodes in `minute` up to `nowMs`. */
  arrivals(minute: Minute, nowMs: number): number;
  /** The present rate of new visitors per minute; undefined while nothing holds back. */
  readonly holding: { readonly perMinute: number } | undefined;
  /** The rate so many minutes from now, as far as it is known now; the present one if left out. */
  perMinuteIn?(minutes: number, nowMs: number): number | undefined;
}

export interface AdmissionOptions {
  readonly account: RoomAccount;
  readonly minuteMs: number;
  readonly nowMs: number;
  readonly restored: Restored | undefined;
  readonly brake?: Brake;
  /** What is known of the room as a whole; left out, this node has all of it. */
  readonly view?: RoomView;
  /** Most minutes that a session given or extended now may last, whatever the room allows; no bound if left out. */
  readonly sessionMinutesMost?: () => number;
  /** Who goes where when the order of the line changes; all keep their keys if left out. */
  readonly moves?: Moves;
}

/** Places of a long line that are put in another order in one part: 2 ms. Doubled, a part overruns its time by more. */
const MOVED_IN_PART = 250;

export class Admission {
  readonly #account: RoomAccount;
  readonly #minuteMs: number;
  readonly #sessions: Sessions;
  /** By group of pots: sessions on their slots. They count only against those until the group settles. */
  readonly #pots = new Map<string, PotSessions>();
  /** What became of the line: for its public log. */
  readonly calls = new CallTally();
  /** How places in line ended: for the history. */
  readonly lineCounts = new LineCounts();
  readonly #moves: Moves | undefined;
  #line: Line;
  readonly #waits: WaitEstimate;
  readonly #brake: Brake | undefined;
  readonly #view: RoomView;
  readonly #sessionMinutesMost: (() => number) | undefined;
  readonly #config: RoomConfig;
  #minute = 0 as Minute;
  #admittedInMinute = 0;
  /** Visitors who will be admitted on free slots as soon as more sessions may be held. */
  pending = 0;

  constructor(config: RoomConfig, options: AdmissionOptions) {
    const { restored, minuteMs, nowMs } = options;
    this.#config = config;
    this.#moves = options.moves;
    this.#line = this.#newLine();
    this.#account = options.account;
    this.#minuteMs = minuteMs;
    this.#brake = options.brake;
    this.#view = options.view ?? this.#ownView;
    this.#sessionMinutesMost = options.sessionMinutesMost;
    this.#waits = new WaitEstimate(minuteMs);
    this.#sessions = new Sessions({
      minuteMs,
      rememberMinutes: this.#rememberMinutes(),
      restored: restored?.record,
      revoked: restored?.revoked,
    });
    for (const [group, slots] of potsIn(restored?.record)) this.#potOf(group).takeOver(slots);
    this.#minute = restored?.record?.minute ?? this.#minute;
    this.#admittedInMinute = restored?.record?.admittedInMinute ?? 0;
    if (restored?.line !== undefined) this.followLine(restored.line, nowMs);
  }

  #newLine(): Line {
    const { lanes: shares } = this.#config.room;
    return new Line(orderIn(this.#config), this.calls, { shares, moves: this.#moves, counts: this.lineCounts });
  }

  /** Whether a long line is being put in another order; call `rearrange` often until that is done. */
  get isRearranging(): boolean {
    return this.#line.isRearranging;
  }

  rearrange(): void {
    this.#line.rearrange(MOVED_IN_PART);
  }

  get record(): AdmissionRecord {
    const pots = Array.from(this.#pots, ([group, { sessions }]) => [group, sessions.record.slots] as const);
    const held = pots.filter(([, slots]) => slots.length > 0);
    return {
      ...this.#sessions.record,
      ...(held.length > 0 && { pots: held }),
      minute: this.#minute,
      admittedInMinute: this.#admittedInMinute,
    };
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Visitors in line who are called. */
  get called(): number {
    return this.#line.called;
  }

  /** Visitors in line for whom slots were kept when a later visitor was admitted, while a rate holds back. */
  get owed(): number {
    return this.#isHeldBack ? this.#line.owed : 0;
  }

  get lineSummary(): LineSummary {
    return this.#line.summary();
  }

  /** Continues another node's line, or none: what this node knew of the line is dropped. */
  followLine(summary: LineSummary | undefined, nowMs: number): void {
    this.#line = this.#newLine();
    this.#waits.record.unhear();
    if (summary !== undefined) this.#line.restore(summary, { nowMs, refreshMs: this.#refreshMs });
  }

  /** Sessions that the origin ended and whose cookies could still be good. */
  get revoked(): readonly Revoked[] {
    return this.#sessions.revoked;
  }

  /** What waits in this node's line are computed from; undefined without a line, and while nobody is admitted. */
  outlook(nowMs: number): Outlook | undefined {
    return this.#line.size === 0 || this.#isClosed ? undefined : this.#outlook(nowMs);
  }

  /** Estimates waits by the outlook of the node that keeps the line. */
  followOutlook(outlook: Outlook, nowMs: number): void {
    this.#waits.follow(outlook, nowMs);
  }

  /** Sessions ended so far whose slots came free, since this object was made. */
  get released(): number {
    return this.#sessions.released;
  }

  /** The room has changed. Sessions and places stay. */
  roomChanged(): void {
    this.#sessions.rememberMinutes = this.#rememberMinutes();
    this.#line.follow(orderIn(this.#config));
    this.#line.share(this.#config.room.lanes);
    this.#waits.reset();
  }

  /** Slots held by sessions, not counting pots. */
  inside(nowMs: number): number {
    return this.#sessions.held(nowMs);
  }

  /** Slots of pots held by sessions that have checked in here. */
  insidePots(nowMs: number): number {
    return this.#pots.values().reduce((sum, { sessions }) => sum + sessions.held(nowMs), 0);
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
    const ahead = record.minute - this.minuteAt(nowMs);
    this.#sessions.takeOver(record, revoked);
    for (const one of revoked) this.refuse(one);
    for (const [group, slots] of potsIn(record)) this.#potOf(group).takeOver(slots);
    if (ahead === 0) this.#admittedInMinute += record.admittedInMinute;
    else if (ahead === 1 || (ahead > 1 && nowMs === 0)) {
      // The other clock is ahead by a moment, or it is not known here which minute it is: what was spent in that minute
      // must not be spent in it again.
      this.#minute = record.minute;
      this.#admittedInMinute = record.admittedInMinute;
    }
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
  hearOut(
    group: string,
    said: {
      readonly accounts: readonly AccountId[];
      readonly slots: SessionsRecord["slots"];
      readonly revoked: readonly Revoked[];
    },
    nowMs: number,
  ): void {
    const minute = this.minuteAt(nowMs);
    for (const one of said.revoked) this.refuse(one);
    const { revoked } = this.#sessions;
    const held = new Sessions({ minuteMs: this.#minuteMs, rememberMinutes: 0, restored: said, revoked });
    this.#pots.get(group)?.moveTo(held, said.accounts, minute);
    this.#sessions.absorb(held);
  }

  admittedInMinute(nowMs: number): number {
    this.minuteAt(nowMs);
    return this.#admittedInMinute;
  }

  /** The part of the room's limit on this minute's admissions that may be used by now. */
  arrivalsLimit(nowMs: number): number {
    const minute = this.minuteAt(nowMs);
    const { newUsersPerMinute } = this.#config.room;
    return Math.min(newUsersPerMinute, this.#brake?.arrivals(minute, nowMs) ?? newUsersPerMinute);
  }

  /** Slots of both resources that are free at `nowMs`, called ones included; never below 0. */
  free(nowMs: number): number {
    const limit = this.arrivalsLimit(nowMs);
    const active = this.#freeActive(nowMs);
    const arrivals = this.#account.arrivals(limit, this.#minute) - this.#admittedInMinute - this.pending;
    return Math.max(0, Math.min(active, arrivals));
  }

  /**
   * Whether a request that takes neither slot nor place (an asset, a HEAD) may pass: while no visitor would have to
   * wait.
   */
  isOpen(nowMs: number): boolean {
    if (this.#config.room.queueAll) return false;
    if (this.#config.room.queueingMethod === "passthrough") return true;
    return keepsLine(this.#config.room) && this.#line.size < this.free(nowMs);
  }

  /** A visitor without an accepted cookie. `id` is theirs from now on, in line and in the session. */
  arrive(id: string, nowMs: number): Decision {
    this.countSeen(nowMs);
    const entry = this.enter(undefined, nowMs, this.free(nowMs));
    return entry.kind === "go" ? this.admit(id, nowMs) : entry;
  }

  /** A visitor with a place in line polls. `used`: the place has been used before, and its session is over. */
  poll(id: string, key: number, nowMs: number): Decision | { readonly kind: "used" } {
    const known = this.knownAs(id, nowMs);
    if (known !== undefined) return known;
    const entry = this.enter(key, nowMs, this.free(nowMs));
    return entry.kind === "go" ? this.admit(id, nowMs) : entry;
  }

  /** Publishes a new visitor, admitted or not. */
  countSeen(nowMs: number): void {
    this.#account.count("seen", this.minuteAt(nowMs));
  }

  /**
   * The decision on a visitor whose place was used here before: of two polls under way at once the first takes the
   * slot, the second is admitted to the same session. Undefined for a visitor who has not been admitted here.
   */
  knownAs(id: string, nowMs: number): Extract<Decision, { kind: "admitted" }> | { readonly kind: "used" } | undefined {
    const lastGood = this.#sessions.lastGoodOf(id);
    if (lastGood === undefined) return undefined;
    return lastGood >= this.minuteAt(nowMs) ? { kind: "admitted", lastGood } : { kind: "used" };
  }

  /**
   * Whether a visitor is admitted when `free` slots are left for this line: a new one (no `key`), or one with a place.
   * An admitted visitor has left the line; the caller admits, or gives the slot to the gate that does. `forAll`: as
   * many of the slots as any visitor of the line can have, at any gate. `lane`: the visitor's; undefined if unknown.
   */
  enter(
    key: number | undefined,
    nowMs: number,
    free: number,
    { forAll = free, lane }: { readonly forAll?: number; readonly lane?: number | undefined } = {},
  ): Entry {
    const { queueAll, queueingMethod, queueMax } = this.#config.room;
    this.minuteAt(nowMs);
    if (!queueAll && queueingMethod === "reject") return { kind: "rejected" };
    const isOpen = !queueAll && queueingMethod === "passthrough";
    if (key !== undefined) {
      if (!isOpen) return this.#proceed({ key, lane }, nowMs, { free, forAll });
      this.calls.noteOpen();
      this.#leaveLine(key, nowMs);
      return { kind: "go" };
    }
    // Every visitor in line has a slot, and one is left.
    if (isOpen || (!queueAll && this.#line.size < free)) return { kind: "go" };
    if (this.#line.size >= queueMax) return { kind: "full" };
    const joined = this.#line.join(nowMs, lane);
    return this.#wait(joined, nowMs, this.#line.positionOf(joined));
  }

  /**
   * Admits a visitor on a free slot; the caller has checked that there is one. `isTrial`: the session is only as long as
   * the visitor may take to enter, and its first check-in makes it a whole one.
   */
  admit(id: string, nowMs: number, isTrial = false): Extract<Decision, { kind: "admitted" }> {
    const whole = this.#lastGood(nowMs);
    const lastGood = isTrial ? (Math.min(whole, this.#trialEnd()) as Minute) : whole;
    this.#sessions.admit(id, lastGood);
    this.#admittedInMinute += 1;
    this.#account.count("in", lastGood < whole ? this.#countedIn(lastGood) : this.#minute);
    return { kind: "admitted", lastGood };
  }

  /** A visitor in line gives up the place. */
  giveUp(key: number): void {
    this.#line.giveUp(key);
    this.#waits.record.gone(key);
  }

  /**
   * Records that visitors with these keys polled at another gate, and in how many seconds each was asked to poll again,
   * where that is known.
   */
  notePolls(
    keys: readonly number[],
    nowMs: number,
    {
      pauses = [],
      lanes = [],
    }: { readonly pauses?: readonly number[] | undefined; readonly lanes?: readonly number[] | undefined } = {},
  ): void {
    for (const [index, key] of keys.entries()) {
      this.#wait(key, nowMs, this.#line.poll(key, nowMs, lanes[index]));
      const seconds = pauses[index];
      if (seconds !== undefined) this.#line.expect(key, seconds * 1_000, nowMs);
    }
  }

  /** Queue keys of visitors who have polled here, without places that are only assumed; at most `max`. */
  heardKeys(max: number): readonly number[] {
    return this.#line.heardKeys(max);
  }

  /** Calls as many visitors as `free` slots allow, and those for whom a held-back rate will soon release some. */
  call(free: number, nowMs: number): void {
    if (!this.#config.room.queueAll) this.#line.call(free, this.#soon(free, nowMs));
  }

  /** Undefined while no rate holds back. */
  #soon(free: number, nowMs: number): number | undefined {
    const { holding } = this.#brake ?? {};
    if (holding === undefined) return undefined;
    return Math.max(0, Math.min(Math.ceil(holding.perMinute * CALLED_AHEAD), this.#freeActive(nowMs) - free));
  }

  /** Slots for sessions beyond those held; below 0 when units or limit have shrunk. */
  #freeActive(nowMs: number): number {
    const taken = this.#sessions.held(nowMs) + this.pending;
    return this.#account.active(this.#config.room.totalActiveUsers, this.minuteAt(nowMs)) - taken;
  }

  /** Whether one more session may be held here, if there is a slot for it. */
  mayHoldMore(nowMs: number): boolean {
    return this.#sessions.held(nowMs) < this.#account.ceiling();
  }

  /**
   * First request of a session in a minute. `lastGood`: what its cookie says. A session that this account does not hold
   * is adopted if a slot is free; otherwise it has none (`not-mine`).
   */
  checkIn(id: string, lastGood: Minute, nowMs: number): CheckIn {
    return this.#checkIn({ id, lastGood, isHome: true }, nowMs);
  }

  /**
   * Gives a session that this account holds a new term on the origin's command, also where sessions are not renewed:
   * `minutes` from now, and no more than a whole session, for which slots may be held anyway. Never a shorter one than
   * it has. `group`: the group of pots that its home is in.
   */
  extend({ id, home, lastGood }: PotSession, minutes: number, nowMs: number, group?: string): CheckIn {
    const minute = this.minuteAt(nowMs);
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

  /** The same for a session of another account: it has no claim to the slots that are held for this one's. */
  adopt(id: string, lastGood: Minute, nowMs: number): CheckIn {
    const heldTo = this.#sessions.lastGoodOf(id);
    const isHome = heldTo !== undefined && heldTo >= this.minuteAt(nowMs);
    return this.#checkIn({ id, lastGood, isHome }, nowMs);
  }

  /**
   * The same for a session of an account in a group of pots: it may have one of those slots, as long as one is left.
   */
  checkInPot(group: string, cookie: PotSession, nowMs: number): CheckIn {
    const minute = this.minuteAt(nowMs);
    const extended = this.#extended(cookie.lastGood, nowMs);
    const pot = this.#potOf(group);
    const isFree = () =>
      pot.sessions.held(nowMs) < this.#account.pot(group, this.#config.room.totalActiveUsers, minute);
    return pot.checkIn(cookie, minute, { extended, isFree });
  }

  #checkIn({ id, lastGood, isHome }: { id: string; lastGood: Minute; isHome: boolean }, nowMs: number): CheckIn {
    if (this.isRevoked(id)) return { kind: "revoked" };
    const minute = this.minuteAt(nowMs);
    const held = this.#sessions.held(nowMs);
    const before = this.#sessions.lastGoodOf(id) ?? lastGood;
    const extended = this.#extended(lastGood, nowMs);
    const checkIn = isHome ? this.#sessions.checkIn(id, minute, extended, lastGood) : NOT_MINE;
    const slots = Math.min(this.#account.active(this.#config.room.totalActiveUsers, minute), this.#account.ceiling());
    if (checkIn.kind === "not-mine" && held < slots) {
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
    const minute = this.minuteAt(nowMs);
    const lastGood = (group === undefined ? this.#sessions : this.#potOf(group).sessions).revoke(id, minute);
    if (lastGood === undefined) return undefined;
    this.refuse({ id, lastGood });
    this.#account.count("out", this.#countedIn(lastGood));
    return { id, lastGood };
  }

  /**
   * Housekeeping, every second or so: visitors who are gone leave the line, ended sessions are forgotten. Returns the
   * ids of revoked sessions that need not be remembered any more.
   */
  tick(nowMs: number): string[] {
    this.minuteAt(nowMs);
    let left = 0;
    this.#line.removeGone(nowMs, this.#refreshMs, (key, weight) => {
      this.#waits.record.gone(key);
      left += weight;
    });
    this.#waits.countLeft(left, this.#line.expected, nowMs);
    this.#waits.outages.note(this.#view.mayAdmit(), nowMs);
    for (const [group, pot] of this.#pots) {
      pot.sweep(this.#minute);
      if (pot.sessions.held(nowMs) === 0) this.#pots.delete(group);
    }
    this.#sessions.held(nowMs);
    return this.#sessions.sweep(this.#minute);
  }

  /**
   * Wait of the visitor at `position`; undefined while nobody is admitted: the room is held, or rejects, or its origin
   * is down.
   */
  waitAt(position: number, nowMs: number): Wait | undefined {
    return this.#forecastAt(position, nowMs)?.wait;
  }

  #forecastAt(position: number, nowMs: number): { readonly forecast: Forecast; readonly wait: Wait } | undefined {
    if (this.#isClosed) return undefined;
    const outlook = this.#outlookFor(nowMs);
    const forecast = this.#waits.forecast(position, outlook, nowMs);
    return { forecast, wait: this.#waits.wait(forecast, outlook) };
  }

  /** Whether nobody is admitted, for how long is unknown. */
  get #isClosed(): boolean {
    const { queueAll, queueingMethod } = this.#config.room;
    return queueAll || queueingMethod === "reject" || this.#brake?.holding?.perMinute === 0;
  }

  /** The outlook of the node that keeps the line. */
  #outlookFor(nowMs: number): Outlook {
    const heard = this.#line.size === 0 ? this.#waits.heard(nowMs) : undefined;
    return heard?.outlook ?? this.#outlook(nowMs);
  }

  #outlook(nowMs: number): Outlook {
    const { totalActiveUsers: slots, newUsersPerMinute, sessionDuration: sessionMinutes } = this.#config.room;
    const held = this.#brake?.holding?.perMinute;
    const perMinute = (ahead: number): number =>
      Math.min(newUsersPerMinute, this.#brake?.perMinuteIn?.(ahead, nowMs) ?? held ?? newUsersPerMinute);
    const reach = (visitors: number): number => this.#line.reach(visitors);
    const { expected: waiting } = this.#line;
    const situation = { slots, sessionMinutes, waiting, isEven: held !== undefined, perMinute, reach };
    return this.#waits.outlook(situation, this.#view, nowMs);
  }

  /** A room that is all at this node. */
  get #ownView(): RoomView {
    const entered = (minute: Minute): number => {
      const lastGood = minutePlus(minute, this.#config.room.sessionDuration);
      return this.#sessions.record.slots.find(([at]) => at === lastGood)?.[1] ?? 0;
    };
    return {
      entered,
      moved: () => 0,
      free: (nowMs) => ({ active: Math.max(0, this.#freeActive(nowMs)), arrivals: this.free(nowMs) }),
      due: (slots) => slots,
      mayAdmit: () => true,
    };
  }

  get #isHeldBack(): boolean {
    return this.#brake?.holding !== undefined;
  }

  get #refreshMs(): number {
    return this.#config.room.refreshIntervalSeconds * 1_000;
  }

  /** The answer to a visitor who stands there: the wait is that of all who are in front. */
  placeAt({ key, position, rank }: Standing, nowMs: number): Place {
    return { key, position, wait: this.waitAt(rank, nowMs) };
  }

  /** The pause until a visitor with that place should poll again. */
  pauseSeconds({ position, wait }: Place): number {
    return pollPauseSeconds({ position, waitSeconds: wait?.seconds ?? null }, this.#config.room.refreshIntervalSeconds);
  }

  #rememberMinutes(): number {
    return rememberMinutes({ room: this.#config.room, minuteMs: this.#minuteMs });
  }

  /** The visitor with `key` is admitted if called and a slot is free, and waits otherwise. */
  #proceed(
    { key, lane }: { key: number; lane: number | undefined },
    nowMs: number,
    { free, forAll }: { free: number; forAll: number },
  ): Entry {
    const waiting = this.#wait(key, nowMs, this.#line.poll(key, nowMs, lane));
    this.call(free, nowMs);
    if (free <= 0 || this.#config.room.queueAll || !this.#line.isCalled(key)) return waiting;
    // Slots that come one by one are each for the oldest visitor about to ask. One that only this gate's visitors can
    // have is for the first in line.
    if (this.#isHeldBack && !this.#line.isTurn(key, Math.max(1, forAll), nowMs)) return waiting;
    this.#leaveLine(key, nowMs);
    return { kind: "go" };
  }

  #leaveLine(key: number, nowMs: number): void {
    this.#line.leave(key);
    this.#waits.record.admitted(key, nowMs);
  }

  #wait(key: number, nowMs: number, position: number): Extract<Entry, { kind: "waiting" }> {
    const known = this.#forecastAt(this.#line.positionOf(key), nowMs);
    const place = { key, position, wait: known?.wait };
    if (known !== undefined) this.#waits.record.note(key, known.forecast, nowMs);
    this.#line.expect(key, this.pauseSeconds(place) * 1_000, nowMs);
    return { kind: "waiting", place };
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
    return Math.min(minute, this.#minute) as Minute;
  }

  /** The last good minute after a check-in of a session that is good to `lastGood`. */
  #extended(lastGood: Minute, nowMs: number): Minute {
    // Never before what the cookie says, even if sessions have become shorter: the cookie may be shown again.
    const renewed = this.#config.room.disableSessionRenewal ? lastGood : this.#lastGood(nowMs);
    return renewed > lastGood ? renewed : lastGood;
  }

  #lastGood(nowMs: number): Minute {
    const { sessionDuration } = this.#config.room;
    return minutePlus(this.minuteAt(nowMs), Math.min(sessionDuration, this.#sessionMinutesMost?.() ?? sessionDuration));
  }

  /** The last good minute of a session that its visitor has not entered. */
  #trialEnd(): Minute {
    return minutePlus(this.#minute, Math.ceil((this.#config.room.enterWithinSeconds * 1_000) / this.#minuteMs));
  }

  /**
   * Begins with the minute at `nowMs`, also if a clock that was wrong had a later one: for a node that has not been a
   * member yet, and so has admitted nobody.
   */
  begin(nowMs: number): void {
    this.#minute = minuteOf(nowMs, this.#minuteMs);
    this.#admittedInMinute = 0;
  }

  /** The minute at `nowMs`. It never goes back, whatever the clock does. */
  minuteAt(nowMs: number): Minute {
    const minute = minuteOf(nowMs, this.#minuteMs);
    if (minute > this.#minute) {
      this.#minute = minute;
      this.#admittedInMinute = 0;
    }
    return this.#minute;
  }
}

/** Slots held in pots, by their group, as a record has them. */
export function potsIn(record: AdmissionRecord | undefined): NonNullable<AdmissionRecord["pots"]> {
  const { pots = [], pot } = record ?? {};
  return pot === undefined ? pots : [...pots, [EARLIER_POTS, pot]];
}
