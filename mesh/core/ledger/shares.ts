/**
 * The arithmetic of shares: how many slots an account's units make at a limit, what it can spare, how much to give.
 *
 * A room's whole is 2^30 units of each resource, whatever its limits. Units only move, so a changed limit changes every
 * account's slots at once and needs no redistribution, and the slots of all accounts never add up to more than the
 * limit. An account spares only what its used slots do not need. Fractions of a slot are always spare, so that they
 * gather somewhere and no slot is lost to them.
 *
 * This file does not decide which account gives to which, or when.
 */

import type { Resource } from "./row.ts";

/** A room's whole, in units per resource. Divides a limit of 10,000,000 into more than 100 units a slot. */
export const UNITS = 2 ** 30;

/**
 * Part of a slot that an account may lack and still have the slot. It forgives units lost in rounding: one unit is less
 * than this at limits up to 1,073. Limits hold for fewer than a million accounts, since each may lack this much; a
 * tolerance ten times larger would allow a tenth of the accounts.
 */
const FORGIVEN = 1e-6;

/** Slots that `units` make at `limit`: whole ones, 0 if there are no units (or a view too late to know of them). */
export function slotsOf(limit: number, units: number): number {
  return Math.max(0, Math.floor((limit * units) / UNITS + FORGIVEN));
}

/**
 * Units to hold for `slots` slots at `limit`: rounded down where `slotsOf` forgives it, so that the needs of all
 * accounts fit into the whole to the last slot; else rounded up. Infinity where no number of units is enough.
 */
export function unitsForSlots(limit: number, slots: number): number {
  if (slots <= 0) return 0;
  if (limit <= 0) return Number.POSITIVE_INFINITY;
  const roundedDown = Math.floor((slots * UNITS) / limit);
  return slotsOf(limit, roundedDown) >= slots ? roundedDown : roundedDown + 1;
}

/** What an account has of one resource of a room, and how much of it is in use. */
export interface Holding {
  readonly limit: number;
  readonly units: number;
  /** Slots in use: sessions held (`active`), or admissions so far in the current minute (`arrivals`). */
  readonly used: number;
}

/** A new visitor takes one slot of each. */
export type Holdings = Readonly<Record<Resource, Holding>>;

/** Units of each resource that an account can give away: everything above its need for what is used. */
export function surplus({ active, arrivals }: Holdings): Record<Resource, number> {
  return { active: spareUnits(active), arrivals: spareUnits(arrivals) };
}

/**
 * Units to give so that a receiver who has `units` gets `slots` more slots at `limit`, or as many as `surplus` units
 * make; 0 if those do not make one.
 */
export function giftFor(wanted: {
  readonly limit: number;
  readonly units: number;
  readonly slots: number;
  readonly surplus: number;
}): number {
  const { limit, units, slots, surplus } = wanted;
  const before = slotsOf(limit, units);
  const after = Math.min(before + slots, slotsOf(limit, units + surplus));
  return after > before ? Math.min(surplus, unitsForSlots(limit, after) - units) : 0;
}

function spareUnits({ limit, units, used }: Holding): number {
  return Math.max(0, units - unitsForSlots(limit, used));
}
