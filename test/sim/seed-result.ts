/**
 * What one run of the simulator comes to, as plain data: processes that run seeds in parallel pass it on.
 */

import type { RunResult } from "./run.ts";
import type { Scenario } from "./scenario.ts";

export interface SeedResult {
  readonly seed: number;
  readonly broken: string | null;
  readonly counts: RunResult["oracle"]["counts"];
  readonly overtakes: RunResult["overtakes"];
  readonly waits: RunResult["waits"];
  /** What became of passes, lanes and proofs; null where rooms have none. */
  readonly doors: RunResult["doors"] | null;
  /** Lost sessions, by reason. */
  readonly thrown_out: Readonly<Record<string, number>>;
  readonly tau: number;
  /** As part of the visitors that come in a minute. */
  readonly displacement: number;
  readonly rested_ms: number | null;
  readonly virtual_ms: number;
  readonly frames: number;
  readonly bytes: number;
}

export function seedResult({ seed, broken, oracle, ...result }: RunResult, { minuteMs }: Scenario): SeedResult {
  const { tau, displacement } = oracle.order;
  const perMinute = (oracle.counts.arrived * minuteMs) / result.virtualMs;
  return {
    seed,
    broken: broken ?? null,
    counts: oracle.counts,
    overtakes: result.overtakes,
    waits: result.waits,
    doors: result.doors ?? null,
    thrown_out: Object.fromEntries(oracle.thrownOutBy),
    tau,
    displacement: perMinute === 0 ? 0 : displacement / perMinute,
    rested_ms: result.restedMs ?? null,
    virtual_ms: result.virtualMs,
    frames: result.frames,
    bytes: result.bytes,
  };
}
