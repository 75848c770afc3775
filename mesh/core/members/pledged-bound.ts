/**
 * The most that nodes hold, by what the voters knew of their pledges when they promised the next view.
 *
 * A raise counts when a majority of the voters has acknowledged it, and a voter that has promised acknowledges nothing
 * more in this view. Any two majorities have a voter in common. So the newest version that a majority of the voters
 * knows is not older than the last acknowledged one; and of a newer one that was sent the node obeys the lower.
 */

import type { NodeId, RoomId } from "../ids.ts";
import { SLOTS_MAX } from "../wire/shapes.ts";
import type { Ceilings, KeptPledge } from "./ceilings.ts";
import { majorityOf } from "./voters.ts";

/**
 * The newest pledge of `node` that a majority of `voters` knows, by what each said with its promise; undefined if fewer
 * know one. The node itself does not count, nor a voter that has left: it took its knowledge along.
 */
export function boundOf(
  node: NodeId,
  voters: readonly NodeId[],
  said: ReadonlyMap<NodeId, readonly KeptPledge[]>,
): KeptPledge | undefined {
  const others = voters.filter((voter) => voter !== node);
  const known = others.flatMap((voter) => said.get(voter)?.find((kept) => kept.node === node) ?? []);
  if (known.length < majorityOf(voters)) return undefined;
  return known.toSorted((one, other) => other.version - one.version)[0];
}

/** The sum of bounds, by room; undefined where one is not known, or is everything that its node owned. */
export function ceilingsOf(bounds: readonly (KeptPledge | undefined)[]): Ceilings | undefined {
  const sums = new Map<RoomId, number>();
  for (const bound of bounds) {
    if (bound === undefined || bound.isWhole) return undefined;
    for (const [room, slots] of bound.rooms) sums.set(room, Math.min(SLOTS_MAX, (sums.get(room) ?? 0) + slots));
  }
  return [...sums];
}
