/**
 * What this node has taken over from members that left to it, until a view drops them.
 *
 * This node alone decides to take over, and puts it on disk before it answers. Afterwards it is the one writer of those
 * accounts, and votes for those members. A refusal is final too, and on disk: the leaver turns to another heir, and a
 * late copy of the first offer must not create a second heir.
 */

import type { AccountId, NodeId } from "../ids.ts";

interface Taken {
  /** The member that left, and those that had left to it. */
  readonly leavers: readonly NodeId[];
  readonly accounts: readonly AccountId[];
}

export interface HandoversRecord {
  readonly taken: readonly (readonly [from: NodeId, taken: Taken])[];
  readonly refused: readonly (readonly [from: NodeId, attempt: number])[];
}

export class Handovers {
  /** Members that left to this node. */
  leavers: readonly NodeId[] = [];
  accounts: readonly AccountId[] = [];
  readonly #taken = new Map<NodeId, Taken>();
  /** The last refused attempt of each leaver. */
  readonly #refused = new Map<NodeId, number>();

  get record(): HandoversRecord {
    return { taken: [...this.#taken], refused: [...this.#refused] };
  }

  restore({ taken, refused }: HandoversRecord): void {
    for (const [from, what] of taken) this.#taken.set(from, what);
    for (const [from, attempt] of refused) this.#refused.set(from, attempt);
    this.#collect();
  }

  has(from: NodeId): boolean {
    return this.#taken.has(from);
  }

  hasRefused(from: NodeId, attempt: number): boolean {
    return attempt <= (this.#refused.get(from) ?? 0);
  }

  take(from: NodeId, taken: Taken): void {
    this.#taken.set(from, taken);
    this.#collect();
  }

  /** A late copy of an older offer does not undo the refusal of a later one. */
  refuse(from: NodeId, attempt: number): void {
    this.#refused.set(from, Math.max(attempt, this.#refused.get(from) ?? 0));
  }

  /**
   * Drops what is over: only members can have left to this node and not be gone yet. Returns whether anything was
   * dropped.
   */
  keepOnly(isMember: (node: NodeId) => boolean): boolean {
    const before = this.#taken.size + this.#refused.size;
    for (const [from, { leavers }] of this.#taken) if (!leavers.some(isMember)) this.#taken.delete(from);
    for (const from of this.#refused.keys()) if (!isMember(from)) this.#refused.delete(from);
    this.#collect();
    return this.#taken.size + this.#refused.size < before;
  }

  #collect(): void {
    this.leavers = [...this.#taken.values()].flatMap(({ leavers }) => leavers);
    this.accounts = [...this.#taken.values()].flatMap(({ accounts }) => accounts);
  }
}
