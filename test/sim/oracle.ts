/**
 * What is measured in a run, over all its rooms. room-judge.ts checks the limits for each room.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { RoomJudge, type RoomJudgeParts } from "./room-judge.ts";
import type { Use } from "./slot-use.ts";
import type { ThrownOutReason } from "./thrown-out.ts";
import type { Visitor } from "./visitor.ts";

/** A broken promise, as text. */
export class BrokenPromise extends Error {}

/** What was going on in one second, in all rooms together. */
export interface Sample {
  readonly atMs: number;
  readonly inside: number;
  readonly waiting: number;
}

/** Measured once a second: see `Sample` and `Oracle.counts`. */
export interface Seen extends Pick<Sample, "waiting"> {
  /** Slots that are held or called for a visitor, at nodes that run, and idle ones there. */
  readonly taken: number;
  readonly early: number;
  readonly idle: number;
  /** Slots in use, of as many as visitors could have, wherever they are. */
  readonly use: Use;
}

/** Waits kept for the percentiles: of the first ones. */
const WAITS_MAX = 200_000;

export class Oracle {
  readonly #isStrict: boolean;
  readonly #fail: (text: string) => never;
  readonly #rooms: RoomJudge[] = [];
  #sweptTo = 0;
  readonly samples: Sample[] = [];
  readonly counts = {
    arrived: 0,
    admitted: 0,
    /** Sessions that ended although their visitor was active, without an order. */
    thrownOut: 0,
    /** Sessions that were revoked, and stays that ended while their room was deleted. */
    endedByOrder: 0,
    insideMax: 0,
    /** Sessions and limit of the room that was once the fullest. */
    fullest: { inside: 0, limit: 1 },
    /** Most admissions in a minute, as part of the limit. */
    arrivalsMost: 0,
    /**
     * Admitted at their first request, past visitors of their locality who had waited for a while and had not been
     * called.
     */
    overtook: 0,
    waitedSeconds: 0,
    /** Of these, while a slot was free that the visitor could have had. */
    earlySeconds: 0,
    /** Seconds of slots within reach while visitors waited: in use or called, and idle. */
    takenSeconds: 0,
    idleSeconds: 0,
    /** Seconds of slots of the whole room while visitors waited: in use or called, and as many as could have been. */
    usedSeconds: 0,
    usableSeconds: 0,
    /** Inside, as part of the limit, when the first visitor had to wait; 1 if none had to. */
    firstQueueAt: 1,
  };
  /** Lost sessions, by reason. */
  readonly thrownOutBy = new Map<ThrownOutReason, number>();
  readonly waits: { readonly atMs: number; readonly ms: number }[] = [];
  /** Of new visitors: ms that the gate took to decide. */
  readonly decisions: number[] = [];

  /** `isStrict`: whether an exceeded limit ends the run. */
  constructor({ isStrict, fail }: { readonly isStrict: boolean; readonly fail: (text: string) => never }) {
    this.#isStrict = isStrict;
    this.#fail = fail;
  }

  /** Begins to judge a room. */
  room(name: string, ends: Pick<RoomJudgeParts, "isRefused" | "isEndStored">): RoomJudge {
    const judge = new RoomJudge({ name, isStrict: this.#isStrict, fail: this.#fail, ...ends });
    this.#rooms.push(judge);
    return judge;
  }

  /** Sessions whose cookies are good in `minute`. */
  inside(minute: Minute): number {
    return this.#rooms.reduce((sum, room) => sum + room.inside(minute), 0);
  }

  /** A visitor of a room received a session, or its extension, to the end of `lastGood`. */
  received(
    room: RoomJudge,
    { id, lastGood }: { readonly id: string; readonly lastGood: Minute },
    minute: Minute,
  ): void {
    room.received(id, lastGood, minute);
    this.counts.insideMax = Math.max(this.counts.insideMax, this.inside(minute));
    this.counts.fullest = fullerOf(this.counts.fullest, room.fullest);
  }

  /** A visitor of a room was admitted for the first time, in the minute `stamped`. */
  admitted(room: RoomJudge, { id, stamped }: { readonly id: string; readonly stamped: Minute }): void {
    const part = room.admitted(id, stamped);
    if (part === undefined) return;
    this.counts.arrivalsMost = Math.max(this.counts.arrivalsMost, part);
  }

  /** A visitor is in, `atMs` after the start. */
  waited({ arrivedMs, admittedMs = arrivedMs }: Pick<Visitor, "arrivedMs" | "admittedMs">, atMs: number): void {
    if (this.waits.length < WAITS_MAX) this.waits.push({ atMs, ms: admittedMs - arrivedMs });
  }

  /** An active visitor lost the session. */
  thrownOut(reason: ThrownOutReason = "nobody was asked, or answered, in time"): void {
    this.counts.thrownOut += 1;
    this.thrownOutBy.set(reason, (this.thrownOutBy.get(reason) ?? 0) + 1);
  }

  /** The first visitors of a run have to wait: how full was their room? */
  queued(room: RoomJudge, minute: Minute): void {
    if (this.counts.firstQueueAt < 1) return;
    this.counts.firstQueueAt = Math.min(1 - Number.EPSILON, room.fullness(minute));
  }

  /** Once a second. */
  sample(atMs: number, minute: Minute, { waiting, early, taken, idle, use }: Seen): void {
    this.samples.push({ atMs, inside: this.inside(minute), waiting });
    this.counts.waitedSeconds += waiting;
    this.counts.earlySeconds += early;
    this.counts.takenSeconds += taken;
    this.counts.idleSeconds += idle;
    this.counts.usedSeconds += use.used;
    this.counts.usableSeconds += use.usable;
    if (minute > this.#sweptTo) this.#sweep(minute);
  }

  #sweep(minute: Minute): void {
    this.#sweptTo = minute;
    for (const room of this.#rooms) room.sweep(minute);
  }
}

type Fullest = RoomJudge["fullest"];

/** The one of which a larger part is used. */
export function fullerOf(one: Fullest, other: Fullest): Fullest {
  return other.inside * one.limit > one.inside * other.limit ? other : one;
}
