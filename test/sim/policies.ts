/**
 * The three policies for slots side by side, on the same visitors.
 *
 * Two worlds tell them apart: a slow rise shows how far below the limit each begins to queue, a spike everywhere at
 * once out of low use how far it overshoots. What a gate takes to decide about a new visitor is measured in the rise.
 */

import type { Room } from "../../node/config/room.ts";
import { type RunResult, run } from "./run.ts";
import { DEFAULT_TIMES, type Scenario } from "./scenario.ts";
import { PATIENT } from "./visitor.ts";

const POLICIES: readonly Room["slotPolicy"][] = ["even", "adaptive", "counter"];

/** Ten nodes as in the source's example: three in San Jose, one in Delhi. */
const LOCALITIES = ["sjc", "sjc", "sjc", "lon", "lon", "lon", "lon", "syd", "syd", "del"];
const LIMIT = 1_000;
const PARTS: Readonly<Record<string, number>> = { sjc: 0.4, lon: 0.35, syd: 0.15, del: 0.1 };

const RISE_MINUTES = 9;
const SPIKE_AT = 2;
/**
 * One gate of each locality meets seven visitors for one at any other, as in the source's example of early queueing
 * (WR-10).
 */
const SKEW = 7;
/** Where a hop in the locality ends and one over an ocean begins. */
const OCEAN_FROM_MS = 50;

const BASE: Omit<Scenario, "name" | "summary" | "rate" | "minutes"> = {
  localities: LOCALITIES,
  ...DEFAULT_TIMES,
  room: { totalActiveUsers: LIMIT, newUsersPerMinute: 10 * LIMIT, sessionDuration: 5, refreshIntervalSeconds: 20 },
  stayMinutes: 1_000,
  skew: SKEW,
  crowd: [PATIENT],
};

const RISE: Scenario = {
  ...BASE,
  name: "rise",
  summary: "visitors come evenly and stay: the room fills up",
  minutes: RISE_MINUTES,
  rate: (_, locality) => ((1.2 * LIMIT) / RISE_MINUTES) * (PARTS[locality] ?? 0),
};

const SPIKE: Scenario = {
  ...BASE,
  name: "spike",
  summary: "a tenth of the room is used, then three rooms full come everywhere within three seconds",
  minutes: SPIKE_AT + 1,
  rate: (minute, locality) => {
    if (minute < SPIKE_AT) return ((0.1 * LIMIT) / SPIKE_AT) * (PARTS[locality] ?? 0);
    return minute < SPIKE_AT + 0.05 ? ((3 * LIMIT) / 0.05) * (PARTS[locality] ?? 0) : 0;
  },
};

/** What one policy did; parts of the limit. */
export interface PolicyResult {
  readonly policy: Room["slotPolicy"];
  /** How full the room was when the first visitor had to wait. */
  readonly queues_at: number;
  /** Most inside in the spike. */
  readonly most_inside: number;
  /** New visitors decided without asking another node. */
  readonly without_hop: number;
  /** Median ms of a decision with a hop in the locality, and of one over an ocean; null without any. */
  readonly hop_ms: number | null;
  readonly ocean_ms: number | null;
}

interface Comparison {
  readonly verdict: readonly PolicyResult[];
  /** Promises broken by a policy that makes them. */
  readonly broken: readonly string[];
}

/** Runs all policies. */
export function comparePolicies(seed: number): Comparison {
  const runs = POLICIES.map((policy) => ({
    policy,
    rise: runOf(RISE, policy, seed),
    spike: runOf(SPIKE, policy, seed),
  }));
  const verdict = runs.map(({ policy, rise, spike }) => resultOf(policy, rise, spike));
  const broken = runs.flatMap(({ policy, rise, spike }) =>
    [rise.broken, spike.broken].flatMap((text) => (text === undefined ? [] : `${policy}: ${text}`)),
  );
  return { verdict, broken };
}

function runOf(scenario: Scenario, slotPolicy: Room["slotPolicy"], seed: number): RunResult {
  return run({ scenario: { ...scenario, room: { ...scenario.room, slotPolicy } }, seed });
}

function resultOf(policy: Room["slotPolicy"], { oracle: rise }: RunResult, { oracle: spike }: RunResult): PolicyResult {
  const { decisions } = rise;
  const hops = decisions.filter((ms) => ms > 0 && ms < OCEAN_FROM_MS);
  return {
    policy,
    queues_at: rise.counts.firstQueueAt,
    most_inside: spike.counts.insideMax / LIMIT,
    without_hop: decisions.filter((ms) => ms === 0).length / Math.max(1, decisions.length),
    hop_ms: median(hops),
    ocean_ms: median(decisions.filter((ms) => ms >= OCEAN_FROM_MS)),
  };
}

function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[values.length >>> 1] ?? null;
}
