/**
 * Nodes that want to be taken in, as far as this node has heard. They ask again and again until they are members, so what
 * is forgotten here comes again; one that has stopped asking is not taken in, as it may be gone.
 */

import type { NodeId } from "../ids.ts";

/** Time for others to come along, in ms: ten nodes started at once should make one view and not ten. */
const BATCH_MS = 200;

/** Nodes taken in with one view. More would make ever larger decisions; the next view takes the rest. */
const PER_VIEW_MAX = 32;

/** Who has not asked for so long is not there any more, in ms; it asks every 500 ms. */
const FRESH_MS = 2_500;

/** Nodes remembered at once. */
const ASKING_MAX = 1_000;

export interface Joiner {
  readonly node: NodeId;
  readonly locality: string;
}

export class Joins {
  readonly #asking = new Map<NodeId, { readonly joiner: Joiner; readonly firstMs: number; lastMs: number }>();

  /** Notes that a node asks, at `nowMs` on the steady clock. */
  ask(joiner: Joiner, nowMs: number): void {
    this.#forgetOld(nowMs);
    const known = this.#asking.get(joiner.node);
    if (known !== undefined) known.lastMs = nowMs;
    else if (this.#asking.size < ASKING_MAX) this.#asking.set(joiner.node, { joiner, firstMs: nowMs, lastMs: nowMs });
  }

  /** These are members now. */
  done(nodes: Iterable<NodeId>): void {
    for (const node of nodes) this.#asking.delete(node);
  }

  /** Who is to be taken in with the next view. */
  batch(nowMs: number): Joiner[] {
    this.#forgetOld(nowMs);
    return Array.from(this.#asking.values(), ({ joiner }) => joiner).slice(0, PER_VIEW_MAX);
  }

  /** Whether the next view should not wait for more. */
  areDue(nowMs: number): boolean {
    this.#forgetOld(nowMs);
    const isFull = this.#asking.size >= PER_VIEW_MAX;
    return isFull || [...this.#asking.values()].some(({ firstMs }) => nowMs - firstMs >= BATCH_MS);
  }

  #forgetOld(nowMs: number): void {
    for (const [node, { lastMs }] of this.#asking) if (nowMs - lastMs > FRESH_MS) this.#asking.delete(node);
  }
}
