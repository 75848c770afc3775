/**
 * What a voter knows about the pledges of the others, and what the members that remove a node conclude.
 *
 * A voter keeps pledges in memory only. After a start it knows none until a node has sent its pledge again: until then
 * it says nothing about that node, rather than something that may be old, as its disk may be. A majority of the voters
 * must know a pledge of a removed node, in the same view; otherwise nothing is known about it. The newest version
 * counts: any two majorities have a voter in common, so it is not older than the last that was acknowledged.
 */

import type { NodeId, RoomId } from "../ids.ts";
import { SLOTS_MAX } from "../wire/shapes.ts";
import type { Ceilings } from "./ceilings.ts";
import type { PledgeWord } from "./pledges.ts";
import { majorityOf } from "./voters.ts";

/** What a voter knows about one node. */
export interface KeptPledge {
  readonly node: NodeId;
  readonly version: number;
  /** Everything that its accounts own, in every room. */
  readonly isWhole: boolean;
  readonly rooms: readonly (readonly [RoomId, number])[];
}

interface Kept {
  readonly version: number;
  readonly isWhole: boolean;
  readonly rooms: ReadonlyMap<RoomId, number>;
}

export class KeptPledges {
  readonly #kept = new Map<NodeId, Kept>();

  /** A new view: nothing that was pledged before counts in it. */
  begin(): void {
    this.#kept.clear();
  }

  /** `node` pledges; an older pledge, or one that adds to what is not known here, changes nothing. */
  hear(node: NodeId, { version, since, isWhole, rooms }: PledgeWord): void {
    const before = this.#kept.get(node);
    if (version <= (before?.version ?? 0) || since > (before?.version ?? 0)) return;
    const known = since === 0 ? new Map<RoomId, number>() : new Map(before?.rooms);
    for (const [room, slots] of rooms) {
      if (slots > 0) known.set(room, slots);
      else known.delete(room);
    }
    this.#kept.set(node, { version, isWhole, rooms: known });
  }

  /** The newest known version of `node`; 0 for none. */
  versionOf(node: NodeId): number {
    return this.#kept.get(node)?.version ?? 0;
  }

  /** What is known about `nodes`; nodes about which nothing is known are left out. */
  of(nodes: readonly NodeId[]): KeptPledge[] {
    return nodes.flatMap((node) => {
      const kept = this.#kept.get(node);
      return kept === undefined ? [] : [{ node, ...kept, rooms: [...kept.rooms] }];
    });
  }
}

/**
 * The sum of what `removed` nodes pledged, according to the answers of members that stay; undefined where too few
 * voters know about one of them, or it pledged all that it owned. A voter that has left does not count, whichever node
 * votes for it: it took its knowledge along.
 */
export function ceilingsOf({
  voters,
  removed,
  answers,
}: {
  readonly voters: readonly NodeId[];
  readonly removed: readonly NodeId[];
  readonly answers: ReadonlyMap<NodeId, readonly KeptPledge[]>;
}): Ceilings | undefined {
  const sums = new Map<RoomId, number>();
  for (const node of removed) {
    const known = voters.flatMap((voter) => answers.get(voter)?.find((kept) => kept.node === node) ?? []);
    const [newest] = known.sort((one, other) => other.version - one.version);
    if (newest === undefined || known.length < majorityOf(voters) || newest.isWhole) return undefined;
    for (const [room, slots] of newest.rooms) sums.set(room, Math.min(SLOTS_MAX, (sums.get(room) ?? 0) + slots));
  }
  return [...sums];
}
