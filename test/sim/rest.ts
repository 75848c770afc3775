/**
 * The end of a run with faults: everything is healed, and all nodes must come to rest with equal states.
 *
 * Visitors go on meanwhile, so a node may publish its counts twice a second without end. Looks of the same rhythm may
 * all come just after it has published, before the others have heard it: the last looks come in another rhythm.
 */

import type { DoorWatch } from "./door-watch.ts";
import type { Faults } from "./faults.ts";
import { inTwoLines } from "./line-watch.ts";
import type { World } from "./world.ts";

/**
 * Time in which all nodes must be equal. A node that lost its disk waits for half of it until the operator forgets it.
 */
const REST_MS = 110_000;
const REST_LOOK_MS = 500;
/** Pause and time of the last looks: they see each phase of what happens twice a second several times. */
const LAST_LOOK_MS = 37;
const LAST_LOOKS_MS = 5_000;
/** An order that cannot be carried out is valid for 20 s: the last one must end in time. */
const ORDERS_END_MS = 24_000;

/** Refresh intervals after which those who left count as gone, and as much again. */
const LEFT_INTERVALS = 5;

/** A gate asks for a claim to a pass again after this time, or once a minute. */
const CLAIM_MS = 20_000;
/** For the polls at which they ask, and for answers. */
const CLAIMED_MS = 10_000;

/** Heals everything; returns the time until all states are equal and all nodes may act. */
export function rest(
  world: Pick<World, "elapsedMs" | "pass" | "unrest" | "forgetLost" | "broken">,
  faults: Pick<Faults, "heal">,
): number {
  faults.heal();
  const healedMs = world.elapsedMs;
  for (let unrest = world.unrest(); unrest.length > 0; unrest = world.unrest()) {
    const passedMs = world.elapsedMs - healedMs;
    if (passedMs > REST_MS + LAST_LOOKS_MS) world.broken(`no rest after healing: ${unrest.join("; ")}`);
    if (passedMs > REST_MS / 2 && passedMs < REST_MS - ORDERS_END_MS) world.forgetLost();
    world.pass(passedMs > REST_MS ? LAST_LOOK_MS : REST_LOOK_MS);
  }
  return world.elapsedMs - healedMs;
}

/**
 * Looks at a world at rest until no pass is had twice. If two visitors used one on two sides of a cut, the later one
 * loses it once the keeper of the pass has heard both: the claim of the earlier one must come before the next claim of
 * the later one. While nodes still join or are removed, a new keeper takes over, which has heard neither.
 */
export function restPasses(
  world: Pick<World, "elapsedMs" | "pass" | "broken">,
  doors: Pick<DoorWatch, "twice">,
  minuteMs: number,
): void {
  const untilMs = world.elapsedMs + 2 * Math.max(CLAIM_MS, minuteMs) + CLAIMED_MS;
  untilRight(world, untilMs, () => {
    const { twice } = doors;
    return twice.length > 0 ? `passes: two visitors still have ${twice.join(", ")}` : undefined;
  });
}

/** Looks at a world at rest until no visitor is in two lines: such a visitor counts twice among those who wait. */
export function restLines(world: World): void {
  const longest = Math.max(...world.rooms.map(({ settings }) => settings.refreshIntervalSeconds));
  const untilMs = world.elapsedMs + LEFT_INTERVALS * longest * 1_000;
  untilRight(world, untilMs, () => {
    const twice = inTwoLines(world);
    return twice.length > 0 ? `one line: ${twice.length} visitors are in two, with ${twice[0]}` : undefined;
  });
}

/** Lets a world at rest go on until there is no problem: one that it still has after `untilMs` is a broken promise. */
export function untilRight(
  world: Pick<World, "elapsedMs" | "pass" | "broken">,
  untilMs: number,
  problem: () => string | undefined,
): void {
  for (let wrong = problem(); wrong !== undefined; wrong = problem()) {
    if (world.elapsedMs > untilMs) world.broken(wrong);
    world.pass(REST_LOOK_MS);
  }
}
