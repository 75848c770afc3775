/**
 * The lanes of a line: where a new visitor stands who comes by a pass with a lane.
 *
 * While visitors of several lanes wait, each lane gets its share of the slots. This is start-time fair queueing (Goyal,
 * Vin and Cheng, 1996) in terms of places: the nth waiting visitor of a lane with share s stands behind n·(t/s)
 * visitors of each lane with share t. So no lane starves, a lane without visitors leaves its share to the others, and
 * nobody who waits is put back except by those whose share it is. A lane that has had more than its share of late
 * begins that much further behind. A place is given once, as a queue key between those of others; the line itself knows
 * nothing of lanes.
 *
 * Lanes need a line in order of arrival. After a restart a visitor counts as without a lane until the next poll.
 */

import { LANE_MAX } from "../config/lane-fields.ts";
import { SortedPlaces } from "./sorted-places.ts";

/**
 * Queue keys between two visitors who join at the same moment: as many visitors of all lanes may stand between two of
 * lane 0, whose share is at least a twentieth. A thousand who join in one ms are 32 ms apart then.
 */
export const KEYS_APART = 32;

/**
 * Turns of the smallest lane by which a lane may be ahead at most. One would do; without a bound, visitors of a lane
 * who never ask again would put back all others.
 */
const AHEAD_TURNS_MAX = 2;

/** Sums of shares may miss a whole number by this. */
const ROUNDING = 1e-9;

/** The line over all lanes: up to `horizon` visitors are called, `all` has every place. */
export interface WholeLine {
  readonly horizon: number;
  readonly all: SortedPlaces;
}

export class Lanes {
  /** By lane. */
  readonly #shares: readonly number[];
  readonly #places = Array.from({ length: LANE_MAX + 1 }, () => new SortedPlaces());
  /**
   * By lane: by how much it has had more than its share, in turns of a share of 1. Without it, a lane whose visitors
   * come in one by one, each before the next one joins, could have all slots.
   */
  readonly #ahead = Array.from({ length: LANE_MAX + 1 }, () => 0);
  readonly #aheadMax: number;

  /**
   * `shares` in percent by lane, the rest for lane 0 included; 0 for a lane that the room does not have. `before`:
   * where the visitors of these places were, if that is known.
   */
  constructor(shares: readonly number[], places: Iterable<number> = [], before?: Lanes) {
    this.#shares = shares;
    this.#aheadMax = AHEAD_TURNS_MAX / Math.min(...shares.filter((share) => share > 0));
    for (const place of places) this.add(place, before?.laneOf(place));
  }

  /** Puts a visitor who stands at `place` into a lane; into none if the room has no such lane. */
  add(place: number, lane = 0): void {
    this.#in(lane).insert(place, 0, 0);
  }

  /** The visitor who stands at `place` turns out to be of this lane. */
  move(place: number, lane: number): void {
    if (this.#in(lane).find(place) !== undefined) return;
    this.remove(place);
    this.add(place, lane);
  }

  remove(place: number): void {
    for (const places of this.#places) {
      const ref = places.find(place);
      if (ref === undefined) continue;
      places.remove(ref);
      return;
    }
  }

  /** The lane of the visitor who stands at `place`; undefined if nobody does. */
  laneOf(place: number): number | undefined {
    const lane = this.#places.findIndex((places) => places.find(place) !== undefined);
    return lane < 0 ? undefined : lane;
  }

  /** The visitor who stands at `place` comes in. */
  served(place: number): void {
    const lane = this.laneOf(place);
    if (lane === undefined) return;
    // A lane that is ahead would still have visitors in line, had it only had its share.
    const isShared = (of: number): boolean => (this.#places[of]?.size ?? 0) > 0 || (this.#ahead[of] ?? 0) > 0;
    const all = this.#shares.reduce((sum, share, of) => (isShared(of) ? sum + share : sum), 0);
    for (const [of, ahead] of this.#ahead.entries()) {
      const had = of === lane ? 1 / (this.#shares[lane] ?? 1) : 0;
      this.#ahead[of] = Math.min(this.#aheadMax, Math.max(0, ahead + had - 1 / all));
    }
  }

  /** Where a new visitor of `lane` stands among those who wait; undefined behind all of them. */
  placeFor(lane: number, { horizon, all }: WholeLine): number | undefined {
    const own = this.#in(lane);
    const at = this.#places.indexOf(own);
    const turn = (waitingIn(own, horizon) + 1) / (this.#shares[at] ?? 0) + (this.#ahead[at] ?? 0);
    let before = Math.max(horizon, own.select(own.size - 1) ?? 0);
    for (const [other, places] of this.#places.entries()) {
      if (places === own) continue;
      const count = Math.min(waitingIn(places, horizon), Math.floor(turn * (this.#shares[other] ?? 0) + ROUNDING));
      if (count > 0) before = Math.max(before, places.select(places.rank(horizon + 1) + count - 1) ?? 0);
    }
    const next = all.select(all.rank(before + 1));
    if (next === undefined) return undefined;
    // Not long before those who wait: other nodes take a place for the time of joining.
    let place = Math.max(before + 1, before === horizon ? next - KEYS_APART : 0);
    while (all.find(place) !== undefined) place += 1;
    return place;
  }

  #in(lane: number): SortedPlaces {
    const [rest] = this.#places;
    const places = (this.#shares[lane] ?? 0) > 0 ? this.#places[lane] : rest;
    return places ?? new SortedPlaces();
  }
}

/** Visitors who are not called yet. */
function waitingIn(places: SortedPlaces, horizon: number): number {
  return places.size - places.rank(horizon + 1);
}
