/**
 * Which of the places that a restored line assumes is whose: the summary lists the ends of a range and how many are in
 * between, not their keys.
 *
 * The ranges keep the order that the line had then, also when it is put in another one.
 */

import type { QueueOrder } from "./queue-order.ts";
import type { PlaceRef, SortedPlaces } from "./sorted-places.ts";

/** Lowest, highest and number of the places of neighbours in line. */
export type Range = readonly [low: number, high: number, count: number];

/** A range of which only the ends are known. */
interface VagueRange {
  readonly low: number;
  readonly high: number;
  /** Its places after the lowest of which it is not known yet, in another order, whether a visitor has them. */
  left: number;
}

export class AssumedRanges {
  readonly #ranges: readonly VagueRange[];
  readonly #order: QueueOrder;

  /** `order`: of the places in `ranges`. */
  constructor(ranges: readonly Range[], order: QueueOrder) {
    const vague = ranges.filter(([, , count]) => count > 2);
    this.#ranges = vague.map(([low, high, count]) => ({ low, high, left: count - 2 }));
    this.#order = order;
  }

  /** The place in a line that was assumed for the visitor with `key`: the last one before it in its range. */
  placeFor(key: number, { places, order }: { places: SortedPlaces; order: QueueOrder }): PlaceRef | undefined {
    const before = this.#order.placeOf(key);
    const range = this.#ranges.find(({ low, high }) => low < before && before < high);
    if (range === undefined) return undefined;
    if (order.isLike(this.#order.draws)) return places.lastAssumedBetween(range.low, before);
    // Neighbours in that order are anywhere in this one: any of the range will do.
    while (range.left > 0) {
      const place = order.placeOf(this.#order.keyAt(range.low + range.left));
      range.left -= 1;
      const ref = places.find(place);
      if (ref !== undefined && places.isAssumed(ref)) return ref;
    }
    return undefined;
  }
}
