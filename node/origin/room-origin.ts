/**
 * Where the requests of one room go: its targets, which session goes to which, and the rollout.
 *
 * Each session has one target, chosen when it is admitted and kept in its cookie. The choice is by hash of the session
 * id, so that all nodes choose the same: first the rollout's part, then the targets by weight (weighted rendezvous
 * hashing: the lowest of -ln(hash) / weight; Schindelhauer and Schomaker, 2005), which gives each target its part
 * exactly and, when one is down, moves only its sessions. Nodes may differ for a while about which targets are up; then
 * the choice differs too. With one target and no rollout there is nothing to choose, and cookies name no target.
 */

import type { OriginShare, Rollout, Room } from "../config/room.ts";
import type { OriginTarget } from "../http/message.ts";
import { percentAt, reasonToReverse } from "./rollout.ts";
import { Target, WindowCount } from "./target.ts";
import { unitOf } from "./unit-of.ts";

export interface OriginPlan {
  /** The targets, each parsed; none where the room has no origin. */
  readonly shares: readonly (OriginShare & { readonly address: OriginTarget })[];
  readonly rollout: (Rollout & { readonly address: OriginTarget }) | undefined;
  /** The room sends no requests to an origin, so none can be down. */
  readonly isNeedless?: boolean;
}

export class RoomOrigin {
  readonly budget = new RetryBudget();
  readonly #minuteMs: number;
  /** The targets by weight; the rollout's, unless it is among them, only in `#next`. */
  #base: readonly Target[] = [];
  #next: Target | undefined;
  #rollout: Rollout | undefined;
  #isNeedless = false;

  constructor(minuteMs: number) {
    this.#minuteMs = minuteMs;
  }

