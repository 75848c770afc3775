/**
 * Spans of ten minutes in which a watch counts before it warns. A span begins with the first request, or look at the
 * status, after the one before; what a span has found is reported until the next one ends.
 */

/** Halved, what comes every minute is not noticed; doubled, a warning stays on for longer after the repair. */
const SPAN_MS = 600_000;

export class WarningSpan {
  #startMs = Number.NEGATIVE_INFINITY;

  /** Begins a span if none is under way: `next` to the one before, or `later`; undefined if one is. */
  turn(nowMs: number): "next" | "later" | undefined {
    if (nowMs >= this.#startMs && nowMs < this.#startMs + SPAN_MS) return undefined;
    const turned = nowMs < this.#startMs + 2 * SPAN_MS ? "next" : "later";
    this.#startMs = nowMs;
    return turned;
  }
}
