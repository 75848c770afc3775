/**
 * What a voter knows about the pledges of the others, and what the members that remove a node conclude.
 *
 * A voter keeps pledges in memory only. After a start it knows none until a node has sent its pledge again: until then
 * it says nothing about that node, rather than something that may be old, as its disk may be. What a removed node held
 * at most is worked out in `pledged-bound.ts`.
 *
 * A pledge is about one view. Those of the few views before are remembered, with the views themselves: a node that is
 * lost when its mesh takes in a new member never pledges in the new view, and so takes nothing in it either.
 */

import type { NodeId, RoomId } from "../ids.ts";
import type { PledgeWord } from "./pledges.ts";
import type { View } from "./view.ts";

/** What a voter knows about one node. */
export interface KeptPledge {
  readonly node: NodeId;
  readonly version: number;
  /** Everything that its accounts own, in every room. */
  readonly isWhole: boolean;
  readonly rooms: readonly (readonly [RoomId, number])[];
}

/** What else a voter knows about one node. */
export interface EarlierPledge {
  readonly node: NodeId;
  /** The view since which the sender has forgotten nothing that it acknowledged. */
  readonly since: number;
  /** The newest of an earlier view; left out where none is known. */
  readonly pledge?: (Omit<KeptPledge, "node"> & { readonly view: number }) | undefined;
}

/**
 * Views whose pledges are remembered. While a node is silent, others may join or leave; with fewer its whole share is
 * held, with more it hardly ever helps.
 */
const VIEWS_MAX = 4;

interface Kept {
  readonly version: number;
  readonly isWhole: boolean;
  readonly rooms: ReadonlyMap<RoomId, number>;
}

export class KeptPledges {
  readonly #kept = new Map<NodeId, Kept>();
  /** By node: its newest of an earlier view. */
  readonly #earlier = new Map<NodeId, Kept & { readonly view: number }>();
  #views: readonly View[] = [];

  /**
   * Views since which nothing has been forgotten, each the successor of the next, the newest first; none after a start.
   */
  get views(): readonly View[] {
    return this.#views;
  }

  /** A new view: nothing that was pledged before raises anything in it. */
  begin(view: View): void {
    const [before] = this.#views;
    if (before?.number === view.number - 1) {
      for (const [node, kept] of this.#kept) this.#earlier.set(node, { ...kept, view: before.number });
      this.#views = [view, ...this.#views.slice(0, VIEWS_MAX - 1)];
    } else this.#views = [view];
    this.#kept.clear();
    const oldest = this.#views.at(-1)?.number ?? 0;
    for (const [node, kept] of this.#earlier) {
      const isMember = view.members.some((member) => member.node === node);
      if (kept.view < oldest || !isMember) this.#earlier.delete(node);
    }
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

  /** What else is known about `nodes`; nothing after a start. */
  earlierOf(nodes: readonly NodeId[]): EarlierPledge[] {
    const since = this.#views.at(-1)?.number;
    if (since === undefined) return [];
    return nodes.map((node) => {
      const kept = this.#earlier.get(node);
      return { node, since, ...(kept !== undefined && { pledge: { ...kept, rooms: [...kept.rooms] } }) };
    });
  }
}
