/**
 * How fast a room's new visitors may come in now: at most as fast as its limits allow, and slower for a cold, slow or
 * failing origin.
 *
 * Each node decides by itself from what it sees, and only lowers the arrivals of the minute with which it calculates.
 * Its slots are its share of that, so no agreement is needed for the sum of all nodes to stay below
 * (mesh/core/ledger/shares.ts). The rate is the lowest of: the ramp, whose start the nodes send each other; what
 * throttling leaves of the demand; and what brings the number of sessions up to the most that the origin has shown to
 * bear. While any of it is below the limit, or the room is paced, a minute's slots are released evenly over it, with a
 * small burst.
 *
 * Visitors with a session are never held back. Pure: time comes in.
 */

import { type Ramp, rampLevel } from "../../config/ramp.ts";
import type { Room } from "../../config/room.ts";
import { RequestWindow } from "./request-window.ts";
import { heldBackShare } from "./throttle.ts";
import { UsualLatency } from "./usual-latency.ts";

/** What a pace needs to know of the room as a whole, as far as this node has heard. */
export interface Scene {
  /** Sessions on all nodes. */
  readonly inside: number;
  /** Admissions of all nodes in this minute. */
  readonly admitted: number;
  /** New visitors in the busier of this minute and the last. */
  readonly seen: number;
  /** Whether visitors wait anywhere. */
  readonly isLine: boolean;
}

export type Reason = "ramp" | "down" | "failing" | "slow" | "paced";

/** What holds new visitors back at this node now. */
export interface Holding {
  readonly reason: Reason;
  /** New visitors per minute that all nodes together may admit. */
  readonly perMinute: number;
  /** Part of the new visitors that throttling turns into the line. */
  readonly share?: number;
  /** Of a failing origin: whether it mostly answers with errors, or not at all. */
  readonly answers?: boolean;
  /** Of a slow origin: what it takes, and usually takes, in ms. */
  readonly recentMs?: number;
  readonly usualMs?: number;
}

/** A change of the room, as far as it concerns the pace. */
export interface ChangeOfRoom {
  /** Whether the origin has not had as many visitors of late. */
  readonly isCold: boolean;
  /** Whether a long hold ends. */
  readonly wasLong: boolean;
  /** Unix ms. */
  readonly atMs: number;
}

export type PacedRoom = Pick<Room, "newUsersPerMinute" | "totalActiveUsers" | "ramp" | "throttle" | "pace">;

/** The window of the SRE book's rule, and its slices. */
const LONG_MINUTES = 2;
const LONG_SLICES = 24;

/**
 * The window for what happens just now: about ten seconds, and no shorter slices than a quarter, as an answer takes its
 * time.
 */
const SHORT_SLICES = 10;
const SHORT_SLICE_MS_MIN = 250;
const SLICES_PER_MINUTE = 60;

/** Requests ended within the short window below which it says nothing: an origin without requests is not busy. */
const BUSY_MIN = 20;

/** From this part of recently failed requests on, the origin counts as down: what comes after is a new start. */
const FAILING_PART = 0.5;

/**
 * The part of its sessions that a failing origin keeps, as far as they end by themselves: what the gradient leaves at
 * worst.
 */
const FAILING_LEAVES = 0.95;

/** A room without visitors for this long starts its ramp again: its origin has gone cold. */
const IDLE_MINUTES = 5;

/**
 * How a room without a ramp of its own begins after a long hold, when its line meets a cold origin (CT-9): with half of
 * its rate, as after an outage.
 */
const RESUMED = { part: 0.5, growth: { unit: "min", percent: 50, minutes: 1 } } as const;

/**
 * Growth of the cap: half as much again in a minute up to near where the origin last had too much, from there in five,
 * as a ramp's (CT-2). Faster, and each growth ends in too much; slower, and an origin that was ill for other reasons is
 * long kept from its visitors.
 */
const CAP_GROWTH_PER_MINUTE = { below: 1.5, near: 1.5 ** (1 / 5) };
const NEAR_PART = 0.8;

/** Sessions that an origin keeps however slow it is: an origin without requests teaches nothing. */
const CAP_MIN = 5;

