/**
 * Time that only passes when the next event is due: a heap of events in the order of time and, within one instant, of
 * planning. So each run is the same.
 */

interface Planned {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

export class VirtualTime {
  #nowMs: number;
  #order = 0;
  readonly #heap: Planned[] = [];

  readonly #startMs: number;

  constructor(startMs: number) {
    this.#startMs = startMs;
    this.#nowMs = startMs;
  }

  /** Ms since the beginning. */
  get elapsedMs(): number {
    return this.#nowMs - this.#startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Plans `act` for `delayMs` from now; at once means after what is planned for now already. */
  after(delayMs: number, act: () => void): void {
    this.#push({ atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, act });
  }

  /** Plans `act` now and again every `everyMs`, for as long as it returns true. */
  every(everyMs: number, act: () => boolean): void {
    this.after(everyMs, () => {
      if (act()) this.every(everyMs, act);
    });
  }

  /** Lets time pass up to `untilMs`. */
  runUntil(untilMs: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= untilMs; next = this.#heap[0]) {
      this.#pop();
      this.#nowMs = next.atMs;
      next.act();
    }
    this.#nowMs = untilMs;
  }

  #push(planned: Planned): void {
    const heap = this.#heap;
    let at = heap.push(planned) - 1;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!isBefore(planned, heap[parent])) break;
      heap[at] = heap[parent] ?? planned;
      at = parent;
    }
    heap[at] = planned;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child += 1;
      const smaller = heap[child];
      if (smaller === undefined || !isBefore(smaller, last)) break;
      heap[at] = smaller;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Planned | undefined, other: Planned | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
