/**
 * Who sees all: counts sessions by the cookies that were told, and admissions by the minute that is stamped on them, the moment
 * they are told. A broken promise ends the run there; the rest is measured.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { type Order, orderOf } from "./order.ts";
import type { Visitor } from "./visitor.ts";

/** A promise that was broken, in words. */
export class BrokenPromise extends Error {}

/** What was going on in one second. */
export interface Sample {
  readonly atMs: number;
  readonly inside: number;
  readonly limit: number;
  readonly waiting: number;
  /** Slots that are held or called for somebody, at nodes that run. */
  readonly taken: number;
  /** Admissions in this second, by locality. */
  readonly admitted: Readonly<Record<string, number>>;
}

export interface Limits {
  readonly active: number;
  readonly arrivals: number;
}

/** Waits kept for the percentiles: of the first ones. */
const WAITS_MAX = 200_000;

export class Oracle {
  /** Whether passing a limit ends the run: not for policies that promise none. */
  readonly #isStrict: boolean;
  readonly #fail: (text: string) => never;
  /** By session id: the last minute that any cookie told is good for. */
  readonly #sessions = new Map<string, Minute>();
  /** Sessions by that minute. */
  readonly #goodTo = new Map<Minute, number>();
  readonly #admittedIn = new Map<Minute, number>();
  #most: Limits = { active: 0, arrivals: 0 };
  #limit: Limits = { active: 0, arrivals: 0 };
  #sweptTo = 0;
  #admittedNow: Record<string, number> = {};
  readonly samples: Sample[] = [];
  readonly counts = {
    arrived: 0,
    admitted: 0,
    /** Visitors inside whose stay was ended although they went on browsing. */
    thrownOut: 0,
    gaveUp: 0,
    insideMax: 0,
    /** Most admissions in a minute, as part of the limit. */
    arrivalsMost: 0,
    /** Let in at their first request, past visitors of their locality who had waited for a while and had not been called. */
    overtook: 0,
    /** Positions that went back. */
    positionsBack: 0,
    waitedSeconds: 0,
    /** Of these, while a slot was free that the visitor could have had. */
    earlySeconds: 0,
    /** Seconds of slots within reach while somebody waited: in use or called, and idle. */
    takenSeconds: 0,
    idleSeconds: 0,
    /** Inside, as part of the limit, when the first visitor had to wait; 1 if none had to. */
    firstQueueAt: 1,
    requests: 0,
  };
  readonly waits: { readonly atMs: number; readonly ms: number }[] = [];
  /** Of new visitors: ms that the gate took to decide. */
  readonly decisions: number[] = [];
  readonly #turns: number[] = [];

  constructor({ isStrict, fail }: { readonly isStrict: boolean; readonly fail: (text: string) => never }) {
    this.#isStrict = isStrict;
    this.#fail = fail;
  }

