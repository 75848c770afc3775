/**
 * Questions to one node in batches: what comes up while some are under way goes with the next one. No timer is needed: an idle
 * line sends at once, a busy one in larger batches.
 */

export class Batches<Item> {
  readonly #send: (batch: readonly Item[], nowMs: number, done: (nowMs: number) => void) => void;
  readonly #limits: { readonly itemsMax: number; readonly underWayMax: number };
  readonly #pending: Item[] = [];
  #underWay = 0;

  /** `send` asks for one batch and calls `done` when it is over, however it ended. */
  constructor(
    limits: { readonly itemsMax: number; readonly underWayMax: number },
    send: (batch: readonly Item[], nowMs: number, done: (nowMs: number) => void) => void,
  ) {
    this.#limits = limits;
    this.#send = send;
  }

  /** Items that are not under way yet. */
  get size(): number {
    return this.#pending.length;
  }

  /** Questions that are under way. */
  get underWay(): number {
    return this.#underWay;
  }

  push(item: Item, nowMs: number): void {
    this.#pending.push(item);
    this.#flush(nowMs);
  }

  #flush(nowMs: number): void {
    while (this.#pending.length > 0 && this.#underWay < this.#limits.underWayMax) {
      this.#underWay += 1;
      const batch = this.#pending.splice(0, this.#limits.itemsMax);
      this.#send(batch, nowMs, (thenMs) => {
        this.#underWay -= 1;
        this.#flush(thenMs);
      });
    }
  }
}
