/**
 * Visitors who have a slot, and wait until this node may hold one more session: its ceiling is being raised
 * (node/peer/own-ceilings.ts).
 *
 * That takes a round trip to a majority of the voters. Their slots count as used meanwhile, so there are never more of
 * them than free slots. If no majority answers they get places in line.
 */

import type { Admission } from "../admission.ts";

/**
 * How long a visitor waits for a raise, in ms: a round trip around the world, and a commit. At most, the answer comes
 * that much later.
 */
const PATIENCE_MS = 400;

export interface Waiter {
  /** `isFree`: whether there still is a slot for it. */
  readonly admit: (nowMs: number, isFree: boolean) => void;
  /** The ceiling was not raised in time. */
  readonly giveUp: (nowMs: number) => void;
}

export class PendingEntries {
  readonly #admission: Admission;
  readonly #waiters: (Waiter & { readonly untilMs: number })[] = [];

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  get size(): number {
    return this.#waiters.length;
  }

  /** The next visitor with a free slot: admitted at once if possible. */
  add(waiter: Waiter, nowMs: number): void {
    this.#waiters.push({ ...waiter, untilMs: nowMs + PATIENCE_MS });
    this.#admission.pending = this.#waiters.length;
    this.work(nowMs);
  }

  /** Admits visitors in order, as far as allowed; call it when the ceiling has been raised, and often. */
  work(nowMs: number): void {
    for (let [waiter] = this.#waiters; waiter !== undefined; [waiter] = this.#waiters) {
      const mayAdmit = this.#admission.sessions.mayHoldMore(nowMs);
      if (!mayAdmit && nowMs < waiter.untilMs) return;
      this.#waiters.shift();
      const isFree = this.#isFree(nowMs);
      this.#admission.pending = this.#waiters.length;
      if (mayAdmit) waiter.admit(nowMs, isFree);
      else waiter.giveUp(nowMs);
    }
  }

  /** Whether there is a slot for the first of those who wait: a lowered limit may have left too few for all. */
  #isFree(nowMs: number): boolean {
    this.#admission.pending = 0;
    return this.#admission.free(nowMs) > 0;
  }
}
