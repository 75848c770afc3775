/**
 * Whether the waits that visitors are shown are honest: the true wait is compared with the range that was shown.
 *
 * The range is from the 25th to the 75th percentile, so half of all true waits should lie in it, a quarter below and a
 * quarter above. Only visitors who came in have a true wait.
 */

/** What a visitor is shown: a range of seconds, and the middle of the distribution. */
export interface ShownWait {
  readonly seconds: number;
  readonly lowSeconds: number;
  readonly highSeconds: number;
}

/** Ranges by where the true wait was. */
export interface Coverage {
  below: number;
  within: number;
  above: number;
}

export interface WaitCounts {
  readonly all: Coverage;
  /** Ranges after which the next one was shown, and those at which the shown time of admission jumped. */
  steps: number;
  jumps: number;
}

/** A shown time of admission jumps if it moves by more than this part of the remaining wait, and this long. */
const JUMP = { part: 0.25, ms: 30_000 };

interface Shown extends ShownWait {
  readonly atMs: number;
}

export class WaitCoverage<Visitor extends object> {
  readonly counts: WaitCounts = {
    all: { below: 0, within: 0, above: 0 },
    steps: 0,
    jumps: 0,
  };
  readonly #shown = new Map<Visitor, Shown[]>();

  /** A visitor in line was shown a wait; undefined if it was told that the wait is unknown. */
  shows(visitor: Visitor, wait: ShownWait | undefined, nowMs: number): void {
    if (wait === undefined) return;
    const shown = this.#shown.getOrInsertComputed(visitor, () => []);
    const last = shown.at(-1);
    const now = { ...wait, atMs: nowMs };
    if (last !== undefined) this.#step(last, now);
    shown.push(now);
  }

  /** A visitor came in. */
  enters(visitor: Visitor, nowMs: number): void {
    const shown = this.#shown.get(visitor) ?? [];
    for (const one of shown) this.counts.all[whereIs((nowMs - one.atMs) / 1_000, one)] += 1;
    this.#shown.delete(visitor);
  }

  /** A visitor is gone. */
  goes(visitor: Visitor): void {
    this.#shown.delete(visitor);
  }

  #step(before: Shown, now: Shown): void {
    const leftMs = Math.max(0, before.atMs + before.seconds * 1_000 - now.atMs);
    const movedMs = Math.abs(now.seconds * 1_000 - leftMs);
    this.counts.steps += 1;
    if (movedMs > Math.max(JUMP.ms, JUMP.part * leftMs)) this.counts.jumps += 1;
  }
}

function whereIs(seconds: number, { lowSeconds, highSeconds }: ShownWait): keyof Coverage {
  if (seconds < lowSeconds) return "below";
  return seconds > highSeconds ? "above" : "within";
}
