/**
 * A room's line as a gate knows it: what the ticket counter last reported.
 *
 * From it, polls are answered without a hop, and a successor continues when the counter is gone.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { LineSummary } from "../line.ts";
import { NO_DRAWS, type QueueOrder } from "../queue-order.ts";
import { countBefore, sizeOf } from "./line-places.ts";

/** How old a summary may be while new visitors may be admitted past the line it shows. */
const FRESH_MS = 2_000;

export class LineView {
  #from: NodeId | undefined;
  #heardMs = Number.NEGATIVE_INFINITY;
  #summary: LineSummary = { horizon: 0, lastKey: 0, ranges: [] };
  #size = 0;

  get summary(): LineSummary {
    return this.#summary;
  }

  /** Visitors waiting. */
  get size(): number {
    return this.#size;
  }

  /** Records what `from` reports about the line it keeps. */
  hear(from: NodeId, summary: LineSummary, nowMs: number): void {
    this.#from = from;
    this.#heardMs = nowMs;
    this.#summary = summary;
    this.#size = sizeOf(summary.ranges);
  }

  /** Whether the summary came from `counter`, and lately. */
  isFresh(counter: NodeId, nowMs: number): boolean {
    const ageMs = nowMs - this.#heardMs;
    return this.#from === counter && ageMs < FRESH_MS && ageMs > -FRESH_MS;
  }

  /** Whether the line is in this order: while a change of it is on its way, the counter knows best. */
  isIn(order: QueueOrder): boolean {
    return order.isLike(this.#summary.draws ?? NO_DRAWS);
  }

  /** Whether the visitor at `place` has been called, as far as known. */
  isCalled(place: number): boolean {
    return place <= this.#summary.horizon;
  }

  /** Where the visitor at `place` stands now, 1 = next. */
  rankOf(place: number): number {
    return countBefore(this.#summary.ranges, place) + 1;
  }
}
