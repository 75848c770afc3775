/**
 * A crowd that arrives by a plan, whatever the answers are, with each visitor's own chance.
 */

import type { Clock } from "./clock.ts";
import { seededRandom } from "./random.ts";

export interface Sending {
  readonly seed: number;
  readonly clock: Clock;
  /** What arrivals count from. */
  readonly startMs: number;
  readonly signal: AbortSignal;
}

/** One of the crowd: the same for the same seed, whatever others do. */
export interface Arrival {
  /** From 1. */
  readonly number: number;
  readonly dueMs: number;
  readonly random: () => number;
}

/** Starts each visit when it is due; done when all are over, or the run is. Throws what a visit throws. */
export async function sendAll(
  arrivals: Iterable<number>,
  { seed, clock, startMs, signal }: Sending,
  visit: (arrival: Arrival) => Promise<void>,
): Promise<void> {
  const visits = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let number = 0;
  for (const atMs of arrivals) {
    await clock.pause(startMs + atMs - clock.steadyMs(), signal);
    if (signal.aborted || failure !== undefined) break;
    number += 1;
    const random = seededRandom(seed + Math.imul(number, 0x9e3779b1));
    const visiting = visit({ number, dueMs: startMs + atMs, random })
      .catch((error: unknown) => {
        // A fault of this program: the run ends with it.
        failure ??= { error };
      })
      .finally(() => visits.delete(visiting));
    visits.add(visiting);
  }
  await Promise.all(visits);
  if (failure !== undefined) throw failure.error;
}
