/**
 * The source's first generation of the slot policy: each node takes an even part and decides alone.
 *
 * A locality's reserved slots are divided evenly among its nodes, Anywhere's among all nodes, and a node admits that
 * many new visitors in the minute (WR-8, WR-9). It keeps the limit well with stale news, and queues early: a node that
 * most visitors happen to reach uses up its part while others have slots left, typically 20 to 30 % below the limit
 * (WR-10). With fewer free slots than nodes nobody comes in at all.
 *
 * Not the default, and it does not promise the limit: see mesh/core/ledger/shares.ts for how the default one does.
 */

import { type ConvergedState, splitByTraffic } from "./traffic-split.ts";

/** New visitors that one node of `locality` may admit in this minute. */
export function evenSlots(state: ConvergedState, locality: string): number {
  const { reserved, anywhere } = splitByTraffic(state);
  return (
    Math.floor((reserved.get(locality) ?? 0) / state.dataCenterWorkersActive) +
    Math.floor(anywhere / state.globalWorkersActive)
  );
}
