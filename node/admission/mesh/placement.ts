/**
 * Where a room's free slots should lie while no visitor waits: the arithmetic, without the moving.
 *
 * They are spread evenly over all nodes, so that the loss of one strands little, except what may be needed before the
 * next gift comes: at most half. Far below the limit that part lies where last minute's new visitors came in, so that
 * most are admitted without a hop. The fuller the room, the more of it lies with the ticket counters instead, which
 * then hand it out slot by slot (the source's curve, WR-12, without its overshoot).
 */

import type { Both } from "./own-slots.ts";

export interface Scene {
  /** New visitors that all nodes together could admit now. */
  readonly freePairs: number;
  /** Slots of each resource that are free on all nodes, with the other one or without. */
  readonly free: Both;
  /** Part of the room's limit in use, 0 to 1. */
  readonly utilization: number;
  /** All nodes that take part, and the new visitors they saw last minute. */
  readonly nodes: number;
  readonly seen: number;
  /** New visitors who come while slots are on their way, at the pace of last minute. */
  readonly needed: number;
}

/** The same of one locality. */
export type Place = Pick<Scene, "nodes" | "seen">;

/** Part of the free slots that is spread evenly over all nodes, whatever the traffic. */
const EVEN_PART = 0.5;

/**
 * How long slots may be on their way: gauges are sent twice a second, slots are redistributed once a second, and a node
 * with half of its target left gets no more. With less, gates run dry before the next gift; with more, a busy node
 * takes along slots that it does not need.
 */
export const ON_THEIR_WAY_MS = 5_000;

/**
 * Slots, part of the even part, and part of the room's limit. More strands more with a lost node; less moves slots back
 * and forth.
 */
const KEPT = { least: 2, ofEven: 0.25, ofLimit: 0.01 };

/** The error by which sums of parts may miss a whole number. */
const ROUNDING = 1e-9;

/**
 * Slots that a node should have free that saw `seen` new visitors last minute, not counting those of a ticket counter.
 */
export function gateTarget(scene: Scene, seen: number): number {
  const { freePairs, utilization, nodes, seen: all } = scene;
  const byTraffic = all === 0 ? 1 / nodes : seen / all;
  const kept = 1 - Math.min(1, utilization);
  const even = evenPart(scene);
  return freePairs * (even / nodes + (1 - even) * kept * byTraffic);
}

/**
 * Slots of each resource that a gate keeps without the other one while no visitor waits: sent to the counter, they
 * would soon come back.
 */
export function evenTarget({ free, nodes }: Scene): Both {
  const part = EVEN_PART / nodes;
  return { active: Math.floor(free.active * part), arrivals: Math.floor(free.arrivals * part) };
}

/** Slots that a locality's nodes should have free together. */
export function localityTarget(scene: Scene, here: Place): number {
  const { freePairs, nodes, seen } = scene;
  const byNodes = here.nodes / nodes;
  const byTraffic = seen === 0 ? byNodes : here.seen / seen;
  const even = evenPart(scene);
  return freePairs * (even * byNodes + (1 - even) * byTraffic);
}

/**
 * Part of the free slots that is spread evenly: all that is not needed where visitors come in, and never less than
 * half.
 */
function evenPart({ freePairs, needed }: Scene): number {
  return Math.max(EVEN_PART, 1 - needed / Math.max(1, freePairs));
}

/** Free slots of each resource that cannot be used, because the other one is missing. */
export function unpaired({ active, arrivals }: Both): Both {
  const pairs = Math.min(active, arrivals);
  return { active: active - pairs, arrivals: arrivals - pairs };
}

/** Unpaired slots that a node keeps where the even part of each is `even`: a smaller surplus is not worth a message. */
export function keptMost(even: number, limit: number): number {
  return even + Math.max(KEPT.least, limit * KEPT.ofLimit, even * KEPT.ofEven);
}

/**
 * What a node with `surplus` slots above its even part gives to each of the others, in whole slots: what the other
 * lacks, times this node's part of the surplus of all. `others`: how far each of them is above its even part.
 */
export function evenGifts(surplus: number, others: readonly number[]): readonly number[] {
  const rich = others.reduce((sum, above) => sum + Math.max(0, above), surplus);
  const poor = others.reduce((sum, above) => sum + Math.max(0, -above), 0);
  const part = surplus / Math.max(rich, poor, Number.MIN_VALUE);
  let exact = 0;
  let given = 0;
  return others.map((above) => {
    exact += part * Math.max(0, -above);
    const gift = Math.floor(exact + ROUNDING) - given;
    given += gift;
    return gift;
  });
}
