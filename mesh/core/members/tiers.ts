/**
 * How members hear of each other in a large mesh: all of all, or in two tiers.
 *
 * In a small mesh every node tells every other. Above some tens of members, in several localities, that would cost each
 * node as much as there are members. Then nodes tell each other everything only inside their locality, and one of them,
 * its speaker, sends the speakers of the other localities one digest of it. Each node decides by itself which node is
 * the speaker: two speakers at once say the same thing twice, and none for a while makes news late. No limit depends on
 * either, and views, leases, fences, gifts and tickets go directly as always.
 */

import type { NodeId } from "../ids.ts";
import { ranked } from "./ring.ts";

/** From which size on a mesh works in which way. */
export interface Sizes {
  /** From this many members on, a mesh of several localities has two tiers. */
  readonly twoTiersFrom: number;
  /** From this many localities on, slots pass between them through a room's bank. */
  readonly bankFrom: number;
}

/**
 * `bankFrom`: the ledger records for ever which account gave to which, so any-to-any is the square of the localities:
 * at 16 a row stays below 2 kB. Halved, a slot takes two hops in meshes where one would do; doubled, rows of 4 kB are
 * sent every second.
 */
export const SIZES: Sizes = { twoTiersFrom: 40, bankFrom: 16 };

/** Whether a mesh of this many members and localities has two tiers. */
export function hasTwoTiers(members: number, localities: number, { twoTiersFrom }: Sizes): boolean {
  return localities > 1 && members >= twoTiersFrom;
}

/** The speaker of a locality, from its nodes that answer; undefined if none does. */
export function speakerOf(locality: string, nodes: Iterable<NodeId>): NodeId | undefined {
  return ranked(`speaker ${locality}`, nodes)[0];
}
