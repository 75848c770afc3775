/**
 * The source's first two generations of the slot policy: each node decides alone, from what all have counted.
 *
 * `even`: a locality's reserved slots are divided evenly among its nodes, Anywhere's among all nodes, and a node admits
 * that many new visitors in the minute (WR-8, WR-9). It keeps the limit well with stale news, and queues early: a node
 * that most visitors happen to reach uses up its part while others have slots left, typically 20 to 30 % below the limit
 * (WR-10). With fewer free slots than nodes nobody comes in at all.
 *
 * `adaptive`: slots are divided by fewer nodes than there are: `workers × utilization ^ curveFactor`, but never by less
 * than one. Near 0 % a node may hand out nearly all its locality's slots, near 100 % it is the even division (WR-12,
 * WR-13). So few queue early; in exchange a spike that reaches all nodes at once at low utilization exceeds the limit
 * (WR-14).
 *
 * Neither is the default, and neither promises the limit: see mesh/core/ledger/shares.ts for how the default one does.
 */

import { type ConvergedState, splitByTraffic } from "./traffic-split.ts";

/** That of rooms: the parts grow evenly as the room empties. The source's examples have 0.2 as well. */
export const CURVE_FACTOR = 1;

/** New visitors that one node of `locality` may admit in this minute. */
export function evenSlots(state: ConvergedState, locality: string): number {
  const { reserved, anywhere } = splitByTraffic(state);
  return (
    Math.floor((reserved.get(locality) ?? 0) / state.dataCenterWorkersActive) +
    Math.floor(anywhere / state.globalWorkersActive)
  );
}

/** The same by the second generation. `curveFactor` is above 0; larger is more generous. */
export function adaptiveSlots(state: ConvergedState, locality: string, curveFactor: number): number {
  const { reserved, anywhere } = splitByTraffic(state);
  const utilization = Math.min(1, state.activeUsers / state.totalActiveUsers);
  const workerMultiplier = utilization ** curveFactor;
  return (
    Math.round((reserved.get(locality) ?? 0) / Math.max(1, state.dataCenterWorkersActive * workerMultiplier)) +
    Math.round(anywhere / Math.max(1, state.globalWorkersActive * workerMultiplier))
  );
}