  /** Applies a plan; targets that existed before stay as they are. */
  configure({ shares, rollout, isNeedless = false }: OriginPlan, nowMs: number): void {
    this.#isNeedless = isNeedless;
    const known = new Map(this.all.map((target) => [target.url, target]));
    const targetOf = (place: { url: string; address: OriginTarget }): Target => {
      const target = known.get(place.url) ?? new Target(place, { nowMs, minuteMs: this.#minuteMs });
      target.address = place.address;
      return target;
    };
    this.#base = shares.map((share) => {
      const target = targetOf(share);
      target.weight = share.weight;
      return target;
    });
    const isNew = rollout?.state === "running" && rollout.startedMs !== this.#rollout?.startedMs;
    this.#rollout = rollout;
    this.#next =
      rollout === undefined
        ? undefined
        : (this.#base.find(({ url }) => url === rollout.to) ?? targetOf({ url: rollout.to, address: rollout.address }));
    if (!isNew) return;
    for (const target of this.all) target.forget();
    // It has just answered the node that began: an older outage, whose end is not yet known here, is no reason to
    // reverse it.
    if (this.#next?.health.isUp === false) this.#next.health.forget(nowMs);
  }

  /** All targets, including that of a rollout. */
  get all(): readonly Target[] {
    const next = this.#next;
    return next === undefined || this.#base.includes(next) ? this.#base : [...this.#base, next];
  }

  /** Whether cookies say which target a session has. */
  get isSeveral(): boolean {
    return this.#base.length > 1 || this.#next !== undefined;
  }

  /** Whether any target that takes new sessions is up, or none is needed. */
  isReachable(nowMs: number): boolean {
    if (this.#isNeedless || this.#base.some(({ weight, health }) => weight > 0 && health.isUp)) return true;
    return this.#taking(nowMs).some(({ health }) => health.isUp);
  }

  /**
   * The target of a new session, or of a request without one; `key` is what stays the same. Undefined if there are no
   * targets.
   */
  choose(key: string, nowMs: number): Target | undefined {
    if (!this.isSeveral) return this.#base[0];
    const [next] = this.#taking(nowMs);
    if (next?.health.isUp === true && unitOf(`rollout ${next.id} ${key}`) * 100 < this.percent(nowMs)) return next;
    return this.#ofBase(key, nowMs);
  }

  /**
   * The target of an existing session: the one in its cookie, while that exists and is up. A session without one began
   * before there was a choice: it does not follow a rollout.
   */
  keep(key: string, id: string | undefined, nowMs: number): Target | undefined {
    if (!this.isSeveral) return this.#base[0];
    const own = id === undefined ? undefined : this.all.find((target) => target.id === id);
    if (own?.health.isUp === true) return own;
    const other = this.#ofBase(key, nowMs);
    return own === undefined || other?.health.isUp === true ? other : own;
  }

  /** Where to send a request again that `failed` did not answer: another target that is up, otherwise the same. */
  another(failed: Target, key: string, nowMs: number): Target {
    return (
      lowest(
        this.#upOf(nowMs).filter((target) => target !== failed),
        key,
      ) ?? failed
    );
  }

  /** Percent of new sessions that go to the rollout's target. */
  percent(nowMs: number): number {
    return this.#rollout === undefined ? 0 : percentAt(this.#rollout, nowMs, this.#minuteMs);
  }

  /** Why the running rollout should be reversed, as seen here; undefined while all is well. */
  reasonToReverse(nowMs: number): string | undefined {
    const next = this.#next;
    if (next === undefined || this.#rollout?.state === "reversed") return undefined;
    const old = this.#old.filter((target) => target !== next);
    const records = old.map((target) => target.record(nowMs));
    return reasonToReverse({
      next: { ...next.record(nowMs), isUp: next.health.isUp, reason: next.health.reason },
      old: {
        requests: records.reduce((sum, { requests }) => sum + requests, 0),
        failures: records.reduce((sum, { failures }) => sum + failures, 0),
        isUp: old.some(({ health }) => health.isUp),
      },
    });
  }

  /** The targets with a weight. */
  get #old(): readonly Target[] {
    return this.#base.filter(({ weight }) => weight > 0);
  }

  /** The rollout's target while it takes new sessions. */
  #taking(nowMs: number): readonly Target[] {
    return this.#next !== undefined && this.percent(nowMs) > 0 ? [this.#next] : [];
  }

  /** By weight among those that are up; a rollout's target replaces all of them, and if none is up, all count. */
  #ofBase(key: string, nowMs: number): Target | undefined {
    return lowest(this.#upOf(nowMs), key) ?? lowest(this.#old, key);
  }

  #upOf(nowMs: number): readonly Target[] {
    const up = this.#old.filter(({ health }) => health.isUp);
    return up.length > 0 ? up : this.#taking(nowMs).filter(({ health }) => health.isUp);
  }
}

/** A room's origin as targets with weights. */
export function sharesOf(origin: NonNullable<Room["origin"]>): readonly OriginShare[] {
  return typeof origin === "string" ? [{ url: origin, weight: 1 }] : origin;
}

/** The target that the hash of `key` picks, by weight; undefined if there are none. */
function lowest(targets: readonly Target[], key: string): Target | undefined {
  let best: Target | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const target of targets) {
    // A rollout's target that replaces others has no weight of its own.
    const score = -Math.log(unitOf(`${target.id} ${key}`)) / (target.weight || 1);
    if (best === undefined || score < bestScore) {
      best = target;
      bestScore = score;
    }
  }
  return best;
}

/**
 * Part of the requests: the usual budget of retries (SRE book, chapter 21). Doubled, a failing origin gets a fifth
 * more.
 */
const PART = 0.1;

/** Long enough to bridge a pause between two pages, short enough that yesterday's traffic pays for nothing. */
const WINDOW_MS = 10_000;

const FLOOR_PER_SECOND = 1;
const SECOND_MS = 1_000;

/**
 * How many requests may be sent a second time: a tenth of those of the last ten seconds, so that retries never turn an
 * outage into a storm.
 *
 * Where everything fails, each layer that tries again multiplies the load on what is down; with a budget it gets a
 * tenth more. One retry a second is always allowed: a room with three visitors has no tenth to spare, and one request
 * does no harm.
 */
export class RetryBudget {
  readonly #requests = new WindowCount(WINDOW_MS);
  readonly #retries = new WindowCount(WINDOW_MS);
  #second = 0;
  #inSecond = 0;

  /** A visitor's request goes to the origin for the first time. */
  asked(nowMs: number): void {
    this.#requests.add(nowMs);
  }

  /** Whether one may be sent again now; it counts as sent. */
  take(nowMs: number): boolean {
    const second = Math.floor(nowMs / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#inSecond = 0;
    }
    const isInPart = this.#retries.sum(nowMs) < PART * this.#requests.sum(nowMs);
    if (!isInPart && this.#inSecond >= FLOOR_PER_SECOND) return false;
    this.#inSecond += 1;
    this.#retries.add(nowMs);
    return true;
  }
}
