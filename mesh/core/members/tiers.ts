/**
 * How members hear of each other in a mesh that is large: all of all, or in two tiers.
 *
 * In a small mesh everybody tells everybody. Above some tens of members, in several localities, that would cost each node as
 * much as there are members. Then nodes tell each other everything only inside their locality, and one of them, its speaker, tells the
 * speakers of the others one digest of it. Who that is each node decides by itself: two speakers at once say the same thing
 * twice, none for a while makes news late. No limit rests on either, and views, leases, fences, gifts and tickets go directly as ever.
 */

import type { NodeId } from "../ids.ts";
import { ranked } from "./ring.ts";

/** From which size on a mesh works in which way. */
export interface Sizes {
  /** Members from which on a mesh of several localities has two tiers. */
  readonly twoTiersFrom: number;
  /** Localities from which on slots pass between them by way of a room's bank. */
  readonly bankFrom: number;
}

/**
 * `twoTiersFrom`: news of 40 members at 25 ms each come every second, as old as what moves slots may be; heartbeats and digests of all
 * are then 5 kB a second. Halved, a locality's news take a hop more where all of it is still cheap; doubled, gauges are 2 s old.
 *
 * `bankFrom`: who has given to whom stays in the ledger for ever, so any to any is the square of the localities: at 16 a row stays
 * below 2 kB. Halved, a slot takes two hops in meshes where one would do; doubled, rows of 4 kB are told every second.
 */
export const SIZES: Sizes = { twoTiersFrom: 40, bankFrom: 16 };

/** Whether a mesh of so many members and localities has two tiers. */
export function hasTwoTiers(members: number, localities: number, { twoTiersFrom }: Sizes): boolean {
  return localities > 1 && members >= twoTiersFrom;
}

/** Who speaks for a locality, of its nodes that answer; undefined if none does. */
export function speakerOf(locality: string, nodes: Iterable<NodeId>): NodeId | undefined {
  return ranked(`speaker ${locality}`, nodes)[0];
}
