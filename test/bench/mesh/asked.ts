/** Asking one question at a time, which shows the way there and back. */

import { quantile } from "../statistics.ts";

/** Asks once, with an id that nobody had before. */
export type Ask = (id: string) => Promise<unknown>;

/** Names of what is asked, that an aim is about. */
export const TICKET = "ticket, to the answer";
export const INCREMENT = "Redis INCR";

/** One kind of question in one round. */
export interface Asked {
  readonly name: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Asks for so long, again when the answer is there. */
export async function oneByOne(ms: number, ask: () => Promise<unknown>): Promise<Omit<Asked, "name">> {
  const tookMs: number[] = [];
  const endMs = performance.now() + ms;
  while (performance.now() < endMs) {
    const askedMs = performance.now();
    await ask();
    tookMs.push(performance.now() - askedMs);
    // What the last one left to do is done before the next one's time begins.
    await new Promise(setImmediate);
  }
  return { p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99) };
}
