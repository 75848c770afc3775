/**
 * Which visitors are admitted to one room at one node, wait, or are rejected.
 *
 * A new session needs a slot of both resources: `active` (as many as the account's share allows, less those its
 * sessions hold) and `arrivals` (less the admissions of this minute). New visitors never overtake the line. The line is
 * in line.ts, the sessions of those who were admitted are in room-sessions.ts, and waits are estimated in wait.ts.
 *
 * Pure: time comes in as `nowMs`, and the caller draws ids. It never reads cookies (node/cookie) or requests
 * (node/gate).
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { minutePlus } from "../../mesh/core/minute.ts";
import { Recent } from "../recent.ts";
import type { Restored } from "./admission-record.ts";
import { Line, LineCounts, type LineSummary } from "./line.ts";
import type { Moves } from "./line-moves.ts";
import { pollPauseMs } from "./poll-pause.ts";
import { QueueOrder } from "./queue-order.ts";
import { keepsLine, ofMembers, orderIn, type RoomConfig } from "./room-config.ts";
import { type Admitted, type RoomAccount, RoomSessions } from "./room-sessions.ts";
import { type Outlook, type RoomView, type Situation, type Wait, WaitEstimate } from "./wait.ts";

export type Decision =
  | Admitted
  | { readonly kind: "waiting"; readonly place: Place }
  /** The line is full: no place was given. */
  | { readonly kind: "full" }
  /** The room admits no new visitors. */
  | { readonly kind: "rejected" };

export interface Place {
  readonly key: number;
  /** As many visitors in front as there are, and 1. */
  readonly rank: number;
  /** The same as it is told: it never goes up, even when older visitors come back to the line. 1 = next. */
  readonly position: number;
  /** Undefined while the room is held, because the wait is unknown. */
  readonly wait: Wait | undefined;
}

/** Where a visitor stands. */
export type Standing = Pick<Place, "key" | "rank">;

/** A decision for another gate: `go` means that it gets a slot, and admits on it. */
export type Entry = Exclude<Decision, Admitted> | { readonly kind: "go" };

/**
 * Part of a minute for whose slots visitors are called ahead when they are released evenly: they take a few seconds to
 * ask.
 */
const CALLED_AHEAD = 5 / 60;

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
  /** Of the line: see `LineOptions`. */
  readonly keyOffset?: number;
}

/**
 * Visitors remembered after they came in, or gave up their place. Another node may name them half a second later, as
 * one that noted a poll before, or hands over the line: such a place would have no visitor. Of more, some stay until
 * they count as gone.
 */
const GONE = { forMs: 2_000, max: 10_000 };

/** Places of a long line that are put in another order in one part: 2 ms. Doubled, a part overruns its time by more. */
const MOVED_IN_PART = 250;

export class Admission {
  readonly #account: RoomAccount;
  readonly sessions: RoomSessions;
  /** How places in line ended: for the history. */
  readonly lineCounts = new LineCounts();
  readonly #moves: Moves | undefined;
  readonly #keyOffset: number;
  /** By queue key: who has left the line lately. */
  readonly #gone = new Recent<number, true>(GONE);
  #line: Line;
  readonly #waits: WaitEstimate;
  readonly #minuteMs: number;
  readonly #brake: Brake | undefined;
  readonly #view: RoomView;
  readonly #config: RoomConfig;
  #pending = 0;

  constructor(config: RoomConfig, options: AdmissionOptions) {
    const { account, restored, minuteMs, nowMs, sessionMinutesMost } = options;
    this.#config = config;
    this.#minuteMs = minuteMs;
    this.#moves = options.moves;
    this.#keyOffset = options.keyOffset ?? 0;
    this.#line = this.#newLine();
    this.#account = account;
    this.#brake = options.brake;
    this.#view = options.view ?? this.#ownView;
    this.#waits = new WaitEstimate(minuteMs);
    this.sessions = new RoomSessions(config, { account, minuteMs, restored, sessionMinutesMost });
    if (restored?.line !== undefined) this.followLine(restored.line, nowMs);
  }