/**
 * A gap to the cap is filled within a twelfth of a minute: faster, and nodes that have not heard of each other's
 * overshoot it.
 */
const FILL_PER_MINUTE = 12;

/** Growth of a throttled rate, per minute, once nothing fails any more. */
const RELEASE_PER_MINUTE = 1.5;
/** The lowest rate with which an origin that was down begins, in new visitors per minute. */
const RELEASE_MIN = 30;
/** The multiple of the demand from which a rate, or a cap, holds no visitor back and is dropped. */
const AMPLE = 2;

/** What is left of a count of late after a tick. */
const FORGET_PER_TICK = 0.9;

/** Errors of late below which there were none in the long window: what is left of one after its 240 ticks. */
const ERRORS_MIN = 1e-11;

/**
 * Part of a minute whose slots may be saved up: at one second's, those that come free between two polls of the front
 * are lost.
 */
const BURST = 2 / 60;
/**
 * The same while visitors wait: a slot is kept for the visitor who is called for it, for up to a poll and the half
 * second or two in which nodes hear of each other's admissions. Those who are called come one by one, so this is no
 * burst.
 */
const CALLED_BURST = 6 / 60;
/**
 * Part of a minute whose slots are released at its start while visitors wait: as long as a called visitor takes, or the
 * minute's last slots are lost.
 */
const HEAD_START = 2 / 60;
/** The same as a number of slots: of a low rate, two seconds are less than the front's next poll needs. */
export const BURST_MIN = 5;

/** How far ahead of the own clock a start sent by another node may be: as far as clocks may differ. */
const AHEAD_MS = 2_000;

/** What a gate reports about a room's origin: how many requests it sent there, and how they ended. */
export type OriginObserver = Pick<Pace, "sent" | "answered" | "failed" | "withdrawn" | "reachable">;

export class Pace {
  readonly #minuteMs: number;
  readonly #long: RequestWindow;
  readonly #short: RequestWindow;
  readonly #usual = new UsualLatency();
  readonly #config: { readonly room: PacedRoom };
  #startMs: number;
  #activeMs: number;
  #isReachable = true;
  /** Whether the origin was observed lately. */
  #isUsed = false;
  #isDown = false;
  /** Most sessions that the origin has shown to bear. */
  #cap = Number.POSITIVE_INFINITY;
  /** Whether that was shown by failing, or by being slow. */
  #capBy: "failing" | "slow" = "slow";
  /** How many sessions there were when it last began to have too much. */
  #tooMany = 0;
  #isOverloaded = false;
  /** What throttling leaves, in new visitors per minute. */
  #throttled = Number.POSITIVE_INFINITY;
  /** The demand before the origin failed: of a line that is held back, those who come in say too little of it. */
  #demandBefore = 0;
  #scene: Scene = { inside: 0, admitted: 0, seen: 0, isLine: false };
  #tickedMs: number;
  /** Answers with errors, and requests without an answer, of late: each counts half after some seconds. */
  #errors = 0;
  #silences = 0;
  /** Admissions of all nodes in the minute before. */
  #admittedBefore = 0;
  /** Slots of the current minute released so far. */
  #released = { minute: -1, slots: 0, atMs: 0 };
  #holding: Holding | undefined;
  #isFirstLook = true;
  /** Whether a long hold has ended, and the room is not back at its rate. */
  #isResuming = false;

  /** `startMs`: of the ramp, as stored, or when the room was made. `activeMs`: when it last had a visitor. */
  constructor(
    config: { readonly room: PacedRoom },
    past: { startMs: number; activeMs: number; nowMs: number; minuteMs: number },
  ) {
    const { nowMs, minuteMs, startMs, activeMs } = past;
    this.#config = config;
    this.#minuteMs = minuteMs;
    this.#startMs = startMs;
    this.#activeMs = activeMs;
    this.#tickedMs = nowMs;
    this.#holdAtOnce(nowMs);
    this.#long = new RequestWindow(LONG_SLICES, (LONG_MINUTES * minuteMs) / LONG_SLICES, false);
    this.#short = new RequestWindow(SHORT_SLICES, Math.max(SHORT_SLICE_MS_MIN, minuteMs / SLICES_PER_MINUTE));
  }

