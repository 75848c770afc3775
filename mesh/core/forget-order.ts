/**
 * An operator's word that nodes run nowhere, while it waits to be carried out.
 *
 * It is good for a stated time, and for nodes that stay silent. One that is heard again takes it back: it would be removed later, back
 * and in good health, by a word that was true once. So would one of which the operator is told that it could not be forgotten. What
 * members have voted for by then is carried out all the same, as any vote is.
 */

import type { NodeId } from "./ids.ts";
import type { Instant } from "./instant.ts";

/**
 * How long an order is tried, in ms: some rounds of fences and votes around the world. The operator waits for it; at twice this a node may
 * have been started again, at half of it one slow member makes it fail.
 */
export const FORGET_MS_MAX = 20_000;

/** How it ended; without a problem the nodes are members no more. */
export interface Forgot {
  readonly problem?: string;
}

export class ForgetOrder {
  readonly nodes: readonly NodeId[];
  readonly #told: ((forgot: Forgot) => void)[] = [];
  #sinceMs: number;

  constructor(nodes: readonly NodeId[], now: Instant) {
    this.nodes = nodes;
    this.#sinceMs = now.steadyMs;
  }

  /** The same order once more: it is tried as long again. */
  again(now: Instant, told: (forgot: Forgot) => void): void {
    this.#sinceMs = now.steadyMs;
    this.#told.push(told);
  }

  isOver(now: Instant): boolean {
    return now.steadyMs - this.#sinceMs >= FORGET_MS_MAX;
  }

  tell(forgot: Forgot): void {
    for (const told of this.#told.splice(0)) told(forgot);
  }
}