  #newLine(): Line {
    const { lanes: shares } = this.#config.room;
    return new Line(orderIn(this.#config), {
      shares,
      moves: this.#moves,
      counts: this.lineCounts,
      keyOffset: this.#keyOffset,
    });
  }

  /** Visitors who will be admitted on free slots as soon as more sessions may be held, those of members included. */
  get pending(): number {
    return this.#pending + ofMembers(this.#config, (member) => member.pending);
  }

  /** Sets how many they are, without those of members. */
  set pending(visitors: number) {
    this.#pending = visitors;
  }

  /** Whether a long line is being put in another order; call `rearrange` often until that is done. */
  get isRearranging(): boolean {
    return this.#line.isRearranging;
  }

  rearrange(): void {
    this.#line.rearrange(MOVED_IN_PART);
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Whether nobody waits, and no session is remembered. */
  isEmpty(nowMs: number): boolean {
    return this.#line.size === 0 && this.sessions.isEmpty(nowMs);
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
    if (summary === undefined) return;
    this.#line.restore(this.#withoutThoseInside(summary), { nowMs, refreshMs: this.#refreshMs });
  }

  /** Some have come in here while the node before still kept the line: as far as it names them one by one. */
  #withoutThoseInside(summary: LineSummary): LineSummary {
    const order = new QueueOrder(summary.draws);
    const ranges = summary.ranges.filter(([low, high]) => low !== high || this.#gone.get(order.keyAt(low)) !== true);
    return { ...summary, ranges };
  }

  /** What waits in this node's line are computed from; undefined without a line, and while nobody is admitted. */
  outlook(nowMs: number): Outlook | undefined {
    return this.#line.size === 0 || this.#isClosed ? undefined : this.#outlook(nowMs);
  }

  /** Estimates waits by the outlook of the node that keeps the line. */
  followOutlook(outlook: Outlook, nowMs: number): void {
    this.#waits.follow(outlook, nowMs);
  }

  /** The room has changed. Sessions and places stay. */
  roomChanged(): void {
    this.sessions.roomChanged();
    this.#line.follow(orderIn(this.#config));
    this.#line.share(this.#config.room.lanes);
    this.#waits.reset();
  }

  /** Slots held by sessions, those of members included, not counting pots. */
  inside(nowMs: number): number {
    return this.sessions.inside(nowMs);
  }

  /** Slots of pots held by sessions that have checked in here. */
  insidePots(nowMs: number): number {
    return this.sessions.insidePots(nowMs);
  }

  /** The minute at `nowMs`. It never goes back, whatever the clock does. */
  minuteAt(nowMs: number): Minute {
    return this.sessions.minute.at(nowMs);
  }

  /** Visitors admitted in the minute at `nowMs`, those of members included. */
  admittedInMinute(nowMs: number): number {
    const own = this.sessions.minute.admitted(nowMs);
    return own + ofMembers(this.#config, (member) => member.admittedInMinute(nowMs));
  }

  /** The part of the room's limit on this minute's admissions that may be used by now. */
  arrivalsLimit(nowMs: number): number {
    const minute = this.minuteAt(nowMs);
    const { newUsersPerMinute } = this.#config.room;
    return Math.min(newUsersPerMinute, this.#brake?.arrivals(minute, nowMs) ?? newUsersPerMinute);
  }

  /** Slots of both resources that are free at `nowMs`, in the site as well, called ones included; never below 0. */
  free(nowMs: number): number {
    const limit = this.arrivalsLimit(nowMs);
    const active = this.#freeActive(nowMs);
    const arrivals = this.#account.arrivals(limit, this.minuteAt(nowMs)) - this.admittedInMinute(nowMs) - this.pending;
    const free = Math.max(0, Math.min(active, arrivals));
    return Math.min(free, this.#config.site?.free(nowMs) ?? free);
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

  /** Publishes a new visitor, admitted or not. */
  countSeen(nowMs: number): void {
    this.#account.count("seen", this.minuteAt(nowMs));
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
      this.#leaveLine(key, nowMs);
      return { kind: "go" };
    }
    // Every visitor in line has a slot, and one is left.
    if (isOpen || (!queueAll && this.#line.size < free)) return { kind: "go" };
    if (this.#line.size >= queueMax) return { kind: "full" };
    const joined = this.#line.join(nowMs, lane);
    return this.#wait(joined, nowMs, this.#line.positionOf(joined));
  }

  /** A visitor in line gives up the place. */
  giveUp(key: number, nowMs: number): void {
    this.#line.giveUp(key);
    this.#gone.set(key, true, nowMs);
  }

  /** Visitors who gave up their places at other gates, and those who stand in another locality's line now. */
  leftLine({ moved, gaveUp }: { moved: readonly number[]; gaveUp: readonly number[] }, nowMs: number): void {
    for (const key of moved) this.#line.movedAway(key);
    for (const key of gaveUp) this.giveUp(key, nowMs);
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
      if (this.#gone.get(key) === true) continue;
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
    const taken = this.inside(nowMs) + this.pending;
    return this.#account.active(this.#config.room.totalActiveUsers, this.minuteAt(nowMs)) - taken;
  }

  /**
   * Housekeeping, every second or so: visitors who are gone leave the line, ended sessions are forgotten. Returns the
   * ids of revoked sessions that need not be remembered any more.
   */
  tick(nowMs: number): string[] {
    this.minuteAt(nowMs);
    this.#gone.turn(nowMs);
    let left = 0;
    this.#line.removeGone(nowMs, this.#refreshMs, (weight) => {
      left += weight;
    });
    this.#waits.countLeft(left, this.#line.expected, nowMs);
    return this.sessions.sweep(nowMs);
  }

  /**
   * Wait of the visitor at `position`; undefined while nobody is admitted: the room is held, or rejects, or its origin
   * is down.
   */
  waitAt(position: number, nowMs: number): Wait | undefined {
    return this.#isClosed ? undefined : this.#waits.wait(position, this.#outlookFor(nowMs), nowMs);
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
    return this.#waits.outlook(() => this.#situation(nowMs), this.#view, nowMs);
  }

  #situation(nowMs: number): Situation {
    const { totalActiveUsers, newUsersPerMinute: ownPerMinute, sessionDuration: sessionMinutes } = this.#config.room;
    const limits = this.#config.site?.limits;
    const slots = Math.min(totalActiveUsers, limits?.active ?? totalActiveUsers);
    const newUsersPerMinute = Math.min(ownPerMinute, limits?.arrivals ?? ownPerMinute);
    const held = this.#brake?.holding?.perMinute;
    const perMinute = (ahead: number): number =>
      Math.min(newUsersPerMinute, this.#brake?.perMinuteIn?.(ahead, nowMs) ?? held ?? newUsersPerMinute);
    const reach = (visitors: number): number => this.#line.reach(visitors);
    const heardOf = (position: number): number => this.#line.heardOf(position);
    const { expected: waiting } = this.#line;
    return { slots, sessionMinutes, waiting, isEven: held !== undefined, perMinute, reach, heardOf };
  }

  /** A room that is all at this node. */
  get #ownView(): RoomView {
    const entered = (minute: Minute): number => {
      const lastGood = minutePlus(minute, this.#config.room.sessionDuration);
      return this.sessions.record.slots.find(([at]) => at === lastGood)?.[1] ?? 0;
    };
    return {
      entered,
      moved: () => 0,
      free: (nowMs) => ({ active: Math.max(0, this.#freeActive(nowMs)), arrivals: this.free(nowMs) }),
      due: () => (slots) => slots,
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
  placeAt({ key, rank }: Standing, nowMs: number): Place {
    return { key, rank, position: rank, wait: this.waitAt(rank, nowMs) };
  }

  /** The pause until a visitor with that place should poll again. */
  pauseMs(place: Place, nowMs: number): number {
    const { refreshIntervalSeconds: refreshSeconds } = this.#config.room;
    return pollPauseMs(place, { refreshSeconds, nowMs, minuteMs: this.#minuteMs });
  }

  /** The same in whole seconds, as a client may have to be told: it comes that much later. */
  pauseSeconds(place: Place, nowMs: number): number {
    return Math.ceil(this.pauseMs(place, nowMs) / 1_000);
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
    this.#gone.set(key, true, nowMs);
  }

  #wait(key: number, nowMs: number, position: number): Extract<Entry, { kind: "waiting" }> {
    const rank = this.#line.positionOf(key);
    const place = { key, rank, position, wait: this.waitAt(rank, nowMs) };
    this.#line.expect(key, this.pauseSeconds(place, nowMs) * 1_000, nowMs);
    return { kind: "waiting", place };
  }
}
