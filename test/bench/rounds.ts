/**
 * Rounds: in each, every variant is measured once, in order and in a fresh process, so that a slow spell of the machine
 * falls on all of them alike.
 */

import { join } from "node:path";
import { messageOf } from "../../node/message-of.ts";
import { endingOnFailure } from "./programs.ts";
import type { Running, Variant } from "./variants.ts";
import { applyLoad, type Load, type LoadResult } from "./wrk.ts";

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

export interface RoundsPlace {
  readonly lengths: Lengths;
  /** For files of the variants. */
  readonly folder: string;
  /** Puts a load on a server: wrk, where nothing else is said. */
  readonly apply?: (load: Load) => Promise<LoadResult>;
}

/**
 * Measures all variants in `rounds` rounds; `tell` hears of each result. One that fails is not measured again and has no
 * result: `failed` has the reason, and the others go on.
 */
export async function measureRounds(
  variants: readonly Variant[],
  { lengths, folder, apply = applyLoad }: RoundsPlace,
  tell: (name: string, round: number, measured: Measured) => void,
): Promise<{ readonly results: Map<string, Measured[]>; readonly failed: Map<string, string> }> {
  const results = new Map(variants.map(({ name }) => [name, [] as Measured[]]));
  const failed = new Map<string, string>();
  const measureMs = (lengths.warmUpSeconds + lengths.seconds) * 1_000 + MARGIN_MS;
  for (let round = 1; round <= lengths.rounds; round++) {
    for (const [index, { name, start }] of variants.entries()) {
      if (failed.has(name)) continue;
      try {
        const measured = await endingOnFailure(async () => {
          const running = await start({ folder: join(folder, `${round}-${index}`), measureMs });
          const measured = await measure(running, lengths, apply);
          await running.server.stop();
          return measured;
        });
        results.get(name)?.push(measured);
        tell(name, round, measured);
      } catch (error) {
        // Saves what is measured of the others.
        failed.set(name, messageOf(error));
        results.delete(name);
      }
    }
  }
  return { results, failed };
}

async function measure(
  { server, load, meant, outcomes }: Running,
  lengths: Lengths,
  apply: (load: Load) => Promise<LoadResult>,
): Promise<Measured> {
  await apply({ ...load, seconds: lengths.warmUpSeconds });
  const before = await outcomes?.();
  const cpuBeforeMs = server.cpuMs();
  const result = await apply({ ...load, seconds: lengths.seconds });
  const cpuMs = server.cpuMs() - cpuBeforeMs;
  const { requests, durationMs, badStatus, socketErrors } = result;
  const failed = badStatus + socketErrors;
  if (failed > 0) throw new Error(`Cannot measure as every request must be answered: ${failed} failed`);
  if (before !== undefined) requireOutcome(meant, requests, since(before, await outcomes?.()));
  return {
    ...result,
    perSecond: (requests * 1_000) / durationMs,
    cpuMicros: (cpuMs * 1_000) / requests,
    busy: cpuMs / durationMs,
  };
}

/** What `after` has more than `before`, by outcome. */
function since(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number> = new Map()) {
  return new Map([...after].map(([outcome, count]) => [outcome, count - (before.get(outcome) ?? 0)]));
}

/** Throws unless all requests had the outcome that is meant. */
function requireOutcome(meant = "", requests: number, counts: ReadonlyMap<string, number>): void {
  const others = [...counts].filter(([outcome, count]) => outcome !== meant && count > 0);
  const asMeant = counts.get(meant) ?? 0;
  // More than the load counts is well: it does not count what is under way when it stops.
  if (others.length === 0 && asMeant >= requests) return;
  const current = [[meant, asMeant] as const, ...others].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
  throw new Error(`Cannot measure as all ${requests} answers must be "${meant}": current outcomes are ${current}`);
}
