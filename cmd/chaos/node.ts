/**
 * One node of a run, through all states of its process: killed, frozen, wiped, started again.
 *
 * Faults may overlap. A node is started again when the last of those that took it down is over, and thawed in the same
 * way.
 */

import { rmSync } from "node:fs";
import { readAddress } from "../../node/config/readers.ts";
import type { NodeStatus } from "../../node/operator/status/status.ts";
import type { Gate } from "../crowd/browser.ts";
import { MeshNode, type MeshNodeOptions } from "../crowd/mesh-node.ts";
import type { Network } from "./network.ts";

export interface ChaosNodeParts {
  readonly number: number;
  readonly network: Network;
  /** Flags of its first start, and of all later ones. */
  readonly first: MeshNodeOptions;
  readonly later: MeshNodeOptions;
}

/** A gate that has not answered within this time is taken out of rotation. */
const READY_MAX_MS = 1_000;

/** Longest time that a stop in good order may take; after it the process is killed. */
const STOP_MAX_MS = 8_000;

export class ChaosNode implements Gate {
  readonly number: number;
  readonly #parts: ChaosNodeParts;
  #node: MeshNode | undefined;
  #starting: Promise<void> | undefined;
  #starts = 0;
  #downs = 0;
  #freezes = 0;
  /** Whether its gate accepts visitors, as a load balancer's health check sees it. */
  isReady = false;

  constructor(parts: ChaosNodeParts) {
    this.#parts = parts;
    this.number = parts.number;
  }

  /** Its last report, while it runs. */
  get latest(): NodeStatus | undefined {
    return this.#node?.latest;
  }

  /** Base URL of the gate; undefined while it is down. */
  get gate(): string | undefined {
    return this.#node && `http://${this.#node.up.gate}`;
  }

  /** Of the process that runs; undefined while it is down. */
  get pid(): number | undefined {
    return this.#node?.pid;
  }

  get locality(): string {
    return this.#parts.first.locality;
  }

  get isRunning(): boolean {
    return this.#node !== undefined && this.#freezes === 0;
  }

  /** Starts it; done when it is up. Throws `Failure`. */
  async start(): Promise<void> {
    this.#starting = this.#start();
    await this.#starting;
  }

  /** kill -9; it stays down until `rise`. */
  async kill(): Promise<void> {
    await this.#fall();
    this.#gone()?.killNow();
  }

  /** kill -9, and nothing is left on its disk. */
  async wipe(): Promise<void> {
    await this.#fall();
    const node = this.#gone();
    node?.killNow();
    await node?.stop();
    rmSync(this.#parts.first.data, { recursive: true, force: true });
  }

  /** SIGTERM; done when the process has ended. */
  async stop(): Promise<void> {
    await this.#fall();
    const node = this.#gone();
    // A frozen process would receive it only when thawed.
    node?.freeze(false);
    await node?.stop();
  }

  /** The end of the fault that took it down: starts it, unless another fault keeps it down. */
  async rise(): Promise<void> {
    this.#downs -= 1;
    if (this.#downs === 0) await this.start();
  }

  /** SIGSTOP, or the end of it. */
  freeze(isFrozen: boolean): void {
    this.#freezes += isFrozen ? 1 : -1;
    this.#node?.freeze(this.#freezes > 0);
    if (isFrozen) this.isReady = false;
  }

  /** Asks the process for its readiness. */
  async look(): Promise<void> {
    const node = this.#node;
    if (node === undefined || this.#freezes > 0) return;
    this.#locate(node);
    const [isReady] = await Promise.all([isReadyAt(node.up.admin), node.look()]);
    this.isReady = isReady && node === this.#node && this.#freezes === 0;
  }

  /** Ends the process for good. */
  async end(): Promise<void> {
    this.#downs += 1;
    await this.#starting?.catch(() => undefined);
    const node = this.#gone();
    if (node === undefined) return;
    node.freeze(false);
    const late = setTimeout(() => node.killNow(), STOP_MAX_MS);
    await node.stop();
    clearTimeout(late);
  }

  async #start(): Promise<void> {
    const { first, later } = this.#parts;
    this.#starts += 1;
    const node = await MeshNode.start(this.#starts === 1 ? first : later);
    this.#node = node;
    this.#locate(node);
  }

  /** A node that was removed continues as a new one, at other ports. */
  #locate({ up }: MeshNode): void {
    const address = readAddress(up.mesh);
    this.#parts.network.at(this.number, "value" in address ? address.value.port : undefined);
  }

  async #fall(): Promise<void> {
    this.#downs += 1;
    await this.#starting?.catch(() => undefined);
  }

  /** Takes it out of rotation and off the network; returns its last state. */
  #gone(): MeshNode | undefined {
    const node = this.#node;
    this.#node = undefined;
    this.isReady = false;
    this.#parts.network.at(this.number, undefined);
    return node;
  }
}

async function isReadyAt(admin: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${admin}/readyz`, { proxy: false, signal: AbortSignal.timeout(READY_MAX_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // Silent or gone: keeps visitors away until it answers.
    return false;
  }
}
