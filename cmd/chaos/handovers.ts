/**
 * How long a locality's gates made visitors wait for an answer after their ticket counter was killed: until the next
 * one handed out slots.
 *
 * A gate that has to ask the counter answers late while there is none. Slow answers to requests made soon after a kill
 * show when that was over; visitors with a session need no counter, so their answers show nothing.
 */

export interface Answered {
  /** Of the gate. */
  readonly locality: string;
  readonly askedMs: number;
  readonly ms: number;
}

/** Slower answers waited for something: a gate holds new visitors up to 0.4 s while slots are fetched. */
const SLOW_MS = 600;

/** A later request after a kill is unrelated to it. */
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

  /** A gate answered a visitor without a session. */
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

  /** Longest time from a kill to the last slow answer after it; 0 if none was slow. And when the kill was. */
  get longest(): { readonly ms: number; readonly atMs: number } {
    return this.#longest;
  }
}