  /** When the ramp last began, in Unix ms; 0 if never. To be stored, and sent to all. */
  get startMs(): number {
    return this.#startMs;
  }

  /** What holds new visitors back, as of the last tick; undefined while nothing does. */
  get holding(): Holding | undefined {
    return this.#holding;
  }

  /** What holds back now lets in so many a minute, so many minutes from now: a ramp goes on rising. */
  perMinuteIn(minutes: number, nowMs: number): number | undefined {
    const ramp = this.#rampInForce;
    if (this.#holding?.reason !== "ramp" || ramp === undefined) return this.#holding?.perMinute;
    return rampLevel(ramp, Math.max(0, nowMs - this.#startMs) / this.#minuteMs + minutes);
  }

  /** Whether requests went to the origin lately, it is down, or what they showed still holds back. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Whether anything holds back or could: if not, there is nothing to check. */
  get isInUse(): boolean {
    return this.#isUsed || this.#holding !== undefined || this.#config.room.pace || this.#rampInForce !== undefined;
  }

  /**
   * The room was changed at `atMs`. A held room that opens, or a raised limit, starts the ramp; the end of a hold that
   * was long does so in a room without one, too.
   */
  roomChanged(before: PacedRoom, { isCold, wasLong, atMs }: ChangeOfRoom): void {
    const { room } = this.#config;
    const isRaised =
      room.newUsersPerMinute > before.newUsersPerMinute || room.totalActiveUsers > before.totalActiveUsers;
    if (!isCold && !isRaised) return;
    if (isCold) this.#isResuming = wasLong;
    this.restart(atMs);
    this.#holdAtOnce();
  }

  /** Starts the ramp again, unless it began later. */
  restart(atMs: number): void {
    this.#startMs = Math.max(this.#startMs, Math.floor(atMs));
  }

  /** Another node's start of the ramp: the latest counts on all. */
  hear(startMs: number, nowMs: number): void {
    if (startMs <= this.#startMs || startMs > nowMs + AHEAD_MS) return;
    this.restart(startMs);
    this.#holdAtOnce();
  }

  /** A new visitor comes, admitted or not. */
  noteVisitor(nowMs: number): void {
    if (nowMs - this.#activeMs >= IDLE_MINUTES * this.#minuteMs) {
      this.restart(nowMs);
      this.#holdAtOnce(nowMs);
    }
    this.#activeMs = Math.max(this.#activeMs, nowMs);
  }

  /** A request goes to the origin. One that is sent again counts again. */
  sent(nowMs: number): void {
    this.#isUsed = true;
    this.#long.sent(nowMs);
  }

  /** The head of its answer is there, `tookMs` after it was sent. `isAccepted`: its status is below 500. */
  answered(isAccepted: boolean, tookMs: number, nowMs: number): void {
    if (!isAccepted) {
      this.#short.failed(nowMs);
      this.#errors += 1;
    } else {
      this.#long.accepted(tookMs, nowMs);
      this.#short.accepted(tookMs, nowMs);
    }
  }

  /** It got no answer: refused, timed out, or broken off before the head. */
  failed(nowMs: number): void {
    this.#short.failed(nowMs);
    this.#silences += 1;
  }

  /**
   * A sent request came to nothing, because its visitor went away before the origin could have answered: as if it had
   * not been sent. One whose visitor gave up after a long wait stays as sent, without an answer.
   */
  withdrawn(nowMs: number): void {
    this.#long.withdrawn(nowMs);
  }

  /** Whether any target of the origin is healthy, according to the health checks. Repeated while it lasts. */
  reachable(isReachable: boolean): void {
    this.#isUsed ||= !isReachable;
    this.#isReachable = isReachable;
  }

  /**
   * Most admissions of all nodes in `minute` up to `nowMs`, as a limit of which this node's slots are a share. Infinite
   * while nothing holds back.
   */
  arrivals(minute: number, nowMs: number): number {
    const perMinute = this.#holding?.perMinute ?? Number.POSITIVE_INFINITY;
    if (perMinute === Number.POSITIVE_INFINITY) return perMinute;
    const released = this.#released;
    const { isLine, admitted } = this.#scene;
    if (released.minute !== minute)
      this.#released = { minute, slots: isLine ? perMinute * HEAD_START : perMinute / SLICES_PER_MINUTE, atMs: nowMs };
    else if (nowMs > released.atMs) {
      const slots = released.slots + (perMinute * (nowMs - released.atMs)) / this.#minuteMs;
      const most = Math.min(perMinute, admitted + Math.max(BURST_MIN, perMinute * (isLine ? CALLED_BURST : BURST)));
      released.slots = Math.min(slots, Math.max(released.slots, most));
      released.atMs = nowMs;
    }
    return Math.floor(this.#released.slots);
  }

  /** Call it every half second or so. */
  tick(scene: Scene, nowMs: number): void {
    const minutes = Math.max(0, nowMs - this.#tickedMs) / this.#minuteMs;
    if (Math.floor(nowMs / this.#minuteMs) > Math.floor(this.#tickedMs / this.#minuteMs))
      this.#admittedBefore = this.#scene.admitted;
    this.#tickedMs = nowMs;
    this.#scene = scene;
    this.#errors *= FORGET_PER_TICK;
    this.#silences *= FORGET_PER_TICK;
    if (scene.admitted > 0 || scene.isLine) this.#activeMs = Math.max(this.#activeMs, nowMs);
    const before = this.#holding;
    const holdings = [this.#throttle(minutes, nowMs), ...this.#overload(minutes, nowMs)];
    if (!this.#isReachable) holdings.push({ reason: "down", perMinute: 0 });
    const isDown = holdings.some((of) => of?.reason === "down" || (of?.share ?? 0) >= FAILING_PART);
    this.#turnDown(isDown, nowMs);
    holdings.push(this.#ramp(nowMs));
    const perMinute = this.#config.room.newUsersPerMinute;
    if (this.#config.room.pace) holdings.push({ reason: "paced", perMinute });
    this.#holding = holdings
      .filter((holding) => holding !== undefined)
      .filter((holding) => holding.perMinute < perMinute || holding.reason === "paced")
      .sort((one, other) => one.perMinute - other.perMinute)[0];
    // From now on slots are released: those admitted so far in this minute count.
    if ((before === undefined || this.#isFirstLook) && this.#holding !== undefined)
      this.#released = {
        minute: Math.floor(nowMs / this.#minuteMs),
        slots: scene.admitted + this.#holding.perMinute / SLICES_PER_MINUTE,
        atMs: nowMs,
      };
    this.#isFirstLook = false;
    const isUnbounded = this.#cap === Number.POSITIVE_INFINITY && this.#throttled === Number.POSITIVE_INFINITY;
    const isQuiet = scene.inside === 0 && this.#isReachable && isUnbounded;
    if (isQuiet && this.#long.totals(nowMs).sent === 0) this.#isUsed = false;
  }

  /** A ramp holds back before the next look already: half a second of a full limit is more than it allows. */
  #holdAtOnce(nowMs = this.#startMs): void {
    const ramp = this.#ramp(nowMs);
    const most = this.#holding?.perMinute ?? this.#config.room.newUsersPerMinute;
    if (ramp === undefined || ramp.perMinute >= most) return;
    this.#holding = ramp;
    this.#isFirstLook = true;
  }

  #ramp(nowMs: number): Holding | undefined {
    const ramp = this.#rampInForce;
    if (ramp === undefined) return undefined;
    const isIdle = nowMs - this.#activeMs >= IDLE_MINUTES * this.#minuteMs;
    const minutes = isIdle ? 0 : (nowMs - this.#startMs) / this.#minuteMs;
    const perMinute = rampLevel(ramp, minutes);
    if (perMinute >= this.#config.room.newUsersPerMinute) this.#isResuming = false;
    return { reason: "ramp", perMinute };
  }

  get #rampInForce(): Ramp | undefined {
    const { ramp, newUsersPerMinute } = this.#config.room;
    if (ramp !== undefined || !this.#isResuming) return ramp;
    return { ...RESUMED.growth, start: RESUMED.part * newUsersPerMinute };
  }

  #throttle(minutes: number, nowMs: number): Holding | undefined {
    const { k } = this.#config.room.throttle;
    if (k === 0) return undefined;
    const { sent, accepted } = this.#long.totals(nowMs, 1);
    const share = heldBackShare({ requests: sent, accepts: accepted }, k);
    // For a line that is being admitted, the demand is the number of admissions.
    const demand = Math.max(1, this.#scene.seen, this.#scene.admitted, this.#admittedBefore);
    if (this.#throttled === Number.POSITIVE_INFINITY && !this.#isDown) this.#demandBefore = demand;
    if (share > 0) this.#throttled = Math.max(demand, this.#demandBefore) * (1 - share);
    else if (this.#throttled !== Number.POSITIVE_INFINITY) {
      this.#throttled *= RELEASE_PER_MINUTE ** minutes;
      const isAmple = !this.#scene.isLine && this.#throttled > AMPLE * demand;
      if (isAmple || this.#throttled >= this.#config.room.newUsersPerMinute) this.#throttled = Number.POSITIVE_INFINITY;
    }
    return this.#throttled === Number.POSITIVE_INFINITY
      ? undefined
      : { reason: "failing", perMinute: this.#throttled, share, answers: this.#isAnswering };
  }

  /** What the last ten seconds say, and the cap that is left of what they said before. */
  #overload(minutes: number, nowMs: number): Holding[] {
    const { k, latency } = this.#config.room.throttle;
    const { accepted, failed, medianMs } = this.#short.totals(nowMs);
    const isBusy = accepted + failed >= BUSY_MIN;
    const isFailing = isBusy && k > 0 && failed / (accepted + failed) >= FAILING_PART;
    const gradient =
      isBusy && latency > 0 && medianMs !== undefined
        ? this.#usual.gradient(medianMs, latency, { nowMs, minuteMs: this.#minuteMs })
        : 1;
    const { totalActiveUsers } = this.#config.room;
    const isOverloaded = gradient < 1 || isFailing;
    if (isOverloaded && !this.#isOverloaded) this.#tooMany = this.#scene.inside;
    if (isFailing) this.#capBy = "failing";
    else if (isOverloaded && !this.#isOverloaded) this.#capBy = "slow";
    this.#isOverloaded = isOverloaded;
    if (isOverloaded) {
      const borne = this.#scene.inside * Math.min(gradient, isFailing ? FAILING_LEAVES : 1);
      this.#cap = Math.min(this.#cap, Math.max(CAP_MIN, borne));
    } else {
      const growth = CAP_GROWTH_PER_MINUTE[this.#cap < NEAR_PART * this.#tooMany ? "below" : "near"];
      this.#cap *= growth ** minutes;
      if (this.#cap >= Math.min(totalActiveUsers, AMPLE * this.#tooMany)) this.#cap = Number.POSITIVE_INFINITY;
    }
    if (this.#cap === Number.POSITIVE_INFINITY) return [];
    const perMinute = Math.max(0, this.#cap - this.#scene.inside) * FILL_PER_MINUTE;
    if (isFailing) {
      return [{ reason: "failing", perMinute, share: failed / (accepted + failed), answers: this.#isAnswering }];
    }
    if (this.#capBy === "failing") return [{ reason: "failing", perMinute, share: 0 }];
    const usualMs = this.#usual.usualMs;
    return [
      {
        reason: "slow",
        perMinute,
        ...(medianMs !== undefined && { recentMs: medianMs }),
        ...(usualMs !== undefined && { usualMs }),
      },
    ];
  }

  /**
   * Whether a failing origin mostly answers with errors. One that hangs sends none, and fails only as its visitors give
   * up.
   */
  get #isAnswering(): boolean {
    return this.#errors > ERRORS_MIN && this.#errors >= this.#silences;
  }

  #turnDown(isDown: boolean, nowMs: number): void {
    if (this.#isDown && !isDown) {
      this.restart(nowMs);
      // What it bore while it failed says nothing about it now. Without a ramp it begins with half of what came before,
      // and grows.
      this.#cap = Number.POSITIVE_INFINITY;
      if (this.#config.room.ramp === undefined && this.#config.room.throttle.k > 0)
        this.#throttled = Math.min(this.#throttled, Math.max(RELEASE_MIN, this.#demandBefore / 2));
    }
    this.#isDown = isDown;
  }
}
