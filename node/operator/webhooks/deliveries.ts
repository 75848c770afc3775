/**
 * What one node has to deliver to one webhook, and when: the oldest notice that is due, one at a time.
 *
 * A receiver that is down (no answer, 5xx, 429) makes all its notices wait, and gets them afterwards in order of age. A
 * receiver that answers and refuses one notice (another 4xx, a redirect) makes that one wait. Both wait exponentially
 * longer, with jitter. A notice is given up after a day, or when too many wait: that is a dead letter.
 *
 * It lives in memory: what waits is lost with the process.
 */

import type { Notice } from "../notices/notice.ts";

/** Longer than a night with nobody at work. */
export const GIVE_UP_MS = 24 * 60 * 60_000;

/** At some 300 bytes each, a receiver that is down costs 300 KB. Halved, a mesh in trouble fills it in minutes. */
export const WAITING_MAX = 1_000;

/** The first wait. Halved, a receiver that restarts is asked twice as often. */
const FIRST_WAIT_MS = 1_000;

/** The longest wait: a receiver that is back after hours gets its first notice within this time. */
export const WAIT_MS_MAX = 5 * 60_000;

/** Of a wait this part is left to chance, so that many webhooks of one receiver do not ask at once. */
const JITTER = 0.3;

export interface Outcome {
  readonly kind: "delivered" | "refused" | "down";
  readonly error: string;
  /** What the receiver asks for. */
  readonly retryAfterMs?: number | undefined;
}

/** Since the start of this node; `failed` attempts, and notices. */
export interface DeliveryCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly dead: number;
  readonly waiting: number;
}

interface Waiting {
  readonly notice: Notice;
  failures: number;
  dueMs: number;
}

export class Deliveries implements DeliveryCounts {
  /** By the notice's id. */
  readonly #waiting = new Map<string, Waiting>();
  /** In a row. */
  #failures = 0;
  #pausedUntilMs = 0;
  delivered = 0;
  failed = 0;
  dead = 0;
  /** When a notice was given up last. */
  deadMs = 0;
  /** Since when the receiver does not take notices; undefined while it does, or once none waits. */
  trouble: { readonly sinceMs: number; readonly error: string } | undefined;

  get waiting(): number {
    return this.#waiting.size;
  }

  add(notice: Notice): void {
    this.#waiting.set(notice.id, { notice, failures: 0, dueMs: 0 });
  }

  /** Drops what is not wanted any more, and gives up what has waited too long. Returns how many were given up. */
  prune(nowMs: number, wants: (notice: Notice) => boolean): number {
    const before = this.dead;
    const byAge = [...this.#waiting.values()].sort(({ notice: one }, { notice: other }) => one.atMs - other.atMs);
    for (const { notice } of byAge) {
      const isDead = nowMs - notice.atMs >= GIVE_UP_MS || this.#waiting.size > WAITING_MAX;
      if (!isDead && wants(notice)) continue;
      this.#waiting.delete(notice.id);
      if (isDead) this.dead += 1;
    }
    if (this.dead > before) this.deadMs = nowMs;
    // No delivery can end it any more: another node may send by now.
    if (this.#waiting.size === 0) this.trouble = undefined;
    return this.dead - before;
  }

  /** The notice to send now; undefined if none is due. */
  next(nowMs: number): Notice | undefined {
    if (isAhead(this.#pausedUntilMs, nowMs)) return undefined;
    let first: Notice | undefined;
    for (const { notice, dueMs } of this.#waiting.values())
      if (!isAhead(dueMs, nowMs) && (first === undefined || notice.atMs < first.atMs)) first = notice;
    return first;
  }

  /** What became of an attempt. `random`: from 0 to 1. */
  ended({ id }: Notice, outcome: Outcome, { nowMs, random }: { nowMs: number; random: number }): void {
    const { kind, error, retryAfterMs = 0 } = outcome;
    this.#failures = kind === "down" ? this.#failures + 1 : 0;
    if (kind === "delivered") {
      this.trouble = undefined;
      this.delivered += 1;
      this.#waiting.delete(id);
      return;
    }
    this.failed += 1;
    this.trouble = { sinceMs: this.trouble?.sinceMs ?? nowMs, error };
    if (kind === "down") {
      this.#pausedUntilMs = nowMs + Math.max(waitAfter(this.#failures, random), Math.min(retryAfterMs, WAIT_MS_MAX));
      return;
    }
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    waiting.failures += 1;
    waiting.dueMs = nowMs + waitAfter(waiting.failures, random);
  }
}

/**
 * Whether a moment is still to come. No wait is longer than the longest: a clock that was set back does not make one.
 */
function isAhead(atMs: number, nowMs: number): boolean {
  return nowMs < atMs && atMs - nowMs <= WAIT_MS_MAX;
}

/** Ms to wait after so many failures in a row. */
export function waitAfter(failures: number, random: number): number {
  const fullMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 20), WAIT_MS_MAX);
  return Math.round(fullMs * (1 - JITTER * random));
}
