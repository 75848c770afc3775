/**
 * What one webhook has to deliver, and when: the oldest notice that is due, one at a time.
 *
 * A receiver that is down (no answer, 5xx, 429) makes all its notices wait, and gets them afterwards in order of age. A
 * receiver that answers and refuses one notice (another 4xx, a redirect) makes that one wait. Both wait exponentially
 * longer, with jitter. A notice is given up after a day, or when its journal has no room for it any more: that is a
 * dead letter.
 */

import type { Journal } from "../notices/journal.ts";
import { byAge } from "../notices/journal.ts";
import type { Notice } from "../notices/notice.ts";
import { mergedProgress, NO_PROGRESS, type Progress, subjectHash, type Tally } from "./progress.ts";

/** Longer than a night with nobody at work; shorter than journals keep notices. */
export const GIVE_UP_MS = 24 * 60 * 60_000;

/** The first wait. Halved, a receiver that restarts is asked twice as often. */
const FIRST_WAIT_MS = 1_000;

/** The longest wait: a receiver that is back after hours gets its first notice within this time. */
export const WAIT_MS_MAX = 5 * 60_000;

/** Of a wait this part is left to chance, so that many webhooks of one receiver do not ask at once. */
const JITTER = 0.3;

/**
 * Time for a notice to reach the other nodes. Sent sooner, and its node lost, the next sender might report the change
 * with other figures.
 */
const SETTLE_MS = 1_000;

export interface Outcome {
  readonly kind: "delivered" | "refused" | "down";
  readonly error: string;
  /** What the receiver asks for. */
  readonly retryAfterMs?: number | undefined;
}

interface Pending {
  /** As it is sent: the same at each attempt. */
  readonly notice: Notice;
  readonly subject: string;
  readonly seenMs: number;
  failures: number;
  dueMs: number;
}

export interface JournalOf {
  readonly key: string;
  readonly journal: Journal;
}

export class Deliveries {
  readonly #node: string;
  readonly #pending = new Map<string, Pending>();
  /** Notices that are done, while an older one of their subject is not. */
  readonly #done = new Set<string>();
  #progress: Progress = NO_PROGRESS;
  #failures = 0;
  #pausedUntilMs = 0;
  #isDirty = false;

  constructor(node: string) {
    this.#node = node;
  }

  get progress(): Progress {
    return this.#progress;
  }

  /** Whether there is something to write down; asking ends it. */
  takeDirty(): boolean {
    const isDirty = this.#isDirty;
    this.#isDirty = false;
    return isDirty;
  }

  /** It was not written. */
  markDirty(): void {
    this.#isDirty = true;
  }

  get waiting(): number {
    return this.#pending.size;
  }

