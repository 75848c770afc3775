/**
 * Where the visitors of a line stand, as told to other nodes: ranges of places, each with the number of visitors in it.
 *
 * Places are comparable over all localities, because they follow from the time of joining. So a visitor's place in the
 * whole room is the place in the own line, and those in all other lines who came before.
 */

import { hash } from "../../../mesh/core/members/ring.ts";
import type { LineSummary } from "../line.ts";
import { KEYS_PER_MS } from "../queue-order.ts";

/** In order, the front first. */
export type LinePlaces = LineSummary["ranges"];

/** Ranges told to all nodes that stay as the line has them: there a visitor sees the place change by each other one. */
const FRONT_RANGES = 32;

/** The ranges behind. With half, a place in a line of 10,000 is wrong by up to 600; doubled, gauges grow by 600 bytes. */
const REAR_RANGES = 32;

/** Visitors in a line. */
export function sizeOf(ranges: LinePlaces): number {
  return ranges.reduce((sum, [, , count]) => sum + count, 0);
}

/** Visitors before `place`. Within a range they are assumed to be spread evenly. */
export function countBefore(ranges: LinePlaces, place: number): number {
  let before = 0;
  for (const [low, high, count] of ranges) {
    if (low >= place) break;
    if (high < place) before += count;
    else before += 1 + Math.floor(((count - 2) * (place - low)) / (high - low));
  }
  return before;
}

/** The same line in at most 64 ranges. */
export function coarser(ranges: LinePlaces): LinePlaces {
  const rear = ranges.slice(FRONT_RANGES);
  const length = Math.max(1, Math.ceil(rear.length / REAR_RANGES));
  const merged: [number, number, number][] = [];
  for (const [index, [low, high, count]] of rear.entries()) {
    const last = merged.at(-1);
    if (last === undefined || index % length === 0) merged.push([low, high, count]);
    else merged[merged.length - 1] = [last[0], high, last[2] + count];
  }
  return [...ranges.slice(0, FRONT_RANGES), ...merged];
}

/**
 * What a locality's line adds to its keys: visitors who join two lines in the same ms have different keys, and so
 * different places, but for one pair of localities in a thousand.
 */
export function keyOffsetOf(locality: string): number {
  return hash(locality) % KEYS_PER_MS;
}
