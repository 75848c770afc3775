/**
 * Where the requests of one room go: its targets, and which session goes to which.
 *
 * Each session has one target, chosen when it is admitted and kept in its cookie. The choice is by hash of the session
 * id, so that all nodes choose the same: weighted rendezvous hashing (the lowest of -ln(hash) / weight; Schindelhauer and
 * Schomaker, 2005), which gives each target its part exactly and, when one is down or gets less, moves only its sessions.
 * In a rollout the weights lie between the old and the declared ones, by its percentage. Nodes may differ for a while
 * about which targets are up, and which were down lately; then the choice differs too. With one target there is nothing
 * to choose, and cookies name no target.
 */

import type { OriginShare, Rollout, Room } from "../config/room.ts";
import type { OriginTarget } from "../http/message.ts";
import { climbed, firstStep, partsOf, percentAt, reasonToReverse, rolloutText } from "./rollout.ts";
import { Target, WindowCount } from "./target.ts";
import { unitOf } from "./unit-of.ts";

export type Placed = OriginShare & { readonly address: OriginTarget };

export interface OriginPlan {
  /** The targets, each parsed; none where the room has no origin. */
  readonly shares: readonly Placed[];
  readonly rollout: (Rollout & { readonly from: readonly Placed[] }) | undefined;
  /** Most new visitors in a minute. */
  readonly perMinute: number;
  /** The room sends no requests to an origin, so none can be down. */
  readonly isNeedless?: boolean;
}

/**
 * Percent of its part that a target gets first after it was down. Its caches are cold; with less, the targets that stayed
 * up would carry a restart of the others for longer: like this it takes ten minutes.
 */
const RETURN_PERCENT = 50;

export class RoomOrigin {
  readonly budget = new RetryBudget();
  readonly #minuteMs: number;
  #plan: OriginPlan = { shares: [], rollout: undefined, perMinute: 0 };
  #all: readonly Target[] = [];
  /** How many more new visitors a target gets in a minute by the rollout, in the end and at most. */
  #coldPerMinute = 0;

  constructor(minuteMs: number) {
    this.#minuteMs = minuteMs;
  }

