/**
 * What one client address may take of a room in a minute: new places, in line or inside
 * (`new_places_per_address_per_minute`), and CORS preflights past a full or held room.
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

/**
 * Preflights of one address in a minute. A page asks a few times, and its browser remembers the answers for 5 s at
 * least; an office behind one address has dozens of pages. Halved, such an office notices it; doubled, a small origin
 * does.
 */
export const PREFLIGHTS_PER_ADDRESS_PER_MINUTE = 120;

/**
 * Preflights of a room in a minute at one gate: a dozen for each visitor that it admits, and enough for a small room.
 */
export const PREFLIGHTS_PER_SLOT_PER_MINUTE = 12;
export const PREFLIGHTS_PER_ROOM_MIN = 600;

/** The remaining preflights of a room at this gate: a budget per address, and one for all together. */
export class PreflightBudget {
  readonly #addresses = new AddressLimit();
  readonly #room = new AddressLimit();

  /** Takes one for `address`, in a room of `slots` visitors; false when none is left in `minute`. */
  take(address: string, minute: Minute, slots: number): boolean {
    const roomMax = Math.max(PREFLIGHTS_PER_ROOM_MIN, slots * PREFLIGHTS_PER_SLOT_PER_MINUTE);
    return (
      this.#addresses.take(address, minute, PREFLIGHTS_PER_ADDRESS_PER_MINUTE) && this.#room.take("", minute, roomMax)
    );
  }
}
