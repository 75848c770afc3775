/**
 * The load balancer of a simulated world: which gate a visitor's request meets.
 */

import type { SimNode } from "./sim-node.ts";
import type { Visitor } from "./visitor.ts";
import type { World } from "./world.ts";

/** One visitor in this many comes through a load balancer that does not ask gates whether they are ready. */
const BLIND_EVERY = 4;

/**
 * A gate of the visitor's locality: one that says it is ready, or one that runs; of any locality, if none there does.
 */
export function gateFor(world: World, { locality, number }: Visitor): SimNode | undefined {
  const { nodes, options, random } = world;
  const places = [world.nodesIn(locality), nodes];
  const looks = number % BLIND_EVERY === 0 ? [isOpen] : [isReady, isOpen];
  const gates = firstOf(places, looks);
  const { skew = 1 } = options;
  return gates[Math.max(0, Math.floor(random() * (gates.length - 1 + skew) - (skew - 1)))];
}

/** The nodes of the first place where any passes a look; all places are tried by one look before the next. */
function firstOf(
  places: readonly (readonly SimNode[])[],
  looks: readonly ((node: SimNode) => boolean)[],
): readonly SimNode[] {
  for (const look of looks)
    for (const place of places) {
      const gates = place.filter(look);
      if (gates.length > 0) return gates;
    }
  return [];
}

/** Whether a gate listens: not before its node knows the time. */
export function isOpen({ isRunning, peer }: SimNode): boolean {
  return isRunning && peer?.isClockTrusted === true;
}

/** What a gate answers to a readiness probe. */
function isReady(node: SimNode): boolean {
  return isOpen(node) && node.peer?.isReady === true && !node.peer.members.isStopped;
}
