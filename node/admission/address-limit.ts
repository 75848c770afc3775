/**
 * How many new places (in line or inside) one client address has had this minute, for
 * `new_places_per_address_per_minute`.
 *
 * Counts are dropped with the minute. The number of remembered addresses is bounded: beyond it, new addresses are not
 * counted, since rejecting real visitors is worse than letting a flood from a million addresses queue.
 */

import type { Minute } from "../../mesh/core/ids.ts";

/** About 15 MB at worst. */
const ADDRESSES_MAX = 200_000;

export class AddressLimit {
  #minute = 0 as Minute;
  readonly #places = new Map<string, number>();

  /** Counts one more place for `address`, unless it has had `placesMax` (0: no limit) in `minute`; then false. */
  take(address: string, minute: Minute, placesMax: number): boolean {
    if (placesMax === 0) return true;
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#places.clear();
    }
    const places = this.#places.get(address) ?? 0;
    if (places >= placesMax) return false;
    if (places > 0 || this.#places.size < ADDRESSES_MAX) this.#places.set(address, places + 1);
    return true;
  }
}
