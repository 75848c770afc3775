/**
 * Performs a plan of faults in a world, and repairs everything at the end.
 *
 * A fault that would leave too few nodes running, or lose more disks than a mesh can survive, is skipped: which ones
 * depends on the run.
 */

import { BrokenLinks } from "./broken-links.ts";
import type { Fault, FaultPlan } from "./fault-kinds.ts";
import { faultText } from "./fault-plan.ts";
import { CALM } from "./network.ts";
import { nodeAt, RoomFaults } from "./room-faults.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";
import { WrongClocks } from "./wrong-clocks.ts";

/** Time in which a node's news reach the others, once nothing is cut. */
const TOLD_MS = 5_000;

/**
 * How long a script's order that a node is gone is valid, and when it is repeated: a node that was just lost still
 * seems to answer.
 */
const SCRIPT_MS = 15_000;
const AGAIN_MS = 6_000;

export class Faults {
  readonly #world: World;
  /** Most nodes that are down or stopped at once. */
  readonly #downMax: number;
  readonly #clocks: WrongClocks;
  readonly #links: BrokenLinks;
  readonly #rooms: RoomFaults;
  #isOn = true;

  constructor(world: World, { clocks, faults }: FaultPlan) {
    this.#world = world;
    this.#downMax = Math.floor((world.nodes.length - 1) / 2);
    const later = (ms: number, act: () => void) => this.#later(ms, act);
    this.#clocks = new WrongClocks(world, later);
    this.#links = new BrokenLinks(world, { later, isSpared: (node) => this.#clocks.isSpared(node) });
    this.#rooms = new RoomFaults(world, later);
    world.restart = (node) => this.#start(node);
    for (const [place, { skewMs, rate }] of clocks.entries()) Object.assign(this.#at(place), { skewMs, rate });
    for (const fault of faults) this.#later(fault.atMs, () => this.#strike(fault));
  }

  /** Repairs everything; nothing more happens. */
  heal(): void {
    this.#isOn = false;
    const { network, nodes } = this.#world;
    network.faults = CALM;
    this.#links.end();
    this.#world.badOrigin = undefined;
    this.#clocks.end();
    this.#rooms.end();
    for (const node of nodes) {
      node.disk.isFull = false;
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
        for (const other of fault.others)
          this.#links.cut(this.#at(fault.node), this.#at(other), { isOneWay: fault.isOneWay });
        return true;
      case "split":
        for (const [index, group] of fault.groups.entries())
          for (const node of group)
            for (const other of fault.groups.slice(index + 1).flat()) this.#links.cut(this.#at(node), this.#at(other));
        return true;
      case "clog":
        this.#links.clog(this.#at(fault.node), fault);
        return true;
      case "cut off":
        return this.#links.cutOff(this.#at(fault.node), fault.forMs);
      case "heal links":
        this.#links.heal();
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
        return this.#clocks.step(this.#at(fault.node), fault);
      case "start by a wrong clock":
        return this.#startByWrongClock(fault);
      case "drift clock":
        return this.#clocks.drift(this.#at(fault.node), fault);
      case "back up disk":
        this.#at(fault.node).backUp();
        return true;
      case "roll back disk":
        return this.#isSettled() && this.#isWhole() && this.#at(fault.node).rollBack({ isSameBoot: true });
      case "lose disk":
        if (!this.#isSettled()) return false;
        this.#at(fault.node).wipe();
        this.#at(fault.node).start();
        return true;
      case "lose power":
        return this.#isSettled() && this.#isWhole() && this.#at(fault.node).losePower(fault.lostMs);
      case "leave":
        return this.#struck(fault)?.leave() ?? false;
      case "forget":
        return this.#forget(fault);
      case "forget by mistake":
        // The operator's node cannot know that a node runs which it does not hear.
        return (
          this.#isSettled() &&
          this.#isWhole() &&
          this.#world.forget([this.#at(fault.node).identity], this.#at(fault.by))
        );
      case "change room":
      case "delete room":
      case "make room":
      case "hold room":
      case "rename room":
      case "revoke":
        return this.#rooms.order(fault);
      case "full disk":
        return this.#fullDisk(fault);
      case "bad origin":
        this.#world.badOrigin = fault;
        this.#later(fault.forMs, () => {
          if (this.#world.badOrigin === fault) this.#world.badOrigin = undefined;
        });
        return true;
      case "throw at a commit":
        return this.#at(fault.node).throwAt(fault.place);
    }
  }

  /** The node that a fault strikes, if there is one. */
  #struck({ node: place, isHeir = false }: { readonly node: number; readonly isHeir?: boolean }): SimNode | undefined {
    if (!isHeir) return this.#at(place);
    const { nodes } = this.#world;
    const inOrder = [...nodes.slice(place), ...nodes.slice(0, place)];
    return inOrder.find(({ isRunning, peer, now }) => isRunning && (peer?.members.pot(now).length ?? 0) > 0);
  }

