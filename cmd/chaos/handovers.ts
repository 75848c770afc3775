/**
 * How long a locality's gates made visitors wait for an answer after their ticket counter was killed: until the next one handed out slots.
 *
 * A gate that has to ask the counter answers late while there is none. Slow answers to requests that were made soon after a kill tell when
 * that was over; those inside ask nobody and tell nothing.
 */

export interface Answered {
  /** Of the gate. */
  readonly locality: string;
  readonly askedMs: number;
  readonly ms: number;
}

/** Slower answers waited for something: a gate holds new visitors up to 0.4 s while slots are fetched. */
const SLOW_MS = 600;

/** A request made later after a kill has nothing to do with it. */
const SOON_MS = 2_000;

export class Handovers {
  #kills: { readonly locality: string; readonly atMs: number }[] = [];
  #count = 0;
  #longest = { ms: 0, atMs: 0 };

  /** The ticket counter of a locality was killed. */
  killed(locality: string, atMs: number): void {
    this.#count += 1;
    this.#kills = [...this.#kills.filter((kill) => kill.locality !== locality), { locality, atMs }];
  }

  /** A gate answered somebody who was not inside. */
  answered({ locality, askedMs, ms }: Answered): void {
    const kill = this.#kills.find((each) => each.locality === locality);
    if (kill === undefined || ms < SLOW_MS || askedMs < kill.atMs || askedMs > kill.atMs + SOON_MS) return;
    const tookMs = askedMs + ms - kill.atMs;
    if (tookMs > this.#longest.ms) this.#longest = { ms: tookMs, atMs: kill.atMs };
  }

  /** Ticket counters killed so far. */
  get count(): number {
    return this.#count;
  }

  /** From a kill to the last slow answer after it, at most; 0 if none was slow. And when the kill was. */
  get longest(): { readonly ms: number; readonly atMs: number } {
    return this.#longest;
  }
}
