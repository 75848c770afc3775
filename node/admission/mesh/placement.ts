/**
 * Where a room's free slots should lie while nobody waits: the arithmetic, apart from the moving.
 *
 * Half lies evenly over all nodes, so that the loss of one strands little. Far below the limit the other half lies where last
 * minute's new visitors came in, so that most are admitted without a hop; the fuller the room, the more of it lies with the
 * ticket counters instead, which then hand it out slot by slot (the source's curve, WR-12, without its overshoot).
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Both } from "./own-slots.ts";

export interface Scene {
  /** New visitors that all nodes together could admit now. */
  readonly freePairs: number;
  /** Slots of each resource that are free on all nodes, with the other one or without. */
  readonly free: Both;
  /** Part of the room's limit in use, 0 to 1. */
  readonly utilization: number;
  readonly curveFactor: number;
  /** All nodes that answer: their locality, and the new visitors they saw last minute. */
  readonly nodes: readonly { readonly node: NodeId; readonly locality: string; readonly seen: number }[];
}

/** Part of the free slots that lies evenly over all nodes, whatever the traffic. */
const EVEN_PART = 0.5;

/** Slots that `node` should have free if it keeps none as a ticket counter. */
export function gateTarget({ freePairs, utilization, curveFactor, nodes }: Scene, node: NodeId): number {
  const all = nodes.reduce((sum, { seen }) => sum + seen, 0);
  const own = nodes.find((other) => other.node === node)?.seen ?? 0;
  const byTraffic = all === 0 ? 1 / nodes.length : own / all;
  const kept = 1 - Math.min(1, utilization) ** curveFactor;
  return freePairs * (EVEN_PART / nodes.length + (1 - EVEN_PART) * kept * byTraffic);
}

/**
 * Slots of each resource that any node should have free, with the other one or without: what there is plenty of would come together
 * at one ticket counter, and be stranded with it.
 */
export function evenTarget({ free, nodes }: Scene): Both {
  const part = EVEN_PART / nodes.length;
  return { active: Math.floor(free.active * part), arrivals: Math.floor(free.arrivals * part) };
}

/** Slots that a locality's nodes should have free together. */
export function localityTarget({ freePairs, nodes }: Scene, locality: string): number {
  const all = nodes.reduce((sum, { seen }) => sum + seen, 0);
  const here = nodes.filter((other) => other.locality === locality);
  const even = here.length / nodes.length;
  const byTraffic = all === 0 ? even : here.reduce((sum, { seen }) => sum + seen, 0) / all;
  return freePairs * (EVEN_PART * even + (1 - EVEN_PART) * byTraffic);
}