  /** Applies a plan; targets that existed before stay as they are. */
  configure(plan: OriginPlan, nowMs: number): void {
    const { shares, rollout } = plan;
    const isNew = rollout?.state === "running" && rollout.startedMs !== this.#plan.rollout?.startedMs;
    this.#plan = plan;
    const known = new Map(this.#all.map((target) => [target.url, target]));
    const weights = new Map(shares.map(({ url, weight }) => [url, weight]));
    const after = partsOf(shares);
    const before = partsOf(this.#moving?.from ?? shares);
    const places = new Map([...shares, ...(rollout?.from ?? [])].map((place) => [place.url, place]));
    this.#all = [...places.values()].map((place) => {
      const { url } = place;
      const target = known.get(url) ?? new Target(place, { nowMs, minuteMs: this.#minuteMs });
      target.address = place.address;
      target.weight = weights.get(url) ?? 0;
      target.before = before.get(url) ?? 0;
      target.after = after.get(url) ?? 0;
      target.isLeaving = this.#moving !== undefined && !weights.has(url);
      return target;
    });
    this.#coldPerMinute = plan.perMinute * Math.max(0, ...this.#all.map(({ before, after: then }) => then - before));
    if (!isNew) return;
    for (const target of this.#all) target.forget();
    // An older outage, whose end is not yet known here, is no reason to reverse it.
    for (const { health } of this.#fresh) if (!health.isUp) health.forget(nowMs);
  }

  /** All targets, including those that a rollout leaves. */
  get all(): readonly Target[] {
    return this.#all;
  }

  /** Whether cookies say which target a session has. */
  get isSeveral(): boolean {
    return this.#all.length > 1;
  }

  /** Whether any target that takes new sessions is up, or none is needed. */
  isReachable(nowMs: number): boolean {
    if (this.#plan.isNeedless === true) return true;
    return this.#all.some((target) => target.health.isUp && this.weightAt(target, nowMs) > 0);
  }

  /**
   * The target of a new session, or of a request without one; `key` is what stays the same. Undefined if there are no
   * targets.
   */
  choose(key: string, nowMs: number): Target | undefined {
    if (!this.isSeveral) return this.#all[0];
    return pick(this.#all, key, (target) => this.weightAt(target, nowMs));
  }

  /**
   * The target of an existing session: the one in its cookie, while that is up. A session without one began before
   * there was a choice: it has the target that it would have had then. Sessions of a target that is leaving move by the
   * hash, as many as follow the rollout.
   */
  keep(key: string, id: string | undefined, nowMs: number): Target | undefined {
    if (!this.isSeveral) return this.#all[0];
    const own = this.#all.find((target) => target.id === id) ?? pick(this.#all, key, ({ before }) => before);
    const isUp = own?.health.isUp === true;
    const isDue = own?.isLeaving === true && unitOf(`leave ${own.id} ${key}`) * 100 < this.percent(nowMs);
    if (isUp && !isDue) return own;
    const other = isUp ? pick(this.#all, key, ({ after }) => after) : this.choose(key, nowMs);
    return own === undefined || other?.health.isUp === true ? other : own;
  }

  /** Where to send a request again that `failed` did not answer: another target that is up, otherwise the same. */
  another(failed: Target, key: string, nowMs: number): Target {
    const others = this.#all.filter((target) => target !== failed && target.health.isUp);
    return pick(others, key, (target) => this.weightAt(target, nowMs)) ?? failed;
  }

  /** The part of new sessions that a target gets, next to the others' parts. */
  weightAt(target: Target, nowMs: number): number {
    const { returnedMs } = target.health;
    const part = this.#partAt(target, nowMs);
    return returnedMs === undefined ? part : part * this.#warmth(part, nowMs - returnedMs);
  }

  /** Percent of new sessions that follow the rollout. */
  percent(nowMs: number): number {
    const { rollout } = this.#plan;
    return rollout === undefined ? 0 : percentAt(rollout, { nowMs, minuteMs: this.#minuteMs }, this.#coldPerMinute);
  }

  /** The rollout in one sentence; undefined for none. */
  words(nowMs: number): string | undefined {
    const { rollout, shares } = this.#plan;
    return rollout && rolloutText(rollout, shares, this.percent(nowMs));
  }

  /** The weights that a change begins from: as declared or, in a rollout, the parts of now. */
  sharesAt(nowMs: number): readonly OriginShare[] {
    return this.#all.map((target) => {
      const { url, weight } = target;
      return { url, weight: this.#moving ? Number(this.#partAt(target, nowMs).toFixed(PART_DIGITS)) : weight };
    });
  }

  /** Why the running rollout should be reversed, as seen here; undefined while all is well. */
  reasonToReverse(nowMs: number): string | undefined {
    const next = this.#fresh;
    if (next.length === 0) return undefined;
    return reasonToReverse({
      next: { ...together(next, nowMs), reason: next[0]?.health.reason ?? "" },
      old: together(
        this.#all.filter(({ before }) => before > 0),
        nowMs,
      ),
    });
  }

  /** The rollout that the weights follow. */
  get #moving(): OriginPlan["rollout"] {
    const { rollout } = this.#plan;
    return rollout?.state === "reversed" ? undefined : rollout;
  }

  /** The targets that are new in the rollout. */
  get #fresh(): readonly Target[] {
    return this.#all.filter(({ before, after }) => before === 0 && after > 0);
  }

  #partAt({ before, after }: Target, nowMs: number): number {
    const percent = before === after ? 0 : this.percent(nowMs);
    return (before * (100 - percent) + after * percent) / 100;
  }

  /** From 0 to 1: how much of its part a target gets that has been up again for so long. Only this node knows. */
  #warmth(part: number, passedMs: number): number {
    const start = firstStep(RETURN_PERCENT, this.#plan.perMinute * part);
    return climbed(start, passedMs / this.#minuteMs) / 100;
  }
}

/** A room with 32 targets at 1 % of its traffic still has three digits of each. */
const PART_DIGITS = 6;

/** A room's origin as targets with weights. */
export function sharesOf(origin: NonNullable<Room["origin"]>): readonly OriginShare[] {
  return typeof origin === "string" ? [{ url: origin, weight: 1 }] : origin;
}

function together(targets: readonly Target[], nowMs: number) {
  const records = targets.map((target) => target.record(nowMs));
  return {
    requests: records.reduce((sum, { requests }) => sum + requests, 0),
    failures: records.reduce((sum, { failures }) => sum + failures, 0),
    isUp: targets.some(({ health }) => health.isUp),
  };
}

/**
 * The target that the hash of `key` picks by weight: of those that are up or, if none is, of all. Undefined if none has
 * a weight.
 */
function pick(targets: readonly Target[], key: string, weightOf: (target: Target) => number): Target | undefined {
  let best: Target | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  const weighed = targets.map((target) => ({ target, weight: weightOf(target) })).filter(({ weight }) => weight > 0);
  const up = weighed.filter(({ target }) => target.health.isUp);
  for (const { target, weight } of up.length > 0 ? up : weighed) {
    const score = -Math.log(unitOf(`${target.id} ${key}`)) / weight;
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
