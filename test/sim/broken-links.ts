/**
 * Links that faults cut or clog: single ones, those between groups, and the cable of one place.
 *
 * A place whose cable is out stays cut off when all other links are healed.
 */

import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

export interface BrokenLinksParts {
  /** Does something later, unless all is healed by then. */
  readonly later: (ms: number, act: () => void) => void;
  /** Whether a node is never cut off. */
  readonly isSpared: (node: SimNode) => boolean;
}

export class BrokenLinks {
  readonly #world: World;
  readonly #parts: BrokenLinksParts;
  /** The place whose cable is out. */
  #off: SimNode | undefined;
  /** When links were last healed, in ms of the world's time. */
  healedMs = Number.NEGATIVE_INFINITY;

  constructor(world: World, parts: BrokenLinksParts) {
    this.#world = world;
    this.#parts = parts;
  }

  cut(from: SimNode, to: SimNode, { isOneWay = false } = {}): void {
    const { isSpared } = this.#parts;
    if (isSpared(from) || isSpared(to)) return;
    this.#world.network.cut(from.identity, to.identity);
    if (!isOneWay) this.#world.network.cut(to.identity, from.identity);
  }

  /** Pulls the cable of a place. Returns whether it happened. */
  cutOff(node: SimNode, forMs: number): boolean {
    // One at a time: two would leave no majority for most of a run.
    if (this.#off !== undefined || this.#parts.isSpared(node)) return false;
    this.#off = node;
    this.#cutFromAll(node);
    this.#parts.later(forMs, () => {
      this.#off = undefined;
      this.#world.log(`${node.identity} is connected again`);
      this.heal();
    });
    return true;
  }

  clog({ identity }: SimNode, { delayMs, forMs }: { readonly delayMs: number; readonly forMs: number }): void {
    const { network } = this.#world;
    network.clog(identity, delayMs);
    this.#parts.later(forMs, () => network.clog(identity, 0));
  }

  /** Heals all links but those of a cable that is out. */
  heal(): void {
    this.#world.network.heal();
    if (this.#off !== undefined) this.#cutFromAll(this.#off);
    this.healedMs = this.#world.elapsedMs;
  }

  /** Heals all links for good. */
  end(): void {
    this.#off = undefined;
    this.#world.network.heal();
  }

  #cutFromAll(node: SimNode): void {
    for (const other of this.#world.nodes) if (other !== node) this.cut(node, other);
  }
}
