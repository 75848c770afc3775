/**
 * What is measured of a run, over all its rooms. Whether a limit was passed is judged for each room apart (room-judge.ts).
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { type Order, orderOf } from "./order.ts";
import { RoomJudge } from "./room-judge.ts";
import type { Visitor } from "./visitor.ts";

/** A promise that was broken, in words. */
export class BrokenPromise extends Error {}

/** What was going on in one second, in all rooms together. */
export interface Sample {
  readonly atMs: number;
  readonly inside: number;
  readonly limit: number;
  readonly waiting: number;
  /** In rooms with a line: slots that are held or called for somebody, at nodes that run. */
  readonly taken: number;
  /** As many as could be, by the limits of those rooms and the visitors there are. */
  readonly usable: number;
  /** Admissions in this second, by locality. */
  readonly admitted: Readonly<Record<string, number>>;
}

/** What is seen once a second: see `Sample` and `Oracle.counts`. */
export interface Seen extends Pick<Sample, "waiting" | "taken" | "usable"> {
  readonly early: number;
  readonly idle: number;
}

/** Waits kept for the percentiles: of the first ones. */
const WAITS_MAX = 200_000;

export class Oracle {
  readonly #isStrict: boolean;
  readonly #fail: (text: string) => never;
  readonly #rooms: RoomJudge[] = [];
  #sweptTo = 0;
  #admittedNow: Record<string, number> = {};
  readonly samples: Sample[] = [];
  readonly counts = {
    arrived: 0,
    admitted: 0,
    /** Visitors inside whose stay was ended although they went on browsing, and nobody had ordered it. */
    thrownOut: 0,
    /** Sessions that were revoked, and stays that ended while their room was deleted. */
    endedByOrder: 0,
    gaveUp: 0,
    insideMax: 0,
    /** Sessions and limit of the room that was once the fullest. */
    fullest: { inside: 0, limit: 1 },
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
  /** By room: when those came who waited and are in, in the order of coming in. */
  readonly #turns = new Map<RoomJudge, number[]>();

  /** `isStrict`: whether passing a limit ends the run. */
  constructor({ isStrict, fail }: { readonly isStrict: boolean; readonly fail: (text: string) => never }) {
    this.#isStrict = isStrict;
    this.#fail = fail;
  }

  /** Begins to judge a room. `isRefused`: whether every gate refuses a session of it. */
  room(name: string, isRefused: (id: string) => boolean): RoomJudge {
    const judge = new RoomJudge({ name, isStrict: this.#isStrict, fail: this.#fail, isRefused });
    this.#rooms.push(judge);
    return judge;
  }

  /** Sessions whose cookies are good in `minute`. */
  inside(minute: Minute): number {
    return this.#rooms.reduce((sum, room) => sum + room.inside(minute), 0);
  }

  /** A visitor of a room was told that they are in, or may stay, to the end of `lastGood`. */
  told(room: RoomJudge, { id, lastGood }: { readonly id: string; readonly lastGood: Minute }, minute: Minute): void {
    room.told(id, lastGood, minute);
    this.counts.insideMax = Math.max(this.counts.insideMax, this.inside(minute));
    this.counts.fullest = fullerOf(this.counts.fullest, room.fullest);
  }

  /** A visitor of a room was let in for the first time, in the minute `stamped`. */
  admitted(
    room: RoomJudge,
    { id, stamped }: { readonly id: string; readonly stamped: Minute },
    locality: string,
  ): void {
    const part = room.admitted(id, stamped);
    if (part === undefined) return;
    this.#admittedNow[locality] = (this.#admittedNow[locality] ?? 0) + 1;
    this.counts.arrivalsMost = Math.max(this.counts.arrivalsMost, part);
  }

  /** A visitor is in a room, `atMs` after the start. */
  waited(
    room: RoomJudge,
    { arrivedMs, admittedMs = arrivedMs, hasWaited }: Pick<Visitor, "arrivedMs" | "admittedMs" | "hasWaited">,
    atMs: number,
  ): void {
    if (this.waits.length < WAITS_MAX) this.waits.push({ atMs, ms: admittedMs - arrivedMs });
    if (hasWaited) this.#turns.getOrInsertComputed(room, () => []).push(arrivedMs);
  }

  /** The first visitors of a run have to wait: how full was their room? */
  queued(room: RoomJudge, minute: Minute): void {
    if (this.counts.firstQueueAt < 1) return;
    this.counts.firstQueueAt = Math.min(1 - Number.EPSILON, room.fullness(minute));
  }

  /** Once a second. */
  sample(atMs: number, minute: Minute, { early, idle, ...now }: Seen): void {
    const { waiting, taken } = now;
    this.samples.push({
      atMs,
      inside: this.inside(minute),
      limit: this.#limit(({ active }) => active),
      ...now,
      admitted: this.#admittedNow,
    });
    this.#admittedNow = {};
    this.counts.waitedSeconds += waiting;
    this.counts.earlySeconds += early;
    this.counts.takenSeconds += taken;
    this.counts.idleSeconds += idle;
    if (minute > this.#sweptTo) this.#sweep(minute);
  }

  #limit(of: (limits: RoomJudge["limits"]) => number): number {
    return this.#rooms.reduce((sum, { limits }) => sum + of(limits), 0);
  }

  #sweep(minute: Minute): void {
    this.#sweptTo = minute;
    for (const room of this.#rooms) room.sweep(minute);
  }

  /** Of the room in which it was kept worst. */
  get order(): Order {
    const orders = [...this.#turns.values(), []].map((turns) => orderOf(turns));
    return {
      visitors: orders.reduce((sum, { visitors }) => sum + visitors, 0),
      tau: Math.min(...orders.map(({ tau }) => tau)),
      displacement: Math.max(...orders.map(({ displacement }) => displacement)),
    };
  }

  /**
   * Part of the slots that were used, of as many as there were visitors inside and waiting at most, in minutes of which each second
   * somebody waited; undefined without any.
   */
  use(minuteMs: number): number | undefined {
    const perMinute = Math.round(minuteMs / 1_000);
    const arrivals = this.#limit((limits) => limits.arrivals);
    let [used, full] = [0, 0];
    for (let from = 0; from + perMinute <= this.samples.length; from += perMinute) {
      const minute = this.samples.slice(from, from + perMinute);
      if (minute.some(({ waiting }) => waiting === 0)) continue;
      const taken = minute.reduce((sum, sample) => sum + usedPart(sample), 0) / perMinute;
      const admitted = minute.reduce((sum, sample) => sum + totalOf(sample.admitted), 0) / arrivals;
      used += Math.min(1, Math.max(taken, admitted));
      full += 1;
    }
    return full === 0 ? undefined : used / full;
  }
}

type Fullest = RoomJudge["fullest"];

/** The one of which a larger part is taken. */
export function fullerOf(one: Fullest, other: Fullest): Fullest {
  return other.inside * one.limit > one.inside * other.limit ? other : one;
}

function usedPart({ taken, usable }: Sample): number {
  return Math.min(1, taken / usable);
}

function totalOf(admitted: Readonly<Record<string, number>>): number {
  return Object.values(admitted).reduce((sum, count) => sum + count, 0);
}
