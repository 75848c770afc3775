/**
 * Rounds: in each, every variant is measured once, in order and in a fresh process, so that a slow spell of the machine
 * falls on all of them alike.
 */

import { join } from "node:path";
import type { Running, Variant } from "./variants.ts";
import { applyLoad, type LoadResult } from "./wrk.ts";

export interface Lengths {
  readonly rounds: number;
  /** Load before what is measured, in seconds: the runtime compiles what runs often. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** One variant in one round. */
export interface Measured extends LoadResult {
  readonly perSecond: number;
  /** CPU time of the server for one request, all threads, in µs. */
  readonly cpuMicros: number;
  /** Part of the time in which the server was at work; far below 1, something else was the limit. */
  readonly busy: number;
}

/** Time that starting processes and reading counters may add to a measurement. */
const MARGIN_MS = 3_000;

/** Measures all variants in `rounds` rounds; `folder` is for files of theirs, `tell` hears of each result. */
export async function measureRounds(
  variants: readonly Variant[],
  { lengths, folder }: { readonly lengths: Lengths; readonly folder: string },
  tell: (name: string, round: number, measured: Measured) => void,
): Promise<Map<string, Measured[]>> {
  const results = new Map(variants.map(({ name }) => [name, [] as Measured[]]));
  const measureMs = (lengths.warmUpSeconds + lengths.seconds) * 1_000 + MARGIN_MS;
  for (let round = 1; round <= lengths.rounds; round++) {
    for (const [index, { name, start }] of variants.entries()) {
      const running = await start({ folder: join(folder, `${round}-${index}`), measureMs });
      try {
        const measured = await measure(running, lengths);
        results.get(name)?.push(measured);
        tell(name, round, measured);
      } finally {
        await running.server.stop();
      }
    }
  }
  return results;
}

async function measure({ server, load, answers }: Running, lengths: Lengths): Promise<Measured> {
  await applyLoad({ ...load, seconds: lengths.warmUpSeconds });
  const answersBefore = await answers?.();
  const cpuBeforeMs = server.cpuMs();
  const result = await applyLoad({ ...load, seconds: lengths.seconds });
  const cpuMs = server.cpuMs() - cpuBeforeMs;
  const answersAfter = await answers?.();
  const { requests, durationMs, badStatus, socketErrors } = result;
  const failed = badStatus + socketErrors;
  if (failed > 0) throw new Error(`Cannot measure as every request must be answered: ${failed} failed`);
  if (answersBefore !== undefined && answersAfter !== undefined) {
    const meant = answersAfter.meant - answersBefore.meant;
    const others = answersAfter.others - answersBefore.others;
    // More than wrk counts is well: it does not count what is under way when it stops.
    if (others > 0 || meant < requests) {
      throw new Error(
        `Cannot measure as all ${requests} answers must be as meant: ${meant} were, ${others} were others`,
      );
    }
  }
  return {
    ...result,
    perSecond: (requests * 1_000) / durationMs,
    cpuMicros: (cpuMs * 1_000) / requests,
    busy: cpuMs / durationMs,
  };
}
