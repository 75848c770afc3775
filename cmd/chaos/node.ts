/**
 * One node of a mesh on this host, through all states of its process: killed, frozen, wiped, started again.
 *
 * Faults may overlap. A node is started again when the last of those that took it down is over, and thawed in the same
 * way.
 */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readAddress } from "../../node/config/readers.ts";
import type { NodeStatus } from "../../node/operator/status/status.ts";
import { type Child, startChild, type Up } from "../child.ts";
import type { Gate } from "../crowd/browser.ts";
import { Failure } from "../failure.ts";
import type { Network } from "./network.ts";

export interface MeshNodeParts {
  readonly number: number;
  readonly name: string;
  readonly locality: string;
  readonly data: string;
  readonly network: Network;
  /** Arguments of its first start, and of all later ones. */
  readonly first: readonly string[];
  readonly later: readonly string[];
  /** File for its log; without one it goes to our stderr. */
  readonly log: string | undefined;
}

/** A node that has not answered within this time is taken out of rotation, and asked again. */
const ANSWER_MAX_MS = 1_000;

/** Longest time that a stop in good order may take; after it the process is killed. */
const STOP_MAX_MS = 8_000;

interface Running {
  readonly child: Child;
  readonly token: string;
}

export class MeshNode implements Gate {
  readonly #parts: MeshNodeParts;
  #running: Running | undefined;
  #starting: Promise<void> | undefined;
  #starts = 0;
  #downs = 0;
  #freezes = 0;
  /** Whether its gate accepts visitors, as a load balancer's health check sees it. */
  isReady = false;
  /** Its last report, while it runs. */
  latest: NodeStatus | undefined;

  constructor(parts: MeshNodeParts) {
    this.#parts = parts;
  }

  get number(): number {
    return this.#parts.number;
  }

  get name(): string {
    return this.#parts.name;
  }

  get locality(): string {
    return this.#parts.locality;
  }

  /** Base URL of the gate; undefined while it is down. */
  get gate(): string | undefined {
    return this.#up && `http://${this.#up.gate}`;
  }

  /** Of the process that runs; undefined while it is down. */
  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  get isRunning(): boolean {
    return this.#running !== undefined && this.#freezes === 0;
  }

  /** Starts it; done when it is up. Throws `Failure`. */
  async start(): Promise<void> {
    this.#starting = this.#start();
    await this.#starting;
  }

  /** kill -9; it stays down until `rise`. */
  async kill(): Promise<void> {
    await this.#fall();
    this.#gone()?.kill("SIGKILL");
  }

  /** kill -9, and nothing is left on its disk. */
  async wipe(): Promise<void> {
    await this.#fall();
    const child = this.#gone();
    child?.kill("SIGKILL");
    await child?.exited;
    rmSync(this.#parts.data, { recursive: true, force: true });
  }

  /** SIGTERM; done when the process has ended. */
  async stop(): Promise<void> {
    await this.#fall();
    await this.#end(this.#gone());
  }

  /** The end of the fault that took it down: starts it, unless another fault keeps it down. */
  async rise(): Promise<void> {
    this.#downs -= 1;
    if (this.#downs === 0) await this.start();
  }

  /** SIGSTOP, or the end of it. */
  freeze(isFrozen: boolean): void {
    this.#freezes += isFrozen ? 1 : -1;
    this.#running?.child.kill(this.#freezes > 0 ? "SIGSTOP" : "SIGCONT");
    if (isFrozen) this.isReady = false;
  }

  /** Asks the process for its readiness and its status; one that does not answer keeps the status before. */
  async look(): Promise<void> {
    const running = this.#running;
    if (running === undefined || this.#freezes > 0) return;
    this.#locate();
    const [ready, status] = await Promise.all([ask(running, "/readyz"), ask(running, "/v1/status")]);
    if (running !== this.#running) return;
    this.isReady = ready !== undefined && this.#freezes === 0;
    if (status !== undefined) this.latest = JSON.parse(status) as NodeStatus;
  }

  /** Ends the process for good. */
  async end(): Promise<void> {
    await this.#fall();
    const child = this.#gone();
    const late = setTimeout(() => child?.kill("SIGKILL"), STOP_MAX_MS);
    await this.#end(child);
    clearTimeout(late);
  }

  /** Its addresses; it may continue as another node, at others. */
  get #up(): Up | undefined {
    return this.#running?.child.latest;
  }

  async #start(): Promise<void> {
    const { first, later, data, log } = this.#parts;
    this.#starts += 1;
    const child = startChild(this.#starts === 1 ? first : later, { log });
    if ((await child.up) === undefined) throw new Failure("Cannot continue as a node did not start");
    const token = readFileSync(join(data, "admin.token"), "utf8").trim();
    this.#running = { child, token };
    this.#locate();
  }

  /** A node that was removed continues as a new one, at other ports. */
  #locate(): void {
    const address = readAddress(this.#up?.mesh ?? "");
    this.#parts.network.at(this.number, "value" in address ? address.value.port : undefined);
  }

  async #fall(): Promise<void> {
    this.#downs += 1;
    await this.#starting?.catch(() => undefined);
  }

  /** Takes it out of rotation and off the network; returns its process. */
  #gone(): Child | undefined {
    const child = this.#running?.child;
    this.#running = undefined;
    this.latest = undefined;
    this.isReady = false;
    this.#parts.network.at(this.number, undefined);
    return child;
  }

  async #end(child: Child | undefined): Promise<void> {
    // A frozen process would receive the signal only when thawed.
    child?.kill("SIGCONT");
    child?.kill("SIGTERM");
    await child?.exited;
  }
}

/** The text of a good answer of the admin address. */
async function ask({ child, token }: Running, path: string): Promise<string | undefined> {
  try {
    const response = await fetch(`http://${child.latest?.admin}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      proxy: false,
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    });
    const text = await response.text();
    return response.ok ? text : undefined;
  } catch {
    // Silent or gone: keeps visitors away until it answers.
    return undefined;
  }
}
