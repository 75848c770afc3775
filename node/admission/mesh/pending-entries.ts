/**
 * Visitors who have a slot, and wait until this node may hold one session more: its ceiling is being raised (node/peer/own-ceilings.ts).
 *
 * That takes a round trip to a majority of the voters. Their slots count as used meanwhile, so there are no more of them than free
 * slots. Where no majority answers they get places in line.
 */

import type { Admission } from "../admission.ts";

/** How long a visitor waits for a raise, in ms: a round trip around the world, and a commit. The page is answered that much later at most. */
const PATIENCE_MS = 400;

export interface Waiter {
  readonly admit: (nowMs: number) => void;
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

  /** The next one for whom a slot is free: let in at once if that may be. */
  add(waiter: Waiter, nowMs: number): void {
    this.#waiters.push({ ...waiter, untilMs: nowMs + PATIENCE_MS });
    this.#admission.pending = this.#waiters.length;
    this.work(nowMs);
  }

  /** Lets in those who may be, in their order; to be called when the ceiling has been raised, and often. */
  work(nowMs: number): void {
    for (let [waiter] = this.#waiters; waiter !== undefined; [waiter] = this.#waiters) {
      const mayAdmit = this.#admission.mayHoldMore(nowMs);
      if (!mayAdmit && nowMs < waiter.untilMs) return;
      this.#waiters.shift();
      this.#admission.pending = this.#waiters.length;
      if (mayAdmit) waiter.admit(nowMs);
      else waiter.giveUp(nowMs);
    }
  }
}
