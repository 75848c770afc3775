/**
 * Faults drawn from the seed: who fails how, and when it is mended.
 *
 * Each draw does one thing to the world; `heal` undoes all of it. Clocks stay within what the rules tolerate, except in
 * worlds that are made for it.
 */

import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

/** How often something happens, on average, in ms. */
export interface FaultPlan {
  readonly everyMs: number;
  /** Most nodes that are down or paused at once. */
  readonly downMax: number;
  /** Whether disks may be lost. */
  readonly wipes: boolean;
}

/** Widest skew of a wall clock, in ms: two clocks are then at most 2 s apart, beyond which nodes hold back. */
const SKEW_MS = 950;
/** Furthest step of a wall clock, in ms. */
const STEP_MS = 100_000;
/** Fastest and slowest steady clock. */
const RATE_OFF = 0.004;

export class Faults {
  readonly #world: World;
  readonly #plan: FaultPlan;
  readonly #stepped = new Map<SimNode, number>();
  #isOn = true;

  constructor(world: World, plan: FaultPlan) {
    this.#world = world;
    this.#plan = plan;
    for (const node of world.nodes) {
      node.skewMs = (this.#random() * 2 - 1) * SKEW_MS;
      node.rate = 1 + (this.#random() * 2 - 1) * RATE_OFF;
    }
    this.#next();
  }

  /** Mends everything; nothing more happens. */
  heal(): void {
    this.#isOn = false;
    const { network, nodes } = this.#world;
    network.faults = { loss: 0, doubling: 0, jitterMs: 1 };
    network.heal();
    for (const [node, skewMs] of this.#stepped) node.skewMs = skewMs;
    for (const node of nodes) {
      node.crashAt = undefined;
      node.resume();
      node.start();
    }
    this.#world.log("all is healed");
  }

  #random(): number {
    return this.#world.random();
  }

  #next(): void {
    this.#world.time.after(this.#random() * 2 * this.#plan.everyMs, () => {
      if (!this.#isOn) return;
      this.#strike();
      this.#next();
    });
  }

  #strike(): void {
    const { network, nodes } = this.#world;
    const node = this.#one(nodes);
    const draw = this.#random();
    if (draw < 0.02) this.#stepClock(node);
    else if (draw < 0.15) {
      network.faults = {
        loss: this.#random() * this.#random() * 0.3,
        doubling: this.#random() * 0.2,
        jitterMs: this.#random() < 0.5 ? 5 : this.#random() * 400,
      };
    } else if (draw < 0.35) this.#cut(node);
    else if (draw < 0.5) {
      network.heal();
      this.#world.log("links healed");
    } else if (draw < 0.7) this.#crash(node);
    else if (draw < 0.8) this.#pause(node);
    else if (draw < 0.93) {
      for (const down of nodes) down.start();
    } else if (draw < 0.95) this.#rollBack(node);
    else if (this.#plan.wipes && this.#isSettled()) {
      this.#world.log(`${node.identity} loses its disk`);
      node.wipe();
      node.start();
    }
  }

  #cut(node: SimNode): void {
    const { network, nodes } = this.#world;
    const shape = this.#random();
    for (const other of nodes) {
      if (other === node || (shape > 0.6 && this.#random() < 0.5)) continue;
      this.#world.log(`cut ${node.identity} ${shape < 0.3 ? "->" : "<->"} ${other.identity}`);
      network.cut(node.identity, other.identity);
      if (shape >= 0.3) network.cut(other.identity, node.identity);
    }
  }

  #crash(node: SimNode): void {
    if (!node.isRunning || this.#down() >= this.#plan.downMax) return;
    const at = this.#random();
    if (at < 0.3) node.crash();
    else node.crashAt = at < 0.6 ? "before-commit" : "before-send";
    const identity = node.identity;
    this.#world.time.after(this.#random() * 4 * this.#plan.everyMs, () => {
      if (node.identity === identity) node.start();
    });
  }

  #pause(node: SimNode): void {
    if (!node.isRunning || this.#down() >= this.#plan.downMax) return;
    this.#world.log(`${node.identity} is stopped`);
    node.pause();
    this.#world.time.after(this.#random() * 6 * this.#plan.everyMs, () => {
      this.#world.log(`${node.identity} goes on`);
      node.resume();
    });
  }

  /** Whether all nodes run and are members of one view: if a majority lost their disks before they are replaced, the mesh is lost. */
  #isSettled(): boolean {
    const { nodes } = this.#world;
    const views = new Set(nodes.map(({ peer, isRunning }) => (isRunning ? peer?.members.view?.number : undefined)));
    const members = nodes[0]?.peer?.members.view?.members.length;
    return views.size === 1 && !views.has(undefined) && members === nodes.length;
  }

  /** Somebody sets a host's clock wrong, and later right again. */
  #stepClock(node: SimNode): void {
    const { skewMs } = node;
    if (Math.abs(skewMs) > SKEW_MS) return;
    node.skewMs += (this.#random() * 2 - 1) * STEP_MS;
    this.#world.log(`the clock of ${node.identity} steps to ${node.skewMs.toFixed(0)} ms`);
    this.#stepped.set(node, skewMs);
    this.#world.time.after(this.#random() * 8 * this.#plan.everyMs, () => {
      node.skewMs = skewMs;
    });
  }

  /** An old disk: what it does not know of must be found out before it does harm. */
  #rollBack(node: SimNode): void {
    if (!this.#plan.wipes) return;
    if (this.#random() < 0.5) node.backUp();
    else if (this.#isSettled() && node.rollBack()) this.#world.log(`${node.identity} has been rolled back`);
  }

  #down(): number {
    return this.#world.nodes.filter(({ isRunning, crashAt }) => !isRunning || crashAt !== undefined).length;
  }

  #one(nodes: readonly SimNode[]): SimNode {
    const node = nodes[Math.floor(this.#random() * nodes.length)];
    if (node === undefined) throw new RangeError("Cannot strike as there are no nodes");
    return node;
  }
}
