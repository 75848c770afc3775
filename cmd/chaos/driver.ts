/**
 * Performs a plan on the nodes of a run, and knows which nodes are in trouble.
 */

import { pause } from "../crowd/clock.ts";
import type { Network } from "./network.ts";
import type { MeshNode } from "./node.ts";
import { type Fault, faultText } from "./plan.ts";

export interface DriverParts {
  readonly plan: readonly Fault[];
  readonly nodes: readonly MeshNode[];
  readonly network: Network;
  /** Reports to people what happens. */
  readonly say: (text: string) => void;
  /** Nodes are about to be killed. */
  readonly killing: (nodes: readonly MeshNode[]) => void;
  readonly signal: AbortSignal;
}

export class Driver {
  readonly #parts: DriverParts;
  /** Nodes in trouble, once for each reason. */
  readonly #troubles = new Set<readonly number[]>();
  /** When the last fault ended, by `performance.now()`. */
  endedMs = performance.now();

  constructor(parts: DriverParts) {
    this.#parts = parts;
  }

  /** Performs the whole plan. Throws `Failure` when a node does not start again. */
  async run(): Promise<void> {
    const { plan, signal } = this.#parts;
    const startMs = performance.now();
    await Promise.all(
      plan.map(async (fault) => {
        await pause(startMs + fault.atMs - performance.now(), signal);
        if (!signal.aborted) await this.#perform(fault);
      }),
    );
  }

  /** Whether a fault is active. */
  get isBusy(): boolean {
    return this.#troubles.size > 0;
  }

  /** Whether node `number` suffers something that it need not survive meanwhile. */
  isInTrouble(number: number): boolean {
    return this.#troubles.values().some((numbers) => numbers.includes(number));
  }

  async #perform(fault: Fault): Promise<void> {
    const { nodes } = this.#parts;
    const struck = nodes.filter(({ number }) => fault.nodes.includes(number));
    this.#parts.say(faultText(fault));
    // In a rolling restart one node is in trouble at a time.
    const rounds = fault.what === "restart" ? struck.map((node) => [node]) : [struck];
    for (const round of rounds) {
      const numbers = round.map(({ number }) => number);
      this.#troubles.add(numbers);
      await this.#act(fault, round);
      this.#troubles.delete(numbers);
      this.endedMs = performance.now();
    }
  }

  async #act(fault: Fault, struck: readonly MeshNode[]): Promise<void> {
    const { network, signal } = this.#parts;
    const last = (): Promise<void> => pause(fault.forMs, signal);
    if (signal.aborted) return;
    switch (fault.what) {
      case "kill":
      case "wipe":
      case "restart":
        if (fault.what !== "restart") this.#parts.killing(struck);
        await Promise.all(struck.map((node) => TAKE_DOWN[fault.what as keyof typeof TAKE_DOWN](node)));
        await last();
        if (!signal.aborted) await Promise.all(struck.map((node) => node.rise()));
        return;
      case "pause":
        for (const node of struck) node.freeze(true);
        await last();
        for (const node of struck) node.freeze(false);
        return;
      default:
        network.strike(fault);
        await last();
        network.mend(fault);
    }
  }
}

const TAKE_DOWN = {
  kill: (node: MeshNode) => node.kill(),
  wipe: (node: MeshNode) => node.wipe(),
  restart: (node: MeshNode) => node.stop(),
} as const;
