/**
 * How many CORS preflights may pass a full or held room: a budget per address, and one for all together.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { AddressLimit } from "./address-limit.ts";

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

/** The remaining budget of a room at this gate. */
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
