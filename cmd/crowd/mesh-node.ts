/**
 * One node of a mesh on this host: its own process, and its last report.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeStatus } from "../../node/operator/status/status.ts";
import { type Child, startChild, type Up } from "../child.ts";
import { Failure } from "../failure.ts";

export interface MeshNodeOptions {
  readonly origin: string;
  readonly listen: string;
  readonly data: string;
  readonly locality: string;
  readonly name: string;
  readonly minuteMs: number;
  /** Path of the rooms file, for the first node. */
  readonly rooms?: string;
  readonly leaseMs: number;
  /** Addresses to join by, and the mesh key; absent for the node that creates the mesh. */
  readonly join?: { readonly addresses: readonly string[]; readonly meshKey: string };
  /** File for its log, from `info` on; without one only errors are logged, on our stderr. */
  readonly log?: string;
  /** Further flags of `serve`. */
  readonly flags?: readonly string[];
}

/** A node answers from memory; one that is silent for longer is busy, and is asked again. */
const ANSWER_MAX_MS = 2_000;

export class MeshNode {
  readonly locality: string;
  readonly name: string;
  readonly #child: Child;
  readonly #firstUp: Up;
  readonly #token: string;
  #isKilled = false;
  latest: NodeStatus | undefined;

  private constructor(child: Child, up: Up, { data, locality, name }: MeshNodeOptions) {
    this.#child = child;
    this.#firstUp = up;
    this.locality = locality;
    this.name = name;
    this.#token = readFileSync(join(data, "admin.token"), "utf8").trim();
  }

  /** Starts it and waits until it is up. Throws `Failure` when it ends instead; the reason is on stderr. */
  static async start(options: MeshNodeOptions): Promise<MeshNode> {
    const { origin, listen, data, locality, name, minuteMs, leaseMs, rooms, join: joins, log, flags = [] } = options;
    const args = [
      ...["serve", "--origin", origin, "--listen", listen, "--admin", "127.0.0.1:0", "--mesh", "127.0.0.1:0"],
      ...["--data", data, "--locality", locality, "--name", name, "--minute-ms", String(minuteMs)],
      ...["--lease", `${leaseMs}ms`],
      ...["--max-connections", "4000", "--log-level", log === undefined ? "error" : "info", "--log-format", "text"],
      ...(rooms === undefined ? [] : ["--rooms", rooms]),
      ...(joins === undefined ? [] : ["--join", joins.addresses.join(), "--mesh-key", joins.meshKey]),
      ...flags,
    ];
    const child = startChild(args, { log });
    const up = await child.up;
    if (up === undefined) throw new Failure("Cannot continue as a node did not start");
    return new MeshNode(child, up, options);
  }

  /** Its identity and addresses; it may continue as another node, at other addresses. */
  get up(): Up {
    return this.#child.latest ?? this.#firstUp;
  }

  get isRunning(): boolean {
    return !this.#isKilled;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Requests its status; a node that does not answer keeps the one before. */
  async look(): Promise<void> {
    if (this.#isKilled) return;
    try {
      const response = await fetch(`http://${this.up.admin}/v1/status`, {
        headers: { authorization: `Bearer ${this.#token}` },
        proxy: false,
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
      });
      this.latest = (await response.json()) as NodeStatus;
    } catch {
      // Busy or gone: the run continues with what it knows about it.
    }
  }

  /** Ends the process as a crash would. */
  killNow(): void {
    this.#isKilled = true;
    this.#child.kill("SIGKILL");
  }

  /** Freezes the process, as a hung host would, or lets it continue. */
  freeze(isFrozen: boolean): void {
    this.#child.kill(isFrozen ? "SIGSTOP" : "SIGCONT");
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.exited;
  }
}
