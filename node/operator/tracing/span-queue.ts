/**
 * The way of finished spans to the collector: in batches, in the background, and never at a visitor's cost.
 *
 * One batch at a time is on its way. A batch that the collector does not take is dropped, and so is a span that finds
 * the queue full: spans are a sample anyway, and a gate under load needs its memory for visitors.
 */

import { LAST_EXPORT_MAX_MS, type OtlpCollector, type Refusal } from "../otlp-collector.ts";
import type { Span } from "./span.ts";

/** As OpenTelemetry's batch processor has it: doubled, a dead collector costs twice the memory, some 4 MB. */
const SPANS_MAX = 2_048;
/** A quarter of the queue: larger batches lose more at once, smaller ones cost more requests. */
const BATCH_MAX = 512;
/** A span is seen this late. Halved, a quiet gate sends twice as many requests. */
const INTERVAL_MS = 5_000;
/** A collector that takes longer is as good as dead. */
const EXPORT_MAX_MS = 10_000;
export type DropReason = "queue_full" | Refusal;

export interface SpanQueueOptions {
  readonly collector: OtlpCollector;
  readonly serialize: (spans: readonly Span[]) => Uint8Array | undefined;
  /** Calls `act` later; a process may end before. */
  readonly later: (ms: number, act: () => void) => void;
}

export class SpanQueue {
  readonly dropped: Record<DropReason, number> = { queue_full: 0, unreachable: 0, refused: 0 };
  exported = 0;
  readonly #options: SpanQueueOptions;
  #spans: Span[] = [];
  #isDue = false;
  #sending: Promise<void> | undefined;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#spans.length;
  }

  add(span: Span): void {
    if (this.#spans.length >= SPANS_MAX) {
      this.dropped.queue_full += 1;
      return;
    }
    this.#spans.push(span);
    if (this.#spans.length >= BATCH_MAX) void this.flush();
    else this.#callLater();
  }

  /** Sends what waits, unless a batch is on its way; settled when it has arrived or is lost. */
  flush(waitMs: number = EXPORT_MAX_MS): Promise<void> {
    if (this.#sending !== undefined || this.#spans.length === 0) return this.#sending ?? Promise.resolve();
    const batch = this.#spans.splice(0, BATCH_MAX);
    this.#sending = this.#send(batch, waitMs).finally(() => {
      this.#sending = undefined;
      if (this.#spans.length > 0) this.#callLater();
    });
    return this.#sending;
  }

  /** Sends the last spans, if the collector takes them soon. */
  async close(): Promise<void> {
    const isOver = Bun.sleep(LAST_EXPORT_MAX_MS).then(() => true);
    for (let batches = 0; batches <= SPANS_MAX / BATCH_MAX && this.#spans.length > 0; batches++) {
      if (await Promise.race([this.flush(LAST_EXPORT_MAX_MS), isOver])) return;
      if (this.#options.collector.isFailing) return;
    }
    await Promise.race([this.#sending, isOver]);
  }

  #callLater(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#options.later(INTERVAL_MS, () => {
      this.#isDue = false;
      void this.flush();
    });
  }

  async #send(batch: readonly Span[], waitMs: number): Promise<void> {
    const { collector, serialize } = this.#options;
    const answer = await collector.send(serialize(batch), waitMs);
    if (typeof answer === "string") {
      this.dropped[answer] += batch.length;
      return;
    }
    const refused = Math.min(batch.length, rejectedIn(answer.text));
    this.exported += batch.length - refused;
    this.dropped.refused += refused;
  }
}

/** How many spans a collector says it has rejected, in an answer that is otherwise a success. */
function rejectedIn(text: string): number {
  try {
    const answer = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: number | string } } | null;
    return Math.max(0, Number(answer?.partialSuccess?.rejectedSpans ?? 0)) || 0;
  } catch {
    // Many collectors answer with nothing: all spans count as taken.
    return 0;
  }
}
