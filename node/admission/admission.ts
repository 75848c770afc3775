/**
 * Who comes in to one room at one node: inside, admitted, waiting, or turned away.
 *
 * A new session needs a slot of both resources: `active` (as many as the account's share allows, less those its sessions
 * hold) and `arrivals` (less the admissions of this minute). New visitors never overtake the line. The caller puts
 * `record` on disk before it tells anybody of an admission or an acknowledged check-in.
 *
 * Pure: time comes in as `nowMs`, ids are drawn by the caller. It never reads cookies (node/cookie) nor requests (node/gate).
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { minuteOf, minutePlus } from "../../mesh/core/minute.ts";
import type { CountKind } from "../../mesh/core/row.ts";
import type { Room } from "../config/room.ts";
import { Line, type LineSummary, placeGraceMs } from "./line.ts";
import { type CheckIn, type Revoked, Sessions, type SessionsRecord } from "./sessions.ts";
import { type Wait, WaitEstimate } from "./wait.ts";

/** The account in this room, as the admission needs it: its slots, from its units in the ledger, and its counts. */
export interface RoomAccount {
  /** Slots of the `active` resource. */
  active(limit: number, minute: Minute): number;
  /** Admissions of the `arrivals` resource in `minute`. */
  arrivals(limit: number, minute: Minute): number;
  /** Publishes one more of `kind` in `minute`: for views, waits and policies, never for admission. */
  count(kind: CountKind, minute: Minute): void;
}

export type Decision =
  | { readonly kind: "admitted"; readonly lastGood: Minute }
  | { readonly kind: "waiting"; readonly place: Place }
  /** The line holds as many as it may: no place was given. */
  | { readonly kind: "full" }
  /** The room turns new visitors away. */
  | { readonly kind: "rejected" };

export interface Place {
  readonly key: number;
  /** 1 = next. */
  readonly position: number;
  /** Undefined while the room is held and nothing can be said. */
  readonly wait: Wait | undefined;
}

/** What must be on disk before an admission or an extension is told. */
export interface AdmissionRecord extends SessionsRecord {
  readonly minute: Minute;
  readonly admittedInMinute: number;
}

/** What was on disk. A room held from the start has a line, but no record: nobody came in. */
export interface Restored {
  readonly record: AdmissionRecord | undefined;
  readonly line: LineSummary | undefined;
  readonly revoked?: readonly Revoked[];
}

const NOT_MINE: CheckIn = { kind: "not-mine" };

export interface AdmissionOptions {
  readonly account: RoomAccount;
  readonly minuteMs: number;
  readonly nowMs: number;
  readonly restored: Restored | undefined;
}

export class Admission {
  readonly #account: RoomAccount;
  readonly #minuteMs: number;
  readonly #sessions: Sessions;
  readonly #line = new Line();
  readonly #waits: WaitEstimate;
  #room: Room;
  #minute = 0 as Minute;
  #admittedInMinute = 0;

