/**
 * Clocks of hosts that faults set wrong for a while, at once or in steps too small to be noticed.
 *
 * A promise about clocks that agree: at most a minority of the clocks is wrong at a time.
 */

import type { Fault } from "./fault-kinds.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

type Kind<What> = Extract<Fault, { what: What }>;

export class WrongClocks {
  readonly #world: World;
  readonly #later: (ms: number, act: () => void) => void;
  /** By node whose clock was ever set wrong: how far it is off when it is right. */
  readonly #right = new Map<SimNode, number>();
  /** The process of a node that last started by a wrong clock. */
  readonly #started = new Map<SimNode, number>();

  /** `later` does something unless all is healed by then. */
  constructor(world: World, later: (ms: number, act: () => void) => void) {
    this.#world = world;
    this.#later = later;
  }

  /** A host's clock is set wrong, and later corrected. Returns whether it happened. */
  step(node: SimNode, { byMs, forMs }: Kind<"step clock">): boolean {
    if (!this.mayBeWrong(node)) return false;
    this.setWrong(node, byMs);
    this.#later(forMs, () => this.setRight(node));
    return true;
  }

  /**
   * A host's clock drifts away in steps too small to be noticed, and comes back, unless it is set right before. Returns
   * whether it happened.
   */
  drift(node: SimNode, { stepMs, steps, everyMs, forMs }: Kind<"drift clock">): boolean {
    if (!this.mayBeWrong(node)) return false;
    this.setWrong(node, stepMs);
    const later = (ms: number, byMs: number) =>
      this.#later(ms, () => {
        if (this.isWrong(node)) this.setWrong(node, byMs);
      });
    for (let step = 1; step < steps; step++) {
      later(step * everyMs, (step + 1) * stepMs);
      later((steps + step) * everyMs + forMs, (steps - step) * stepMs);
    }
    this.#later(2 * steps * everyMs + forMs, () => this.setRight(node));
    return true;
  }

  /**
   * For members only: a node that waits to join has only its own clock, and may take a good cookie for one that is
   * over. And not for one that is alone: its clock is the time of its mesh, so sessions that end by it are over,
   * although the judge here knows another time. Nor for one that has just started, and may find nobody to compare its
   * clock with.
   */
  mayBeWrong(node: SimNode): boolean {
    if (this.isWrong(node) || node.peer?.isClockTrusted === false) return false;
    if ((node.peer?.members.view?.members.length ?? 0) < 2) return false;
    const wrong = [...this.#right.keys()].filter((each) => this.isWrong(each)).length;
    return wrong === 0 || 2 * (wrong + 1) < this.#world.nodes.length;
  }

  /** Whether a clock is set wrong and not corrected yet. */
  isWrong(node: SimNode): boolean {
    return node.skewMs !== (this.#right.get(node) ?? node.skewMs);
  }

  /** A node's process has started by a wrong clock. */
  startedWrong(node: SimNode): void {
    this.#started.set(node, node.process);
  }

  /**
   * Whether it must not be cut off, as its clock is wrong and its process cannot know. One that started by a wrong clock
   * knows as soon as one of several members whose clock is right has answered.
   */
  isSpared(node: SimNode): boolean {
    if (!this.isWrong(node)) return false;
    const members = node.peer?.members;
    if (this.#started.get(node) !== node.process || members === undefined || members.others.length < 2) return true;
    const right = this.#world.nodes.filter((other) => other !== node && !this.isWrong(other));
    return right.every(({ identity }) => members.roundTripMs(identity) === undefined);
  }

  setWrong(node: SimNode, byMs: number): void {
    const right = this.isWrong(node) ? (this.#right.get(node) ?? node.skewMs) : node.skewMs;
    this.#right.set(node, right);
    node.skewMs = right + byMs;
  }

  setRight(node: SimNode): void {
    node.skewMs = this.#right.get(node) ?? node.skewMs;
  }

  /** All clocks are right for good. */
  end(): void {
    for (const node of this.#right.keys()) this.setRight(node);
  }
}
