/**
 * Stamps for last-writer-wins: near the wall clock, yet later than every stamp that its writer had seen (Kulkarni et
 * al., "Logical Physical Clocks", 2014). So a change made after another one was seen wins over it, whatever the clocks
 * say.
 */

import type { NodeId } from "../ids.ts";

export interface Stamp {
  /** Unix ms, from the writer's clock or from the latest stamp it had seen. */
  readonly wallMs: number;
  /** Distinguishes stamps of the same ms. */
  readonly counter: number;
  readonly node: NodeId;
}

/** Above 0 if `one` is later than `other`, below if earlier, 0 if they are the same. */
export function compareStamps(one: Stamp, other: Stamp): number {
  if (one.wallMs !== other.wallMs) return one.wallMs - other.wallMs;
  if (one.counter !== other.counter) return one.counter - other.counter;
  return one.node === other.node ? 0 : one.node > other.node ? 1 : -1;
}

export class HybridClock {
  readonly #node: NodeId;
  #wallMs = 0;
  #counter = 0;

  constructor(node: NodeId) {
    this.#node = node;
  }

  /** Unix ms of the latest stamp made or seen; 0 before the first. */
  get wallMs(): number {
    return this.#wallMs;
  }

  /** A stamp later than all stamps made or seen. */
  next(nowMs: number): Stamp {
    this.#counter = nowMs > this.#wallMs ? 0 : this.#counter + 1;
    this.#wallMs = Math.max(nowMs, this.#wallMs);
    return { wallMs: this.#wallMs, counter: this.#counter, node: this.#node };
  }

  /** Records a stamp. The caller decides how far ahead of the own clock it may be. */
  saw({ wallMs, counter }: Stamp): void {
    if (wallMs < this.#wallMs || (wallMs === this.#wallMs && counter <= this.#counter)) return;
    this.#wallMs = wallMs;
    this.#counter = counter;
  }
}
