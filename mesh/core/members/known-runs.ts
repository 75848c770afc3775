/**
 * The newest start of each member that this node has heard of, on disk.
 *
 * It goes with the fences: a removed node that comes back with a disk from before its last start has an old copy, and
 * its report about its sessions is not believed. In memory alone, a restart of the nodes that have heard it would
 * forget it.
 */

import type { NodeId } from "../ids.ts";

/** The newest known start of a node, by its incarnation; 0 if none. */
export type Run = readonly [node: NodeId, incarnation: number];

export class KnownRuns {
  readonly #runs: Map<NodeId, number>;
  readonly #store: (runs: readonly Run[]) => void;

  /** `store` puts what is known on disk. */
  constructor(stored: readonly Run[], store: (runs: readonly Run[]) => void) {
    this.#runs = new Map(stored);
    this.#store = store;
  }

  /** A member runs, and says when it was started. */
  note(node: NodeId, incarnation: number): void {
    if (incarnation <= (this.#runs.get(node) ?? 0)) return;
    this.#runs.set(node, incarnation);
    this.#store([...this.#runs]);
  }

  of(nodes: readonly NodeId[]): Run[] {
    return nodes.map((node) => [node, this.#runs.get(node) ?? 0]);
  }

  /** Forgets nodes that are no longer members. */
  keepOnly(isMember: (node: NodeId) => boolean): void {
    const before = this.#runs.size;
    for (const node of this.#runs.keys()) if (!isMember(node)) this.#runs.delete(node);
    if (this.#runs.size < before) this.#store([...this.#runs]);
  }
}
