/**
 * The two ways of asking: one question at a time, which shows the way there and back, and many at once, which shows the
 * work.
 */

import { cpuMs } from "../programs.ts";
import { quantile } from "../statistics.ts";

/** Asks once, with an id that nobody had before. */
export type Ask = (id: string) => Promise<unknown>;

/** Names of what is asked, that an aim is about. */
export const TICKET = "ticket, to the answer";
export const INCREMENT = "Redis INCR";

/** One kind of question in one round. */
export interface Asked extends OneByOne, AtOnce {
  readonly name: string;
}

interface OneByOne {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time per question of this process and of the one that is asked, in µs. */
  readonly askerMicros: number;
  readonly askedMicros: number;
}

interface AtOnce {
  readonly perSecond: number;
  readonly askerMicrosAtOnce: number;
  readonly askedMicrosAtOnce: number;
}

interface Asking {
  readonly ms: number;
  readonly askedPid: number;
  readonly ask: () => Promise<unknown>;
}

/** Questions under way at once: what a spike of 10,000 visitors a second leaves waiting in 200 ms. */
export const AT_ONCE = 2_000;

/** Asks again when the answer is there. */
export async function oneByOne({ ms, askedPid, ask }: Asking): Promise<OneByOne> {
  const tookMs: number[] = [];
  const cpu = cpuOf(askedPid);
  const endMs = performance.now() + ms;
  while (performance.now() < endMs) {
    const askedMs = performance.now();
    await ask();
    tookMs.push(performance.now() - askedMs);
    // What the last one left to do is done before the next one's time begins.
    await new Promise(setImmediate);
  }
  const { asker, asked } = cpu(tookMs.length);
  const times = { p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99) };
  return { count: tookMs.length, ...times, askerMicros: asker, askedMicros: asked };
}

/** Each asks again when its answer is there. */
export async function manyAtOnce({ ms, askedPid, ask }: Asking): Promise<AtOnce> {
  let count = 0;
  const cpu = cpuOf(askedPid);
  const startedMs = performance.now();
  const askOn = async (): Promise<void> => {
    while (performance.now() - startedMs < ms) {
      await ask();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askOn));
  const perSecond = (count * 1_000) / (performance.now() - startedMs);
  const { asker, asked } = cpu(count);
  return { perSecond, askerMicrosAtOnce: asker, askedMicrosAtOnce: asked };
}

/** From now on: CPU time per question in µs. */
function cpuOf(askedPid: number): (count: number) => { asker: number; asked: number } {
  const [asker, asked] = [cpuMs(process.pid), cpuMs(askedPid)];
  const micros = (pid: number, beforeMs: number, count: number): number => ((cpuMs(pid) - beforeMs) * 1_000) / count;
  return (count) => ({ asker: micros(process.pid, asker, count), asked: micros(askedPid, asked, count) });
}
