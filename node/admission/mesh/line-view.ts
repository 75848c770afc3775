/**
 * A room's line as a gate knows it: what the ticket counter last reported.
 *
 * From it, polls are answered without a hop, and a successor continues when the counter is gone. Positions shown at
 * this gate do not go back, as far as the gate remembers the visitor.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { LineSummary } from "../line.ts";
import { NO_DRAWS, type QueueOrder } from "../queue-order.ts";

/** How old a summary may be while new visitors may be admitted past the line it shows. */
const FRESH_MS = 2_000;

/**
 * Visitors whose last shown position is remembered. More cost 100 bytes each; for the others it may rise by those who
 * come back.
 */
const SHOWN_MAX = 50_000;

export class LineView {
  #from: NodeId | undefined;
  #heardMs = Number.NEGATIVE_INFINITY;
  #summary: LineSummary = { horizon: 0, lastKey: 0, ranges: [] };
  #size = 0;
  readonly #shown = new Map<number, number>();

  get summary(): LineSummary {
    return this.#summary;
  }

  /** Visitors waiting. */
  get size(): number {
    return this.#size;
  }

  /** Records what `from` reports about the line it keeps. */
  hear(from: NodeId, summary: LineSummary, nowMs: number): void {
    if (JSON.stringify(summary.draws) !== JSON.stringify(this.#summary.draws)) this.#shown.clear();
    this.#from = from;
    this.#heardMs = nowMs;
    this.#summary = summary;
    this.#size = summary.ranges.reduce((sum, [, , count]) => sum + count, 0);
    if (this.#size === 0) this.#shown.clear();
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
    let rank = 1;
    for (const [low, high, count] of this.#summary.ranges) {
      if (low >= place) break;
      if (high < place) rank += count;
      // Within a range its places are assumed to be spread evenly.
      else rank += Math.floor(((count - 1) * (place - low)) / Math.max(1, high - low));
    }
    return rank;
  }

  /** The position that is shown: never above one shown before, unless places are being drawn. */
  positionOf(place: number, isDrawing = false): number {
    const position = this.rankOf(place);
    if (isDrawing) return position;
    const before = this.#shown.get(place);
    if (before !== undefined && before <= position) return before;
    if (before === undefined && this.#shown.size >= SHOWN_MAX) this.#shown.clear();
    this.#shown.set(place, position);
    return position;
  }
}