  #fullDisk({ node: place, forMs }: Extract<Fault, { what: "full disk" }>): boolean {
    const { disk } = this.#at(place);
    if (disk.isFull) return false;
    disk.isFull = true;
    this.#later(forMs, () => {
      disk.isFull = false;
    });
    return true;
  }

  /** Only of a node that runs nowhere, and never will again: what an operator promises. */
  #forget({ node: place, by, forMs }: Extract<Fault, { what: "forget" }>): boolean {
    if (!this.#isSettled()) return false;
    const node = this.#at(place);
    const { identity } = node;
    node.wipe("forgotten");
    // A script's order waits for other members that do not answer, an operator's does not.
    const isScript = forMs % 2 === 0;
    const give = () => this.#world.forget([identity], this.#at(by), isScript ? SCRIPT_MS : undefined);
    give();
    if (isScript) this.#later(AGAIN_MS, give);
    this.#later(forMs, () => node.start());
    return true;
  }

  #crash({ at, forMs, ...where }: Extract<Fault, { what: "crash" }>): boolean {
    const node = this.#struck(where);
    if (!node?.isRunning || this.#down() >= this.#downMax) return false;
    if (at === "now") node.crash();
    else if (at === "in order") node.stop();
    else node.crashAt = at;
    const { identity } = node;
    this.#later(forMs, () => {
      if (node.identity !== identity) return;
      this.#start(node);
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
   * A promise about clocks that agree: a process that starts with a wrong one, and hears no other node, cannot know. So
   * its clock is corrected first unless all others are there; and while a clock is wrong its node is not cut off.
   */
  #start(node: SimNode): void {
    const { network, nodes } = this.#world;
    const isAmongAll = nodes.every(
      (other) => other === node || (other.isRunning && network.isWhole(node.identity, other.identity)),
    );
    if (!isAmongAll) this.#clocks.setRight(node);
    node.start();
  }

  /** The same where all other members of its view, two at least, are there: who was removed from that has no say. */
  #startByWrongClock({ byMs, forMs, ...where }: Extract<Fault, { what: "start by a wrong clock" }>): boolean {
    const { network, nodes } = this.#world;
    const node = this.#struck(where);
    const members = node?.peer?.members.view?.members ?? [];
    const others = nodes.filter((other) => other !== node && members.some((member) => member.node === other.identity));
    const areThere = others.every(
      (other) => other.isRunning && node !== undefined && network.isWhole(node.identity, other.identity),
    );
    if (!node?.isRunning || !areThere || others.length < 2 || others.length < members.length - 1) return false;
    if (!this.#clocks.mayBeWrong(node)) return false;
    node.crash();
    this.#clocks.setWrong(node, byMs);
    node.start();
    this.#clocks.startedWrong(node);
    this.#later(forMs, () => this.#clocks.setRight(node));
    return true;
  }

  /**
   * Whether nothing is cut and no node has just started, nor was a moment ago: what a node said to nobody, no old disk
   * of it can be found out by.
   */
  #isWhole(): boolean {
    const { network, nodes, elapsedMs } = this.#world;
    const isWhole = nodes.every((one) => nodes.every((other) => network.isWhole(one.identity, other.identity)));
    const haveHeard = nodes.every(({ startedMs }) => elapsedMs - startedMs >= TOLD_MS);
    return isWhole && haveHeard && elapsedMs - this.#links.healedMs >= TOLD_MS;
  }

  /**
   * Whether all nodes run and are members of one view: if a majority lost their disks before they are replaced, the
   * mesh is lost.
   */
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
    return nodeAt(this.#world, place);
  }
}
