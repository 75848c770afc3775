/**
 * A line that is being put in another order, part by part: places go from the line as it was to the new one.
 *
 * Visitors poll and join meanwhile, in the new line. Where not all keys are known, everybody who may be in line gets a
 * place; one that turns out to be assumed for a visitor who came back is dropped at the end.
 */

import { keptKeys, type Moves, withOthers } from "./line-moves.ts";
import type { QueueOrder } from "./queue-order.ts";
import { ASSUMED, type SortedPlaces } from "./sorted-places.ts";

interface OrderedPlaces {
  readonly places: SortedPlaces;
  readonly order: QueueOrder;
}

export class Rearranging {
  readonly #from: OrderedPlaces;
  readonly #to: OrderedPlaces;
  /** Undefined: a step in which nobody is moved. */
  readonly #moves: Iterator<readonly [from: number, to: number] | undefined>;
  /** Whether visitors may be in line whose keys are not known: then all are put in line who may be. */
  readonly #isVague: boolean;
  /** Keys of visitors who have polled meanwhile and were not in line: places may have been assumed for them. */
  readonly #cameBack = new Set<number>();

  /** `moves`: where a draw gives visitors other keys. */
  constructor(from: OrderedPlaces, to: OrderedPlaces, moves: Moves | undefined) {
    this.#from = from;
    this.#to = to;
    const drawn = moves?.(from.order.draws, to.order.draws);
    const others = { places: from.places, before: from.order, after: to.order };
    const all = drawn === undefined ? keptKeys(from.places, from.order) : withOthers(drawn, others);
    this.#moves = all[Symbol.iterator]();
    this.#isVague = from.places.assumed > 0;
  }

  /** Visitors in the line as it was. */
  get size(): number {
    return this.#from.places.size;
  }

  /** A visitor has polled who was not in the new line. */
  cameBack(key: number): void {
    this.#cameBack.add(key);
  }

  /** Moves up to `max` places. Returns the keys of those who came back once all is done, until then undefined. */
  move(max: number, heardMs: number): Iterable<number> | undefined {
    for (let left = max; left > 0; left--) {
      const { value, done } = this.#moves.next();
      if (done === true) return this.#cameBack;
      if (value !== undefined) this.#moveOne(value, heardMs);
    }
    return undefined;
  }

  #moveOne([from, to]: readonly [number, number], heardMs: number): void {
    const { places, order } = this.#to;
    const place = order.placeOf(to);
    const ref = this.#from.places.find(this.#from.order.placeOf(from));
    // Heard of meanwhile, and not in a place that was assumed for another key.
    if (places.find(place) !== undefined) {
      if (ref !== undefined) this.#cameBack.delete(to);
    } else if (ref !== undefined) places.take(place, this.#from.places, ref);
    else if (this.#isVague) places.insert(place, heardMs, ASSUMED);
  }
}
