/**
 * Nodes that want to join, as far as this node has heard. They ask repeatedly until they are members, so one that is
 * forgotten here asks again; one that has stopped asking is not admitted, since it may be gone.
 */

import type { NodeId } from "../ids.ts";

/** Time for further nodes to ask, in ms: ten nodes started at once should make one view and not ten. */
const BATCH_MS = 200;

/** Nodes admitted with one view. More would make ever larger decisions; the next view admits the rest. */
const PER_VIEW_MAX = 32;

/** A node that has not asked for this long is gone, in ms; it asks every 500 ms. */
const FRESH_MS = 2_500;

/** Nodes remembered at once. */
const ASKING_MAX = 1_000;

export interface Joiner {
  readonly node: NodeId;
  readonly locality: string;
}

export class Joins {
  readonly #asking = new Map<NodeId, { readonly joiner: Joiner; readonly firstMs: number; lastMs: number }>();

  /** Records that a node asks, at `nowMs` on the steady clock. */
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

  /** The nodes to admit with the next view. */
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
