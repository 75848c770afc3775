/**
 * Performs a plan of faults in a world, and in the end mends everything.
 *
 * A fault that would leave too few nodes running, or lose more disks than a mesh can bear, does not happen: which ones
 * those are depends on the run.
 */

import { type Fault, type FaultPlan, faultText } from "./fault-plan.ts";
import { CALM } from "./network.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

/** In which what a node has to say is with the others, once nothing is cut. */
const TOLD_MS = 5_000;

export class Faults {
  readonly #world: World;
  /** Most nodes that are down or stopped at once. */
  readonly #downMax: number;
  readonly #stepped = new Map<SimNode, number>();
  #isOn = true;
  #healedMs = Number.NEGATIVE_INFINITY;

  constructor(world: World, { clocks, faults }: FaultPlan) {
    this.#world = world;
    this.#downMax = Math.floor((world.nodes.length - 1) / 2);
    for (const [place, { skewMs, rate }] of clocks.entries()) Object.assign(this.#at(place), { skewMs, rate });
    for (const fault of faults) this.#later(fault.atMs, () => this.#strike(fault));
  }

  /** Mends everything; nothing more happens. */
  heal(): void {
    this.#isOn = false;
    const { network, nodes } = this.#world;
    network.faults = CALM;
    network.heal();
    for (const [node, skewMs] of this.#stepped) node.skewMs = skewMs;
    for (const node of nodes) {
      node.crashAt = undefined;
      node.resume();
      node.start();
    }
    this.#world.log("all is healed");
  }

  #later(ms: number, act: () => void): void {
    this.#world.time.after(ms, () => {
      if (this.#isOn) act();
    });
  }

  #strike(fault: Fault): void {
    if (this.#do(fault)) this.#world.log(faultText(fault));
  }

  /** Returns whether it happened. */
  #do(fault: Fault): boolean {
    const { network, nodes } = this.#world;
    switch (fault.what) {
      case "network":
        network.faults = fault;
        return true;
      case "cut":
        for (const other of fault.others) this.#cut(fault.node, other, fault.isOneWay);
        return true;
      case "split":
        for (const [index, group] of fault.groups.entries())
          for (const node of group)
            for (const other of fault.groups.slice(index + 1).flat()) this.#cut(node, other, false);
        return true;
      case "clog": {
        const { identity } = this.#at(fault.node);
        network.clog(identity, fault.delayMs);
        this.#later(fault.forMs, () => network.clog(identity, 0));
        return true;
      }
      case "heal links":
        network.heal();
        this.#healedMs = this.#world.elapsedMs;
        return true;
      case "crash":
        return this.#crash(fault);
      case "restart all":
        for (const [index, node] of nodes.entries())
          this.#later(index * fault.apartMs, () => {
            node.crash();
            this.#start(node);
          });
        return true;
      case "pause":
        return this.#pause(fault);
      case "start all":
        for (const node of nodes) this.#start(node);
        return true;
      case "step clock":
        return this.#stepClock(fault);
      case "back up disk":
        this.#at(fault.node).backUp();
        return true;
      case "roll back disk":
        return this.#isSettled() && this.#isWhole() && this.#at(fault.node).rollBack();
      case "lose disk":
        if (!this.#isSettled()) return false;
        this.#at(fault.node).wipe();
        this.#at(fault.node).start();
        return true;
      case "leave":
        return this.#isSettled() && this.#at(fault.node).leave();
    }
  }

  #cut(node: number, other: number, isOneWay: boolean): void {
    if (this.#isWrong(this.#at(node)) || this.#isWrong(this.#at(other))) return;
    const [from, to] = [this.#at(node).identity, this.#at(other).identity];
    this.#world.network.cut(from, to);
    if (!isOneWay) this.#world.network.cut(to, from);
  }

  #crash({ node: place, at, forMs }: Extract<Fault, { what: "crash" }>): boolean {
    const node = this.#at(place);
    if (!node.isRunning || this.#down() >= this.#downMax) return false;
    if (at === "now") node.crash();
    else node.crashAt = at;
    const { identity } = node;
    this.#later(forMs, () => {
      if (node.identity === identity) this.#start(node);
    });
    return true;
  }

  #pause({ node: place, forMs }: Extract<Fault, { what: "pause" }>): boolean {
    const node = this.#at(place);
    if (!node.isRunning || this.#down() >= this.#downMax) return false;
    node.pause();
    this.#later(forMs, () => {
      this.#world.log(`${node.identity} goes on`);
      node.resume();
    });
    return true;
  }

  /**
   * A promise of clocks that agree: a process that starts by a wrong one, and hears nobody, cannot know. So its clock is set right first
   * unless all others are there; and while a clock is wrong its node is not cut off.
   */
  #start(node: SimNode): void {
    const { network, nodes } = this.#world;
    const before = this.#stepped.get(node);
    const isAmongAll = nodes.every(
      (other) => other === node || (other.isRunning && network.isWhole(node.identity, other.identity)),
    );
    if (before !== undefined && !isAmongAll) node.skewMs = before;
    node.start();
  }

  /** Somebody sets a host's clock wrong, and later right again. */
  #stepClock({ node: place, byMs, forMs }: Extract<Fault, { what: "step clock" }>): boolean {
    const node = this.#at(place);
    const { skewMs } = node;
    // Of members only: the rooms of a node that waits to be taken in go on in the minutes that it was ahead.
    if (this.#isWrong(node) || node.peer?.members.view === undefined) return false;
    // A promise of clocks that agree: that most of them are wrong is more than it allows for.
    const wrong = this.#wrongClocks();
    if (wrong > 0 && 2 * (wrong + 1) >= this.#world.nodes.length) return false;
    node.skewMs += byMs;
    this.#stepped.set(node, skewMs);
    this.#later(forMs, () => {
      node.skewMs = skewMs;
    });
    return true;
  }

  /** Nodes whose clocks somebody has set wrong, and not yet right again. */
  #wrongClocks(): number {
    return [...this.#stepped.keys()].filter((node) => this.#isWrong(node)).length;
  }

  #isWrong(node: SimNode): boolean {
    return node.skewMs !== (this.#stepped.get(node) ?? node.skewMs);
  }

  /** Whether nothing is cut, nor was a moment ago: what a node said to nobody, no old disk of it can be found out by. */
  #isWhole(): boolean {
    const { network, nodes, elapsedMs } = this.#world;
    const isWhole = nodes.every((one) => nodes.every((other) => network.isWhole(one.identity, other.identity)));
    return isWhole && elapsedMs - this.#healedMs >= TOLD_MS;
  }

  /** Whether all nodes run and are members of one view: if a majority lost their disks before they are replaced, the mesh is lost. */
  #isSettled(): boolean {
    const { nodes } = this.#world;
    const views = new Set(nodes.map(({ peer, isRunning }) => (isRunning ? peer?.members.view?.number : undefined)));
    const members = nodes[0]?.peer?.members.view?.members.length;
    return views.size === 1 && !views.has(undefined) && members === nodes.length;
  }

  #down(): number {
    return this.#world.nodes.filter(({ isRunning, crashAt }) => !isRunning || crashAt !== undefined).length;
  }

  #at(place: number): SimNode {
    const node = this.#world.nodes[place];
    if (node === undefined)
      throw new RangeError(`Cannot strike node ${place} as there are ${this.#world.nodes.length}`);
    return node;
  }
}
