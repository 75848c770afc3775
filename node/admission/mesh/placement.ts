/**
 * Where a room's free slots should lie, and what a node gives away that has clearly more than its part: the arithmetic,
 * without the moving.
 *
 * Free slots lie evenly over all nodes, so that the loss of one strands little, except what may be needed before the
 * next gift comes: at most half. That part lies where last minute's new visitors came in, so that most are admitted
 * without a hop. Slots that cannot be used, because the other resource runs short, lie evenly. So do they alone while
 * visitors wait: the ticket counters fetch what they can use.
 */

import { RESOURCES, type Resource } from "../../../mesh/core/ledger/row.ts";
import { type Both, NOTHING, plus } from "./own-slots.ts";

/** Nodes that have slots as one: those of them that take part, what they have free, and the new visitors they saw. */
export interface Place {
  readonly nodes: number;
  readonly free: Both;
  /** Last minute. */
  readonly seen: number;
}

export interface Scene {
  readonly limits: Both;
  /** Whether visitors wait anywhere. */
  readonly isLine: boolean;
  /** Part of a minute's new visitors who come while slots are on their way. */
  readonly onTheirWay: number;
}

/** Part of the free slots that is spread evenly over all nodes, whatever the traffic. */
const EVEN_PART = 0.5;

/**
 * What a node may have above its part: slots, or the lower one of a part of the room's limit and of its own part. More
 * strands more with a lost node; less moves slots back and forth.
 */
const KEPT = { least: 2, ofLimit: 0.01, ofOwn: 0.3 };

/** The error by which sums of parts may miss a whole number. */
const ROUNDING = 1e-9;

/** What the node at `own` gives to each of the other places, in their order. */
export function giftsFrom(own: Place, others: readonly Place[], scene: Scene): readonly Both[] {
  if (others.length === 0) return [];
  const places = [own, ...others];
  const nodes = places.reduce((sum, place) => sum + place.nodes, 0);
  const seen = places.reduce((sum, place) => sum + place.seen, 0);
  const free = places.reduce((sum, place) => plus(sum, place.free), NOTHING);
  const pairs = Math.min(free.active, free.arrivals);
  const even = Math.max(EVEN_PART, 1 - (seen * scene.onTheirWay) / Math.max(1, pairs));
  const gifts = (resource: Resource): readonly number[] => {
    const partOf = (place: Place): number => {
      const byNodes = place.nodes / nodes;
      const byTraffic = seen === 0 ? byNodes : place.seen / seen;
      const usable = scene.isLine ? 0 : pairs * (even * byNodes + (1 - even) * byTraffic);
      return (free[resource] - pairs) * byNodes + usable;
    };
    const has = ({ free }: Place): number => (scene.isLine ? unpaired(free) : free)[resource];
    const part = partOf(own);
    const most = Math.max(KEPT.least, Math.min(scene.limits[resource] * KEPT.ofLimit, part * KEPT.ofOwn));
    // A node that takes no part should have nothing.
    const isMore = has(own) > (own.nodes === 0 ? 0 : Math.floor(part + most));
    if (!isMore) return others.map(() => 0);
    const above = others.map((place) => has(place) - partOf(place));
    return evenGifts(has(own) - part, above);
  };
  const [active, arrivals] = RESOURCES.map(gifts);
  return others.map((_, index) => ({ active: active?.[index] ?? 0, arrivals: arrivals?.[index] ?? 0 }));
}

/**
 * What a node with `surplus` slots above its part gives to each of the others, in whole slots: what the other lacks,
 * times this node's part of the surplus of all. `others`: how far each of them is above its part.
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

/** Free slots of each resource that cannot be used, because the other one is missing. */
function unpaired({ active, arrivals }: Both): Both {
  const pairs = Math.min(active, arrivals);
  return { active: active - pairs, arrivals: arrivals - pairs };
}
