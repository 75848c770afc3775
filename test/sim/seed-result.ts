/**
 * What one run of the simulator comes to, as plain data: processes that run seeds in parallel pass it on.
 */

import type { RunResult } from "./run.ts";

export interface SeedResult {
  readonly seed: number;
  readonly broken: string | null;
  readonly counts: RunResult["oracle"]["counts"];
  readonly overtakes: RunResult["overtakes"];
  /** What became of passes, lanes and proofs; null where rooms have none. */
  readonly doors: RunResult["doors"] | null;
  /** Lost sessions, by reason. */
  readonly thrown_out: Readonly<Record<string, number>>;
  readonly rested_ms: number | null;
  readonly virtual_ms: number;
  readonly frames: number;
  readonly bytes: number;
}

export function seedResult({ seed, broken, oracle, ...result }: RunResult): SeedResult {
  return {
    seed,
    broken: broken ?? null,
    counts: oracle.counts,
    overtakes: result.overtakes,
    doors: result.doors ?? null,
    thrown_out: Object.fromEntries(oracle.thrownOutBy),
    rested_ms: result.restedMs ?? null,
    virtual_ms: result.virtualMs,
    frames: result.frames,
    bytes: result.bytes,
  };
}
