/**
 * The source's second generation of the slot policy: even parts, larger ones while the room is rather empty.
 *
 * Slots are divided by fewer nodes than there are: `workers × utilization ^ curveFactor`, but never by less than one.
 * Near 0 % a node may hand out nearly all its locality's slots, near 100 % it is the even division (WR-12, WR-13). So
 * few queue early; in exchange a spike that reaches all nodes at once at low utilization exceeds the limit (WR-14).
 *
 * Not the default, and it does not promise the limit: see mesh/core/ledger/shares.ts for how the default one does.
 */

import { type ConvergedState, splitByTraffic } from "./traffic-split.ts";

/** That of rooms: the parts grow evenly as the room empties. The source's examples have 0.2 as well. */
export const CURVE_FACTOR = 1;

/**
 * New visitors that one node of `locality` may admit in this minute. `curveFactor` is above 0; larger is more generous.
 */
export function adaptiveSlots(state: ConvergedState, locality: string, curveFactor: number): number {
  const { reserved, anywhere } = splitByTraffic(state);
  const utilization = Math.min(1, state.activeUsers / state.totalActiveUsers);
  const workerMultiplier = utilization ** curveFactor;
  return (
    Math.round((reserved.get(locality) ?? 0) / Math.max(1, state.dataCenterWorkersActive * workerMultiplier)) +
    Math.round(anywhere / Math.max(1, state.globalWorkersActive * workerMultiplier))
  );
}