  /** The limits in force from now on. */
  limit(limits: Limits): void {
    this.#limit = limits;
    this.#most = {
      active: Math.max(this.#most.active, limits.active),
      arrivals: Math.max(this.#most.arrivals, limits.arrivals),
    };
  }

  /** Sessions whose cookies are good in `minute`. */
  inside(minute: Minute): number {
    let inside = 0;
    for (const [lastGood, count] of this.#goodTo) if (lastGood >= minute) inside += count;
    return inside;
  }

  /** Whether one more may come in, by the limits in force. */
  hasRoom(minute: Minute): boolean {
    return this.inside(minute) < this.#limit.active && (this.#admittedIn.get(minute) ?? 0) < this.#limit.arrivals;
  }

  /** A visitor was told that they are in, or may stay, to the end of `lastGood`. */
  told(id: string, lastGood: Minute, minute: Minute): void {
    const before = this.#sessions.get(id);
    if (before !== undefined && before >= lastGood) return;
    this.#sessions.set(id, lastGood);
    if (before !== undefined) this.#goodTo.set(before, (this.#goodTo.get(before) ?? 0) - 1);
    this.#goodTo.set(lastGood, (this.#goodTo.get(lastGood) ?? 0) + 1);
    const inside = this.inside(minute);
    this.counts.insideMax = Math.max(this.counts.insideMax, inside);
    if (inside > this.#most.active && this.#isStrict)
      this.#fail(`never over: ${inside} sessions inside, ${this.#most.active} allowed`);
  }

  /** A visitor was let in for the first time, in the minute `stamped`. */
  admitted(id: string, stamped: Minute, locality: string): void {
    if (this.#sessions.has(id)) return;
    const admitted = (this.#admittedIn.get(stamped) ?? 0) + 1;
    this.#admittedIn.set(stamped, admitted);
    this.#admittedNow[locality] = (this.#admittedNow[locality] ?? 0) + 1;
    this.counts.arrivalsMost = Math.max(this.counts.arrivalsMost, admitted / this.#most.arrivals);
    if (admitted > this.#most.arrivals && this.#isStrict)
      this.#fail(`never over: ${admitted} admitted in minute ${stamped}, ${this.#most.arrivals} allowed`);
  }

  /** A visitor is in, `atMs` after the start. */
  waited(
    { arrivedMs, admittedMs = arrivedMs, hasWaited }: Pick<Visitor, "arrivedMs" | "admittedMs" | "hasWaited">,
    atMs: number,
  ): void {
    if (this.waits.length < WAITS_MAX) this.waits.push({ atMs, ms: admittedMs - arrivedMs });
    if (hasWaited) this.#turns.push(arrivedMs);
  }

  /** The first visitors of a run have to wait: how full was it? */
  queued(minute: Minute): void {
    if (this.counts.firstQueueAt < 1) return;
    const fullness = Math.max(
      this.inside(minute) / this.#limit.active,
      (this.#admittedIn.get(minute) ?? 0) / this.#limit.arrivals,
    );
    this.counts.firstQueueAt = Math.min(1 - Number.EPSILON, fullness);
  }

  /** Once a second. */
  sample(
    atMs: number,
    minute: Minute,
    { waiting, early, taken, idle }: { waiting: number; early: number; taken: number; idle: number },
  ): void {
    this.samples.push({
      atMs,
      inside: this.inside(minute),
      limit: this.#limit.active,
      waiting,
      taken,
      admitted: this.#admittedNow,
    });
    this.#admittedNow = {};
    this.counts.waitedSeconds += waiting;
    this.counts.earlySeconds += early;
    this.counts.takenSeconds += taken;
    this.counts.idleSeconds += idle;
    if (minute > this.#sweptTo) this.#sweep(minute);
  }

  #sweep(minute: Minute): void {
    this.#sweptTo = minute;
    for (const lastGood of this.#goodTo.keys()) if (lastGood < minute - 2) this.#goodTo.delete(lastGood);
    for (const [id, lastGood] of this.#sessions) if (lastGood < minute - 2) this.#sessions.delete(id);
  }

  get order(): Order {
    return orderOf(this.#turns);
  }

  /**
   * Part of the slots that were used, of as many as there were visitors inside and waiting at most, in minutes of which each second
   * somebody waited; undefined without any.
   */
  use(minuteMs: number): number | undefined {
    const perMinute = Math.round(minuteMs / 1_000);
    let [used, full] = [0, 0];
    for (let from = 0; from + perMinute <= this.samples.length; from += perMinute) {
      const minute = this.samples.slice(from, from + perMinute);
      if (minute.some(({ waiting }) => waiting === 0)) continue;
      const taken = minute.reduce((sum, sample) => sum + usedPart(sample), 0) / perMinute;
      const admitted = minute.reduce((sum, sample) => sum + totalOf(sample.admitted), 0) / this.#limit.arrivals;
      used += Math.min(1, Math.max(taken, admitted));
      full += 1;
    }
    return full === 0 ? undefined : used / full;
  }
}

function usedPart({ taken, waiting, limit }: Sample): number {
  return Math.min(1, taken / Math.min(limit, taken + waiting));
}

function totalOf(admitted: Readonly<Record<string, number>>): number {
  return Object.values(admitted).reduce((sum, count) => sum + count, 0);
}
