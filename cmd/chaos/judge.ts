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
import type { Check } from "../checks.ts";
import { IdleTime } from "../crowd/idle.ts";
import { type Answered, Handovers } from "./handovers.ts";
import { Lines, type ShownPlace } from "./lines.ts";
import { roomOf, sum } from "./shares.ts";
import { type StayCookie, Stays } from "./stays.ts";
import { type Asked, Turns } from "./turns.ts";
import { checksOf, type Findings, type MeshFindings } from "./verdict.ts";

export interface JudgeOptions
  extends Pick<Findings, "limit" | "perMinute" | "minuteMs" | "refreshMs" | "keepsOrder" | "isTooHarsh"> {
  readonly sessionMinutes: number;
}

/** How sessions are lost: refused with a good cookie, or because the cookie ran out during visits. */
export type ThrownOut = "refused" | "ranOut";

/** Times of answers that are kept for the percentiles: some megabytes. */
const ANSWERS_MAX = 200_000;

export class Judge {
  readonly stays: Stays;
  readonly lines = new Lines();
  readonly handovers = new Handovers();
  readonly turns = new Turns();
  readonly #options: JudgeOptions;
  readonly #idle = new IdleTime();
  readonly #thrownOut: Record<ThrownOut, number> = { refused: 0, ranOut: 0 };
  readonly #answersMs: number[] = [];
  /** Visitors whose request was lost although it may have been admitted, and when. */
  readonly #lost = new Map<string, number>();
  #beganMs = 0;
  #unanswered = 0;
  #strays = 0;
  #mesh: MeshFindings | undefined;

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.stays = new Stays(options);
  }

  /** The run begins. */
  begin(nowMs: number): void {
    this.#beganMs = nowMs;
  }

  /** The origin has answered a visitor at `atMs`, who has this cookie now. */
  served(visitor: string, cookie: StayCookie, atMs: number): void {
    this.stays.served(cookie, atMs);
    this.lines.left(visitor);
    this.turns.letIn(visitor, atMs);
    this.#lost.delete(visitor);
  }

  /** A visitor was shown a place in line. */
  waits(place: ShownPlace, atMs: number, asked?: Asked): void {
    this.lines.shown(place);
    this.turns.waits(place, atMs, asked);
    this.#lost.delete(place.visitor);
  }

  thrownOut(how: ThrownOut): void {
    this.#thrownOut[how] += 1;
  }

  /** A visitor is gone, from the line or from a session. */
  left(visitor: string): void {
    this.lines.left(visitor);
    this.turns.left(visitor);
  }

  /** A gate answered a visitor. */
  answered(answer: Answered, isInside: boolean): void {
    if (this.#answersMs.length < ANSWERS_MAX) this.#answersMs.push(answer.ms);
    if (!isInside) this.handovers.answered(answer);
  }

  /** A gate died or hung with the request of a visitor without a session: perhaps it was admitted and does not know. */
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

  /** What the nodes report at `nowMs` by which visitors are sure to be admitted. */
  look(fit: readonly NodeStatus[], nowMs: number): void {
    const { limit, perMinute, minuteMs } = this.#options;
    const free = this.#free(fit, nowMs);
    this.#idle.look({
      nowMs,
      waiting: this.lines.waiting,
      free,
      inside: this.stays.inside(nowMs),
      limit,
      mayCome: Math.max(0, perMinute - this.stays.admitted(minuteOf(nowMs, minuteMs))),
      admitted: this.stays.count,
    });
  }

  /** How the nodes came together in the end. */
  end(mesh: MeshFindings): void {
    this.#mesh = mesh;
  }

  checks(): Check[] {
    const { refused, ranOut } = this.#thrownOut;
    return checksOf({
      ...this.#options,
      beganMs: this.#beganMs,
      peakInside: this.stays.peakInside(),
      peakAdmitted: this.stays.peakAdmitted(),
      strays: this.#strays,
      idle: this.#idle.longest,
      use: this.#idle.use,
      useOfWhole: this.#idle.useOfWhole,
      refused,
      ranOut,
      placesLost: this.lines.lost,
      wentBack: this.lines.wentBack,
      wentBackCalm: this.turns.wentBack,
      handovers: this.handovers.count,
      handover: this.handovers.longest,
      overtaken: this.turns.longest,
      overtakingPart: this.turns.overtakingPart,
      overtakes: this.turns.overtakes,
      mesh: this.#mesh,
      answersMs: this.#answersMs,
      unanswered: this.#unanswered,
    });
  }

  /** Slots that the accounts of these nodes have free, less those that may be held by visitors who do not know it. */
  #free(fit: readonly NodeStatus[], nowMs: number): number {
    const { minuteMs, sessionMinutes } = this.#options;
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
