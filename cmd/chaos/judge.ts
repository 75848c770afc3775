/**
 * Judges a run by what visitors and origin saw, and by what nodes say of shares and members.
 *
 * Limits are held to stays, which know nothing of the nodes' own counts. The nodes' word is taken for what cannot be seen from outside:
 * which slots are free where, and whether all are one mesh again.
 */

import type { AccountId } from "../../mesh/core/ids.ts";
import { GRACE_MS, minuteOf, scaledMs } from "../../mesh/core/minute.ts";
import type { NodeStatus, RoomStatus, ShareStatus } from "../../node/status.ts";
import { atMost, type Check } from "../checks.ts";
import { IdleTime } from "./idle.ts";
import { Lines, type Told } from "./lines.ts";
import { type StayCookie, Stays } from "./stays.ts";

export interface JudgeOptions {
  readonly limit: number;
  readonly perMinute: number;
  readonly minuteMs: number;
  readonly sessionMinutes: number;
  readonly refreshMs: number;
  /** Whether the plan goes beyond what visitors are promised to get over. */
  readonly isTooHarsh: boolean;
}

/** How visitors were thrown out: with a good cookie, or because it ran out while they browsed. */
export type ThrownOut = "refused" | "ran-out";

/** From a ticket counter's crash to the next admission; a gate asks the next one after 1.5 s. */
const HANDOVER_MS = 2_000;

/** Longest time until all nodes are one view again after the last fault: two tries to dial and a removal's vote, on a busy laptop. */
const TOGETHER_MAX_MS = 10_000;

/** Waits for answers that are kept for the percentiles: some megabytes. */
const WAITS_MAX = 200_000;

