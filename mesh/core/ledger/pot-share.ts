/**
 * The arithmetic of a pot: how much of it counts as held, and how much is usable at once.
 *
 * `units` are the net of all accounts that were inherited together, never of one of them. A gift between two nodes that
 * were removed together may be known to no remaining node; it makes one look poorer and the other richer than it was. A
 * ceiling is in slots, because what is held does not shrink with the limit: it is converted to units at the current
 * limit each time.
 */

import { slotsOf, unitsForSlots } from "./shares.ts";

/** What is known about a pot in one room. */
export interface PotShare {
  readonly limit: number;
  readonly units: number;
  /** The most slots that can be held; undefined where that is all slots. */
  readonly ceiling: number | undefined;
}

/** Slots that sessions of the removed nodes may hold. */
export function heldOf({ limit, units, ceiling = Number.POSITIVE_INFINITY }: PotShare): number {
  return Math.min(slotsOf(limit, units), ceiling);
}

/** Units on which no session can rest, and which may be used and given at once. */
export function freeUnitsOf({ limit, units, ceiling }: PotShare): number {
  return ceiling === undefined ? 0 : Math.max(0, units - unitsForSlots(limit, ceiling));
}
