/**
 * The two ways of asking: one question at a time, which shows the way there and back, and many at once, which shows the work.
 */

import { quantile } from "../statistics.ts";

export interface OneByOne {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface AtOnce {
  readonly count: number;
  readonly perSecond: number;
}

/** Asks again when the answer is there, for `ms`. */
export async function oneByOne(ms: number, ask: () => Promise<unknown>): Promise<OneByOne> {
  const tookMs: number[] = [];
  const endMs = performance.now() + ms;
  for (let askedMs = performance.now(); askedMs < endMs; askedMs = performance.now()) {
    await ask();
    tookMs.push(performance.now() - askedMs);
  }
  return summary(tookMs);
}

/** `askers` ask at once, each again when its answer is there, for `ms`. */
export async function manyAtOnce(ms: number, askers: number, ask: () => Promise<unknown>): Promise<AtOnce> {
  let count = 0;
  const startedMs = performance.now();
  const endMs = startedMs + ms;
  const askOn = async (): Promise<void> => {
    while (performance.now() < endMs) {
      await ask();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: askers }, askOn));
  return { count, perSecond: (count * 1_000) / (performance.now() - startedMs) };
}

/** What is told of single times. */
export function summary(tookMs: readonly number[]): OneByOne {
  return {
    count: tookMs.length,
    p50Ms: quantile(tookMs, 0.5),
    p99Ms: quantile(tookMs, 0.99),
    maxMs: quantile(tookMs, 1),
  };
}