  constructor(room: Room, options: AdmissionOptions) {
    const { restored, minuteMs, nowMs } = options;
    this.#room = room;
    this.#account = options.account;
    this.#minuteMs = minuteMs;
    this.#waits = new WaitEstimate(minuteMs);
    this.#sessions = new Sessions({
      minuteMs,
      rememberMinutes: this.#rememberMinutes(),
      restored: restored?.record,
      revoked: restored?.revoked,
    });
    this.#minute = restored?.record?.minute ?? this.#minute;
    this.#admittedInMinute = restored?.record?.admittedInMinute ?? 0;
    if (restored?.line !== undefined) this.#line.restore(restored.line, nowMs);
  }

  get record(): AdmissionRecord {
    return { ...this.#sessions.record, minute: this.#minute, admittedInMinute: this.#admittedInMinute };
  }

  get waiting(): number {
    return this.#line.size;
  }

  get lineSummary(): LineSummary {
    return this.#line.summary();
  }

  /** Sessions ended so far whose slots came free, since this object was made. */
  get released(): number {
    return this.#sessions.released;
  }

  /** Puts a changed room in force. Nobody inside or in line is touched. */
  configure(room: Room): void {
    this.#room = room;
    this.#sessions.rememberMinutes = this.#rememberMinutes();
  }

  inside(nowMs: number): number {
    return this.#sessions.held(nowMs);
  }

  admittedInMinute(nowMs: number): number {
    this.minuteAt(nowMs);
    return this.#admittedInMinute;
  }

  /** Slots of both resources that are free at `nowMs`, called ones included; never below 0. */
  free(nowMs: number): number {
    this.minuteAt(nowMs);
    const { totalActiveUsers, newUsersPerMinute } = this.#room;
    const active = this.#account.active(totalActiveUsers, this.#minute) - this.#sessions.held(nowMs);
    const arrivals = this.#account.arrivals(newUsersPerMinute, this.#minute) - this.#admittedInMinute;
    return Math.max(0, Math.min(active, arrivals));
  }

  /** Whether a request that takes neither slot nor place (an asset, a HEAD) may pass: while nobody would have to wait. */
  isOpen(nowMs: number): boolean {
    if (this.#room.queueAll) return false;
    if (this.#room.queueingMethod === "passthrough") return true;
    return this.#room.queueingMethod === "fifo" && this.#line.size < this.free(nowMs);
  }

  /** A visitor without a good cookie. `id` is theirs from now on, in line and inside. */
  arrive(id: string, nowMs: number): Decision {
    this.#account.count("seen", this.minuteAt(nowMs));
    const { queueAll, queueingMethod, queueMax } = this.#room;
    if (!queueAll) {
      if (queueingMethod === "reject") return { kind: "rejected" };
      if (queueingMethod === "passthrough") return this.#admit(id, nowMs);
      // Everybody in line has a slot, and one is left.
      if (this.#line.size < this.free(nowMs)) return this.#admit(id, nowMs);
    }
    if (this.#line.size >= queueMax) return { kind: "full" };
    return this.#wait(this.#line.join(nowMs), nowMs);
  }

  /** A visitor with a place in line asks again. `used`: the place has been used before, and its session is over. */
  poll(id: string, key: number, nowMs: number): Decision | { readonly kind: "used" } {
    const { queueAll, queueingMethod } = this.#room;
    const lastGood = this.#sessions.lastGoodOf(id);
    // Of two polls under way at once the first takes the slot; the second is let in on the same session.
    if (lastGood !== undefined)
      return lastGood >= this.minuteAt(nowMs) ? { kind: "admitted", lastGood } : { kind: "used" };
    if (!queueAll && queueingMethod === "reject") return { kind: "rejected" };
    if (!queueAll && queueingMethod === "passthrough") {
      this.#line.leave(key);
      return this.#admit(id, nowMs);
    }
    return this.#proceed(id, key, nowMs);
  }

  /**
   * First request of a session in a minute. `lastGood`: what its cookie says. A session that this account does not hold
   * is adopted if a slot is free; else it has none (`not-mine`).
   */
  checkIn(id: string, lastGood: Minute, nowMs: number): CheckIn {
    return this.#checkIn({ id, lastGood, isHome: true }, nowMs);
  }

  /** The same for a session of another account: it has no claim to the slots that are held for this one's. */
  adopt(id: string, lastGood: Minute, nowMs: number): CheckIn {
    return this.#checkIn({ id, lastGood, isHome: this.#sessions.lastGoodOf(id) !== undefined }, nowMs);
  }

  #checkIn({ id, lastGood, isHome }: { id: string; lastGood: Minute; isHome: boolean }, nowMs: number): CheckIn {
    const minute = this.minuteAt(nowMs);
    const held = this.#sessions.held(nowMs);
    const before = this.#sessions.lastGoodOf(id) ?? lastGood;
    // Never before what the cookie says, even if sessions have become shorter: it may be shown again.
    const renewed = this.#room.disableSessionRenewal ? lastGood : this.#lastGood(nowMs);
    const extended = renewed > lastGood ? renewed : lastGood;
    const checkIn = isHome ? this.#sessions.checkIn(id, minute, extended) : NOT_MINE;
    if (checkIn.kind === "not-mine" && held < this.#account.active(this.#room.totalActiveUsers, minute)) {
      this.#sessions.admit(id, extended);
      this.#account.count("in", minute);
      return { kind: "acknowledged", lastGood: extended };
    }
    if (checkIn.kind === "acknowledged" && checkIn.lastGood > before) this.#countMove(before, checkIn.lastGood);
    return checkIn;
  }

  /** Ends a session at the origin's word, at the end of this minute. Returns what must be on disk by then, if it was on. */
  revoke(id: string, nowMs: number): Revoked | undefined {
    const lastGood = this.#sessions.revoke(id, this.minuteAt(nowMs));
    if (lastGood === undefined) return undefined;
    this.#account.count("out", minutePlus(lastGood, -this.#room.sessionDuration));
    return { id, lastGood };
  }

  /** Housekeeping, every second or so: visitors who are gone leave the line, ended sessions are forgotten. */
  tick(nowMs: number): void {
    this.minuteAt(nowMs);
    this.#line.removeGone(nowMs, this.#room.refreshIntervalSeconds * 1_000);
    if (this.#line.size > 0) this.#waits.recordWaiting(this.#minute);
    this.#sessions.held(nowMs);
    this.#sessions.sweep(this.#minute);
  }

  /** Wait of the visitor at `position`; undefined while the room is held. */
  waitAt(position: number, nowMs: number): Wait | undefined {
    const { queueAll, totalActiveUsers, newUsersPerMinute, sessionDuration } = this.#room;
    if (queueAll) return undefined;
    // A session holds its slot for its duration and, on average, half of the minute it was last seen in.
    const turnover = totalActiveUsers / (sessionDuration + 0.5);
    // Slots that are free now go to the next in line at their next poll: they are as good as gone.
    return this.#waits.wait(position - this.free(nowMs), nowMs, Math.min(newUsersPerMinute, turnover));
  }

  #rememberMinutes(): number {
    return Math.ceil(placeGraceMs(this.#room, this.#minuteMs) / this.#minuteMs);
  }

  /** The visitor with `key` goes in if called and a slot is free, else waits on. */
  #proceed(id: string, key: number, nowMs: number): Decision {
    const waiting = this.#wait(key, nowMs);
    const free = this.#room.queueAll ? 0 : this.free(nowMs);
    this.#line.call(free);
    if (free === 0 || !this.#line.isCalled(key)) return waiting;
    this.#line.leave(key);
    return this.#admit(id, nowMs);
  }

  #wait(key: number, nowMs: number): Decision {
    const position = this.#line.poll(key, nowMs);
    return { kind: "waiting", place: { key, position, wait: this.waitAt(position, nowMs) } };
  }

  #admit(id: string, nowMs: number): Decision {
    const lastGood = this.#lastGood(nowMs);
    this.#sessions.admit(id, lastGood);
    this.#admittedInMinute += 1;
    this.#account.count("in", this.#minute);
    this.#waits.recordLetIn(this.#minute);
    return { kind: "admitted", lastGood };
  }

  /** Publishes that a stay that was good to `from` now rests on the minute that makes it good to `to`. */
  #countMove(from: Minute, to: Minute): void {
    this.#account.count("out", minutePlus(from, -this.#room.sessionDuration));
    this.#account.count("in", minutePlus(to, -this.#room.sessionDuration));
  }

  #lastGood(nowMs: number): Minute {
    return minutePlus(this.minuteAt(nowMs), this.#room.sessionDuration);
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
