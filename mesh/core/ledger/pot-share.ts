/**
 * The arithmetic of a pot: what of it counts as held, and what is of use at once.
 *
 * `units` are the net of all accounts that were inherited together, never of one of them: a gift between two that were removed at once
 * may be known to nobody, and makes the one look poorer and the other richer than they were. A ceiling is in slots, as what is held does
 * not become less with the limit: it is turned into units at the limit of now, each time.
 */

import { slotsOf, unitsForSlots } from "./shares.ts";

/** What is known of a pot in one room. */
export interface PotShare {
  readonly limit: number;
  readonly units: number;
  /** The most slots that are held; undefined where that is all that there are. */
  readonly ceiling: number | undefined;
}

/** Slots that sessions of the removed nodes may hold. */
export function heldOf({ limit, units, ceiling = Number.POSITIVE_INFINITY }: PotShare): number {
  return Math.min(slotsOf(limit, units), ceiling);
}

/** Units that no session can rest on, and that may be used and given at once. */
export function freeUnitsOf({ limit, units, ceiling }: PotShare): number {
  return ceiling === undefined ? 0 : Math.max(0, units - unitsForSlots(limit, ceiling));
}
