/**
 * One simulated run: visitors and faults for a while, then everything is healed and must come to rest. Everything
 * follows from scenario, seed and plan.
 */

import type { OvertakeCounts } from "../../cmd/crowd/overtakes.ts";
import { seededRandom } from "../../cmd/crowd/random.ts";
import type { DoorCounts } from "./door-watch.ts";
import { Doors } from "./doors.ts";
import type { FaultPlan } from "./fault-kinds.ts";
import { drawPlan, NO_FAULTS } from "./fault-plan.ts";
import { Faults } from "./faults.ts";
import { restHistories } from "./history-watch.ts";
import { BrokenPromise, type Oracle } from "./oracle.ts";
import { rest, restLines, restPasses } from "./rest.ts";
import type { Scenario } from "./scenario.ts";
import type { SimRoom } from "./sim-room.ts";
import { PATIENT } from "./visitor.ts";
import { JOINING_MS, World, type WorldOptions } from "./world.ts";

export interface RunOptions extends Partial<Pick<WorldOptions, "log">> {
  readonly scenario: Scenario;
  readonly seed: number;
  /** Instead of the seed's own. */
  readonly plan?: FaultPlan;
  /** Called after each minute in which visitors come. */
  readonly passed?: () => void;
}

export interface RunResult {
  readonly seed: number;
  /** What was broken; undefined if all promises were kept. */
  readonly broken: string | undefined;
  readonly oracle: Oracle;
  readonly overtakes: OvertakeCounts;
  /** Undefined where rooms have no doors. */
  readonly doors: DoorCounts | undefined;
  /** Virtual ms from healing to equal states everywhere; undefined without faults. */
  readonly restedMs: number | undefined;
  readonly virtualMs: number;
  readonly bytes: number;
  readonly frames: number;
}

/** Visitors are drawn for so long at once. */
const STEP_MS = 250;
/** Chance that limits change, per visitor. */
const CHANGE_PART = 0.02;

/** The faults of a seed in a scenario. */
export function planOf(scenario: Scenario, seed: number): FaultPlan {
  const { plan, faults, localities, minuteMs, minutes, leaseMs, more = [], late = [] } = scenario;
  if (plan !== undefined) return plan(seed);
  if (faults === undefined) return NO_FAULTS;
  const { hasScenes = false, ...rest } = faults;
  const scenes = hasScenes && { scenes: { rooms: 1 + more.length + late.length, leaseMs } };
  return drawPlan({ ...rest, seed, minuteMs, nodes: localities.length, durationMs: minutes * minuteMs, ...scenes });
}

/** Runs a scenario. */
export function run({ scenario, seed, plan = planOf(scenario, seed), passed, ...options }: RunOptions): RunResult {
  const { localities, minuteMs, leaseMs, room, more = [], late = [], skew = 1, sprays = false, crowd } = scenario;
  const { hasDoors = false, hasHistory = false } = scenario;
  const isCalm = scenario.faults === undefined && scenario.plan === undefined;
  const world = new World({
    seed,
    localities,
    minuteMs,
    leaseMs,
    room,
    more,
    late,
    skew,
    sprays,
    hasOnlyPatient: isCalm && crowd.every((behaviour) => behaviour === PATIENT),
    hasHistory,
    ...(hasDoors && { doors: isCalm ? "calm" : "faulty" }),
    ...options,
  });
  let broken: string | undefined;
  let restedMs: number | undefined;
  try {
    world.pass(JOINING_MS);
    const faults = new Faults(world, plan);
    visit(world, scenario, passed);
    if (scenario.faults !== undefined) restedMs = end(world, faults);
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    broken = error.message;
  }
  const { oracle, overtakes, elapsedMs: virtualMs } = world;
  const { bytes, frames } = world.network;
  return { seed, broken, oracle, overtakes, doors: world.doors?.counts, restedMs, virtualMs, bytes, frames };
}

/** Sends visitors, as the scenario defines it. */
function visit(
  world: World,
  { localities, minuteMs, minutes, rate, stayMinutes, crowd, limitsChange, script, wanted }: Scenario,
  passed: RunOptions["passed"],
): void {
  // A seed of its own: what visitors do must not change who comes.
  const random = seededRandom(world.options.seed ^ 0x5eed);
  const startMs = world.elapsedMs;
  const doors = world.doors && new Doors(world.options.seed);
  const places = [...new Set(localities)];
  while (world.elapsedMs < startMs + minutes * minuteMs) {
    const minute = (world.elapsedMs - startMs) / minuteMs;
    for (const locality of places)
      for (let count = poisson((rate(minute, locality) * STEP_MS) / minuteMs, random); count > 0; count--) {
        const behaviour = crowd[Math.floor(random() * crowd.length)];
        // Most stay for a short while, some for long.
        const staysMs = -Math.log(1 - random()) * stayMinutes * minuteMs;
        const rooms = wanted?.(minute).map((place) => world.rooms[place]) ?? world.rooms;
        const room = rooms[rooms.length > 1 ? Math.floor(random() * rooms.length) : 0];
        const bearer = room && behaviour?.keepsCookies ? doors?.bearer(room, world.time.nowMs) : undefined;
        world.arrive({ locality, staysMs, bearer, ...(behaviour && { behaviour }), ...(room && { room }) });
        if (limitsChange && room !== undefined && random() < CHANGE_PART) changeLimits(world, room, random);
      }
    script?.(world, minute);
    doors?.turn(world, minute);
    world.pass(STEP_MS);
    if ((world.elapsedMs - startMs) % minuteMs < STEP_MS) passed?.();
  }
}

function changeLimits(world: World, room: SimRoom, random: () => number): void {
  const at = world.nodes[Math.floor(random() * world.nodes.length)];
  const totalActiveUsers = 1 + Math.floor(random() * 15);
  if (at?.takesOrders && at.rooms.has(room.id)) world.order(room, { totalActiveUsers }, at);
}

/** Heals everything and waits for rest; returns how long that took. Then looks at what takes longer. */
function end(world: World, faults: Faults): number {
  const restedMs = rest(world, faults);
  const { hasHistory, minuteMs } = world.options;
  world.pass(2 * minuteMs);
  restLines(world);
  if (hasHistory) restHistories(world);
  if (world.doors !== undefined) restPasses(world, world.doors, minuteMs);
  return restedMs;
}

/** A number of events with the given mean. */
function poisson(mean: number, random: () => number): number {
  let count = 0;
  for (let product = random(); product > Math.exp(-mean); product *= random()) count += 1;
  return count;
}