  get oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const { notice } of this.#pending.values()) oldest = Math.min(oldest ?? notice.atMs, notice.atMs);
    return oldest;
  }

  /** What is known to be done elsewhere. */
  learn(progress: Progress): void {
    const trouble = this.#progress.trouble;
    this.#progress = { ...mergedProgress(this.#progress, progress), trouble };
  }

  /** Finds what is to be delivered: notices that `wants` names, from `sinceMs` on. Returns how many were given up. */
  look(
    journals: Iterable<JournalOf>,
    { nowMs, sinceMs, wants }: { nowMs: number; sinceMs: number; wants: (notice: Notice) => boolean },
  ): number {
    const present = new Set<string>();
    const counts = new Map<string, number>();
    let dead = 0;
    for (const { key, journal } of journals) {
      const blocked = new Set<string>();
      for (const notice of [...journal.notices].sort((one, other) => one.count - other.count)) {
        const subject = subjectHash(key, notice.subject);
        const { id, count, atMs } = notice;
        const doneTo = this.#progress.counts.get(subject) ?? -1;
        present.add(id);
        if (count <= doneTo) this.#forget(id);
        else if (!this.#done.has(id)) {
          if (atMs < sinceMs || !wants(notice)) this.#finish(id);
          else if (nowMs - atMs >= GIVE_UP_MS) {
            dead += 1;
            this.#finish(id);
          } else this.#await(notice, subject, nowMs);
        }
        if (count > doneTo && !this.#done.has(id)) blocked.add(subject);
        if (!blocked.has(subject)) counts.set(subject, Math.max(count, doneTo));
        else if (doneTo >= 0 && !counts.has(subject)) counts.set(subject, doneTo);
      }
    }
    // What a journal has no room for any more cannot be read by a later sender: it is lost now.
    for (const id of [...this.#pending.keys()]) {
      if (present.has(id)) continue;
      this.#pending.delete(id);
      dead += 1;
    }
    for (const id of this.#done) if (!present.has(id)) this.#done.delete(id);
    this.#raise(counts);
    if (dead > 0) this.#count({ delivered: 0, dead }, nowMs);
    return dead;
  }

  /** The notice to send now; undefined if none is due. */
  next(nowMs: number): Notice | undefined {
    if (isAhead(this.#pausedUntilMs, nowMs)) return undefined;
    let first: Notice | undefined;
    for (const { notice, seenMs, dueMs } of this.#pending.values()) {
      if (isAhead(dueMs, nowMs) || isAhead(seenMs + SETTLE_MS, nowMs)) continue;
      if (first === undefined || byAge(notice, first) < 0) first = notice;
    }
    return first;
  }

  /** What became of an attempt. `random`: from 0 to 1. */
  ended({ id }: Notice, outcome: Outcome, { nowMs, random }: { nowMs: number; random: number }): void {
    const pending = this.#pending.get(id);
    if (outcome.kind === "delivered") {
      this.#failures = 0;
      this.#tellTrouble(undefined);
      // Given up or done elsewhere meanwhile.
      if (pending === undefined) return;
      this.#finish(id);
      this.#count({ delivered: 1, dead: 0 }, nowMs);
      return;
    }
    this.#tellTrouble({ sinceMs: this.#progress.trouble?.sinceMs ?? nowMs, error: outcome.error });
    if (outcome.kind === "down") {
      this.#failures += 1;
      const waitMs = waitAfter(this.#failures, random);
      this.#pausedUntilMs = nowMs + Math.max(waitMs, Math.min(outcome.retryAfterMs ?? 0, WAIT_MS_MAX));
      return;
    }
    this.#failures = 0;
    if (pending === undefined) return;
    pending.failures += 1;
    pending.dueMs = nowMs + waitAfter(pending.failures, random);
  }

  #await(notice: Notice, subject: string, nowMs: number): void {
    if (this.#pending.has(notice.id)) return;
    this.#pending.set(notice.id, { notice, subject, seenMs: nowMs, failures: 0, dueMs: 0 });
  }

  #finish(id: string): void {
    this.#pending.delete(id);
    this.#done.add(id);
  }

  #forget(id: string): void {
    this.#pending.delete(id);
    this.#done.delete(id);
  }

  /** Subjects without a notice are left out: nothing of them is to be sent. */
  #raise(counts: ReadonlyMap<string, number>): void {
    const { counts: known } = this.#progress;
    const isSame = known.size === counts.size && [...counts].every(([subject, count]) => known.get(subject) === count);
    if (isSame) return;
    this.#progress = { ...this.#progress, counts };
    this.#isDirty = true;
  }

  #count({ delivered, dead }: Tally, nowMs: number): void {
    const own = this.#progress.tallies.get(this.#node) ?? { delivered: 0, dead: 0 };
    const tally = { delivered: own.delivered + delivered, dead: own.dead + dead };
    const tallies = new Map([...this.#progress.tallies, [this.#node, tally]]);
    this.#progress = { ...this.#progress, tallies, deadMs: dead > 0 ? nowMs : this.#progress.deadMs };
    this.#isDirty = true;
  }

  #tellTrouble(trouble: Progress["trouble"]): void {
    const known = this.#progress.trouble;
    if (known?.sinceMs === trouble?.sinceMs && known?.error === trouble?.error) return;
    this.#progress = { ...this.#progress, trouble };
    this.#isDirty = true;
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
