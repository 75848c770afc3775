/**
 * One simulated run: faults and visitors for a while, then everything is healed and must come to rest.
 */

import { Faults } from "./faults.ts";
import { BrokenPromise, World } from "./world.ts";

export interface RunOptions {
  readonly seed: number;
  readonly log?: (atMs: number, text: string) => void;
}

export interface RunResult {
  readonly seed: number;
  /** What was broken; undefined if all promises were kept. */
  readonly broken: string | undefined;
  readonly seen: World["seen"];
}

const MINUTE_MS = 6_000;
const LOCALITIES = [
  ["sjc", "sjc", "lon"],
  ["sjc", "lon", "del"],
  ["sjc", "sjc", "sjc", "lon"],
  ["sjc", "sjc", "lon", "lon", "del"],
] as const;

/** Virtual time of faults, and the time in which all must have come to rest. */
const FAULTS_MS = 20 * MINUTE_MS;
const REST_MS = 90_000;

/** Runs a world of harsh faults. */
export function runSeed({ seed, log }: RunOptions): RunResult {
  const localities = LOCALITIES[seed % LOCALITIES.length] ?? LOCALITIES[0];
  const world = new World({
    seed,
    localities,
    minuteMs: MINUTE_MS,
    leaseMs: 4_000,
    islandMs: 3 * MINUTE_MS,
    room: {
      totalActiveUsers: 3 + (seed % 13),
      newUsersPerMinute: 2 + (seed % 7),
      sessionDuration: 1 + (seed % 3),
      refreshIntervalSeconds: 2,
    },
    ...(log && { log }),
  });
  try {
    world.pass(5_000);
    const faults = new Faults(world, {
      everyMs: 2_500,
      downMax: Math.floor((localities.length - 1) / 2),
      wipes: seed % 2 === 0,
    });
    for (const endMs = world.elapsedMs + FAULTS_MS; world.elapsedMs < endMs; ) {
      const locality = localities[Math.floor(world.random() * localities.length)] ?? "sjc";
      world.arrive({ locality, staysMs: world.random() ** 2 * FAULTS_MS });
      if (world.random() < 0.02) {
        const at = world.nodes[Math.floor(world.random() * world.nodes.length)];
        if (at !== undefined) world.configure({ totalActiveUsers: 1 + Math.floor(world.random() * 15) }, at);
      }
      world.pass(world.random() * 1_500);
    }
    faults.heal();
    world.pass(REST_MS / 2);
    if (world.unrest().length > 0) world.forgetLost();
    world.pass(REST_MS / 2);
    let unrest = world.unrest();
    for (let tries = 0; tries < 10 && unrest.length > 0; tries++) {
      world.pass(2_000);
      unrest = world.unrest();
    }
    if (unrest.length > 0) throw new BrokenPromise(`seed ${seed}: no rest after healing: ${unrest.join("; ")}`);
    return { seed, broken: undefined, seen: world.seen };
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    return { seed, broken: error.message, seen: world.seen };
  }
}
