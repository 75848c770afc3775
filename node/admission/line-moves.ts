/**
 * Who goes where when the order of a line changes: each visitor keeps the queue key, or gets that of a draw.
 */

import { type Draws, KEYS_PER_MS, type QueueOrder } from "./queue-order.ts";
import type { SortedPlaces } from "./sorted-places.ts";

/**
 * From which queue key to which other one visitors go when the order changes: of all who are in line, as far as they
 * are known. Undefined where all keep their keys.
 */
export type Moves = (before: Draws, after: Draws) => Iterable<readonly [from: number, to: number]> | undefined;

/** The moves of all places where each visitor keeps the key. */
export function* keptKeys(places: SortedPlaces, order: QueueOrder): Generator<readonly [number, number]> {
  for (const place of places.keys()) {
    const key = order.keyAt(place);
    yield [key, key];
  }
}

/** Those who are drawn, and then those who joined after: they keep their keys. */
export function* withOthers(
  moves: Iterable<readonly [number, number]>,
  { places, before, after }: { places: SortedPlaces; before: QueueOrder; after: QueueOrder },
): Generator<readonly [number, number] | undefined> {
  yield* moves;
  const sinceKey = Math.max(shuffleKey(before), shuffleKey(after));
  for (const place of places.keys()) {
    const key = before.keyAt(place);
    // A step each: nobody is to wait for a million of them.
    yield key >= sinceKey ? [key, key] : undefined;
  }
}

function shuffleKey({ draws }: QueueOrder): number {
  return draws.isDrawn === true ? draws.shuffleMs * KEYS_PER_MS : 0;
}
