/**
 * Collects what visitors and origin saw in a run, and what nodes report about shares and members; `verdict.ts` makes
 * checks of it.
 *
 * Limits are checked against stays, which do not use the nodes' own counts. Reports of the nodes are used only for what
 * is invisible from outside: which slots are free where, and whether all nodes are one mesh again.
 */

import type { AccountId } from "../../mesh/core/ids.ts";
import { GRACE_MS, minuteOf, scaledMs } from "../../mesh/core/minute.ts";
import type { NodeStatus, ShareStatus } from "../../node/operator/status/status.ts";
import { IdleTime } from "../crowd/idle.ts";
import { type Answered, Handovers } from "./handovers.ts";
import { Lines, type ShownPlace } from "./lines.ts";
import { roomOf, type Shares, sum } from "./shares.ts";
import { type StayCookie, Stays } from "./stays.ts";

/** How the nodes came together in the end. */
export interface MeshFindings {
  /** Whether the last fault removed a node from the mesh. */
  readonly hasRemoved: boolean;
  /** From the last fault until all nodes were one view. */
  readonly togetherMs: number;
  /** From the last visitor until all nodes reported the same shares. */
  readonly sameMs: number;
  /** Undefined when they never agreed. */
  readonly shares: Shares | undefined;
}

export interface JudgeOptions {
  readonly limit: number;
  readonly perMinute: number;
  readonly minuteMs: number;
  readonly sessionMinutes: number;
  readonly refreshMs: number;
}

/** Times of answers that are kept for the percentiles: some megabytes. */
const ANSWERS_MAX = 200_000;

export class Judge {
  readonly options: JudgeOptions;
  readonly stays: Stays;
  readonly lines = new Lines();
  readonly handovers = new Handovers();
  readonly idle = new IdleTime();
  /** Lost sessions: refused with a good cookie, or because the cookie ran out during visits. */
  readonly thrownOut = { refused: 0, ranOut: 0 };
  readonly answersMs: number[] = [];
  /** When visitors began to come, in Unix ms. */
  beganMs = 0;
  /** Requests that no gate answered. */
  unanswered = 0;
  /** Answers of the origin to visitors without a session. */
  strays = 0;
  /** Undefined for a run that was ended early. */
  mesh: MeshFindings | undefined;
  /** Visitors whose request was lost although it may have been admitted, and when. */
  readonly #lost = new Map<string, number>();

  constructor(options: JudgeOptions) {
    this.options = options;
    this.stays = new Stays(options);
  }

  /** The origin has answered a visitor at `atMs`, who has this cookie now. */
  served(visitor: string, cookie: StayCookie, atMs: number): void {
    this.stays.served(cookie, atMs);
    this.lines.admitted(visitor, atMs);
    this.#lost.delete(visitor);
  }

  /** A visitor was shown a place in line. */
  waits(place: ShownPlace, nowMs: number): void {
    this.lines.shown(place, nowMs);
    this.#lost.delete(place.visitor);
  }

  /** A gate answered a visitor. */
  answered(answer: Answered, isInside: boolean): void {
    if (this.answersMs.length < ANSWERS_MAX) this.answersMs.push(answer.ms);
    if (!isInside) this.handovers.answered(answer);
  }

  /** A gate died or hung with the request of a visitor without a session: perhaps it was admitted and does not know. */
  lost(visitor: string, nowMs: number): void {
    this.#lost.set(visitor, nowMs);
  }

  /** What the nodes report at `nowMs` by which visitors are sure to be admitted. */
  look(fit: readonly NodeStatus[], nowMs: number): void {
    const { limit, perMinute, minuteMs } = this.options;
    const free = this.#free(fit, nowMs);
    this.idle.look({
      nowMs,
      waiting: this.lines.waiting,
      free,
      inside: this.stays.inside(nowMs),
      limit,
      mayCome: Math.max(0, perMinute - this.stays.admitted(minuteOf(nowMs, minuteMs))),
      admitted: this.stays.count,
    });
  }

  /** Slots that the accounts of these nodes have free, less those that may be held by visitors who do not know it. */
  #free(fit: readonly NodeStatus[], nowMs: number): number {
    const { minuteMs, sessionMinutes } = this.options;
    // A slot is held for a grace after its session.
    const graceMs = scaledMs(GRACE_MS, minuteMs);
    const heldMs = (sessionMinutes + 1) * minuteMs + graceMs;
    for (const [visitor, atMs] of this.#lost) if (nowMs - atMs > heldMs) this.#lost.delete(visitor);
    const minute = minuteOf(nowMs, minuteMs);
    const frees = fit.map((status) => {
      const room = roomOf(status);
      const own = room?.shares.filter(({ state }) => state === "own") ?? [];
      const freeOf = (slotsOf: (share: ShareStatus, account: AccountId) => number): number =>
        sum(own.map((share) => Math.max(0, slotsOf(share, share.account as AccountId))));
      const active = freeOf((share, account) => share.active_slots - this.stays.heldBy(account, nowMs - graceMs));
      // A request that was under way in a cut may take a slot for a visitor who has gone elsewhere: only the node
      // knows.
      const reported = freeOf((share) => share.active_slots) - (room?.inside_here ?? 0);
      const arrivals = freeOf((share, account) => share.arrivals_slots - this.stays.admitted(minute, account));
      return { active: Math.min(active, Math.max(0, reported)), arrivals };
    });
    const active = sum(frees.map((each) => each.active)) - this.#lost.size;
    const arrivals = sum(frees.map((each) => each.arrivals)) - this.#lost.size;
    return Math.min(active, arrivals);
  }
}
