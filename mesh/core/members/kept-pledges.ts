/**
 * What a voter knows about the pledges of the others, and what the members that remove a node conclude.
 *
 * A voter puts pledges on the disk before it acknowledges them. A start believes them only from a disk that holds all
 * that the run before has sent; otherwise it knows none, and says nothing about a node until that has sent its pledge
 * again. What a removed node held at most is worked out in `pledged-bound.ts`.
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
  readonly pledge?: StoredPledge | undefined;
}

/**
 * Views whose pledges are remembered. While a node is silent, others may join or leave; with fewer its whole share is
 * held, with more it hardly ever helps.
 */
const VIEWS_MAX = 4;

interface Kept {
  readonly view: number;
  readonly version: number;
  readonly isWhole: boolean;
  readonly rooms: ReadonlyMap<RoomId, number>;
}

/** A pledge on the disk, with the view in which it was heard. */
export type StoredPledge = Omit<KeptPledge, "node"> & { readonly view: number };

/** What was on the disk. */
export interface StoredPledges {
  /** As in `KeptPledges`. */
  readonly views: readonly View[];
  /** By node, as they were written. */
  readonly pledges: readonly (readonly [NodeId, readonly StoredPledge[]])[];
}

/** Where pledges are kept, before they are acknowledged. */
export interface PledgeDisk {
  /** What is known about a node, the newest view first; nothing to remove it. */
  readonly write: (node: NodeId, pledges: readonly StoredPledge[]) => void;
  readonly writeViews: (views: readonly View[]) => void;
}

export class KeptPledges {
  readonly #disk: PledgeDisk | undefined;
  readonly #kept = new Map<NodeId, Kept>();
  /** By node: its newest of an earlier view. */
  readonly #earlier = new Map<NodeId, Kept>();
  /** The number of the present view. */
  #number = 0;
  #views: readonly View[] = [];

  constructor(disk?: PledgeDisk) {
    this.#disk = disk;
  }

  /**
   * Views since which nothing has been forgotten, each the successor of the next, the newest first; none after a start
   * that believed nothing of its disk.
   */
  get views(): readonly View[] {
    return this.#views;
  }

  /** After a start in the view `number`, with what is believed of the disk. */
  restore(number: number, { views, pledges }: StoredPledges): void {
    this.#number = number;
    this.#views = views;
    for (const [node, newestFirst] of pledges)
      for (const { rooms, ...kept } of newestFirst.toReversed())
        (kept.view === number ? this.#kept : this.#earlier).set(node, { ...kept, rooms: new Map(rooms) });
  }

  /** A new view: nothing that was pledged before raises anything in it. */
  begin(view: View): void {
    const known = new Set([...this.#kept.keys(), ...this.#earlier.keys()]);
    const [before] = this.#views;
    if (before?.number === view.number - 1) {
      for (const [node, kept] of this.#kept) this.#earlier.set(node, kept);
      this.#views = [view, ...this.#views.slice(0, VIEWS_MAX - 1)];
    } else this.#views = [view];
    this.#number = view.number;
    this.#kept.clear();
    const oldest = this.#views.at(-1)?.number ?? 0;
    for (const [node, kept] of this.#earlier) {
      const isMember = view.members.some((member) => member.node === node);
      if (kept.view < oldest || !isMember) this.#earlier.delete(node);
    }
    this.#disk?.writeViews(this.#views);
    for (const node of known) if (!this.#earlier.has(node)) this.#disk?.write(node, []);
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
    const kept = { view: this.#number, version, isWhole, rooms: known };
    this.#kept.set(node, kept);
    const earlier = this.#earlier.get(node);
    this.#disk?.write(node, [stored(kept), ...(earlier === undefined ? [] : [stored(earlier)])]);
  }

  /** The newest known version of `node`; 0 for none. */
  versionOf(node: NodeId): number {
    return this.#kept.get(node)?.version ?? 0;
  }

  /** What is known about `nodes`; nodes about which nothing is known are left out. */
  of(nodes: readonly NodeId[]): KeptPledge[] {
    return nodes.flatMap((node) => {
      const kept = this.#kept.get(node);
      if (kept === undefined) return [];
      const { view: _, ...pledge } = stored(kept);
      return [{ node, ...pledge }];
    });
  }

  /** What else is known about `nodes`; nothing where `views` is empty. */
  earlierOf(nodes: readonly NodeId[]): EarlierPledge[] {
    const since = this.#views.at(-1)?.number;
    if (since === undefined) return [];
    return nodes.map((node) => {
      const kept = this.#earlier.get(node);
      return { node, since, ...(kept !== undefined && { pledge: stored(kept) }) };
    });
  }
}

function stored({ rooms, ...kept }: Kept): StoredPledge {
  return { ...kept, rooms: [...rooms] };
}