export class Judge {
  readonly stays: Stays;
  readonly lines = new Lines();
  readonly #options: JudgeOptions;
  readonly #idle = new IdleTime();
  readonly #thrownOut: Record<ThrownOut, number> = { refused: 0, "ran-out": 0 };
  readonly #answersMs: number[] = [];
  /** Visitors whose request was lost when it may have been let in, and when. */
  readonly #lost = new Map<string, number>();
  #unanswered = 0;
  #strays = 0;
  #most = { active: 0, arrivals: 0 };
  #togetherMs: number | undefined;

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.stays = new Stays(options);
  }

  /** The origin has answered a visitor at `atMs`, who has this cookie now. */
  served(visitor: string, cookie: StayCookie, atMs: number): void {
    this.stays.served(cookie, atMs);
    this.lines.left(visitor);
    this.#lost.delete(visitor);
  }

  /** A visitor was told its place in line. */
  waits(told: Told): void {
    this.lines.told(told);
    this.#lost.delete(told.visitor);
  }

  thrownOut(how: ThrownOut): void {
    this.#thrownOut[how] += 1;
  }

  /** An answer came after `ms`. */
  answered(ms: number): void {
    if (this.#answersMs.length < WAITS_MAX) this.#answersMs.push(ms);
  }

  /** A gate died or stood still with the request of a visitor who was not inside: perhaps it was let in and does not know. */
  lost(visitor: string, nowMs: number): void {
    this.#lost.set(visitor, nowMs);
  }

  /** The origin has answered a visitor who has no session. */
  stray(): void {
    this.#strays += 1;
  }

  /** No gate at all answered a visitor. */
  unanswered(): void {
    this.#unanswered += 1;
  }

  /** What nodes say at `nowMs`: those that run, and of these the ones that visitors can be sure to be let in by. */
  look({ all, fit, nowMs }: { all: readonly NodeStatus[]; fit: readonly NodeStatus[]; nowMs: number }): void {
    for (const status of all) {
      const shares = roomOf(status)?.shares ?? [];
      this.#most = {
        active: Math.max(this.#most.active, sum(shares.map((share) => share.active_slots))),
        arrivals: Math.max(this.#most.arrivals, sum(shares.map((share) => share.arrivals_slots))),
      };
    }
    const free = this.#free(fit, nowMs);
    this.#idle.look({ nowMs, waiting: this.lines.waiting, free, admitted: this.stays.count });
  }

  /** All nodes were one mesh again so long after the last fault; undefined for never. */
  together(afterMs: number | undefined): void {
    this.#togetherMs = afterMs;
  }

  checks(): Check[] {
    const { limit, perMinute, minuteMs, refreshMs, isTooHarsh } = this.#options;
    const inside = this.stays.peakInside();
    const admitted = this.stays.peakAdmitted();
    const { wentBack, lost } = this.lines;
    const harsh = isTooHarsh ? { note: "not judged: half of the nodes, or longer than the island time" } : {};
    const judged = (most: number): number | null => (isTooHarsh ? null : most);
    const idleMaxMs = minuteMs + 2.5 * refreshMs + HANDOVER_MS;
    const { refused, "ran-out": ranOut } = this.#thrownOut;
    return [
      atMost({ promise: "never over", name: "most inside at once", value: inside.count, limit }),
      atMost({ promise: "never over", name: "most let in a minute", value: admitted.count, limit: perMinute }),
      atMost({
        promise: "never over",
        name: "answers of the origin to visitors without a session",
        value: this.#strays,
        limit: 0,
      }),
      atMost({
        promise: "never early",
        name: "longest time a free slot went unused while visitors waited",
        value: seconds(this.#idle.longest.ms),
        limit: judged(seconds(idleMaxMs)),
        unit: "s",
        ...harsh,
      }),
      atMost({
        promise: "never lost",
        name: "visitors inside who were thrown out",
        value: refused + ranOut,
        limit: judged(0),
        ...(refused + ranOut > 0 && { note: `${refused} with a good cookie, ${ranOut} whose cookie ran out` }),
        ...harsh,
      }),
      atMost({
        promise: "never lost",
        name: "visitors who lost their place in line",
        value: lost,
        limit: judged(0),
        ...harsh,
      }),
      atMost({
        promise: "never lost",
        name: "answers with a position further back than before",
        value: wentBack.times,
        limit: null,
        ...(wentBack.times > 0 && { note: `by ${wentBack.furthest} at most` }),
      }),
      atMost({ promise: "mesh", name: "most slots in all shares, as any node told", value: this.#most.active, limit }),
      atMost({
        promise: "mesh",
        name: "most arrivals in all shares, as any node told",
        value: this.#most.arrivals,
        limit: perMinute,
      }),
      atMost({
        promise: "mesh",
        name: "from the last fault until all nodes are one view",
        value: seconds(this.#togetherMs ?? Number.POSITIVE_INFINITY),
        limit: judged(seconds(TOGETHER_MAX_MS)),
        unit: "s",
        ...harsh,
      }),
      atMost({ promise: "never slow", name: "answer, half of all within", ...this.#answer(0.5) }),
      atMost({ promise: "never slow", name: "answer, 99 of 100 within", ...this.#answer(0.99) }),
      atMost({ promise: "never slow", name: "requests that no gate answered", value: this.#unanswered, limit: null }),
    ];
  }

  #answer(part: number): { value: number; limit: null; unit: string } {
    const sorted = this.#answersMs.toSorted((one, other) => one - other);
    return { value: sorted[Math.floor(part * (sorted.length - 1))] ?? 0, limit: null, unit: "ms" };
  }

  /** Slots that the accounts of these nodes have free, less those that may be held by visitors who do not know of it. */
  #free(fit: readonly NodeStatus[], nowMs: number): number {
    const { minuteMs, sessionMinutes } = this.#options;
    const own = fit.flatMap((status) => roomOf(status)?.shares.filter(({ state }) => state === "own") ?? []);
    const heldMs = scaledMs(GRACE_MS, minuteMs);
    const over = (sessionMinutes + 1) * minuteMs + heldMs;
    for (const [visitor, atMs] of this.#lost) if (nowMs - atMs > over) this.#lost.delete(visitor);
    const minute = minuteOf(nowMs, minuteMs);
    const freeOf = (slots: (share: ShareStatus, account: AccountId) => number): number =>
      sum(own.map((share) => Math.max(0, slots(share, share.account as AccountId)))) - this.#lost.size;
    // A slot is held for a grace after its session.
    const active = freeOf((share, account) => share.active_slots - this.stays.inside(nowMs - heldMs, account));
    const arrivals = freeOf((share, account) => share.arrivals_slots - this.stays.admitted(minute, account));
    return Math.min(active, arrivals);
  }
}

/** The one room of a run. */
export function roomOf({ rooms: [room] }: NodeStatus): RoomStatus | undefined {
  return room;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function seconds(ms: number): number {
  return ms / 1_000;
}
