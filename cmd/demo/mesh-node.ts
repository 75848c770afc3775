/**
 * One node of the demo's mesh: a process of its own, and what it last said of itself.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeStatus } from "../../node/status.ts";
import { type Child, startChild, type Up } from "../child.ts";
import { Failure } from "../failure.ts";

export interface MeshNodeOptions {
  readonly origin: string;
  readonly listen: string;
  readonly data: string;
  readonly locality: string;
  readonly minuteMs: number;
  /** Path of the rooms file, for the first node. */
  readonly rooms?: string;
  /** The first node's address and mesh key, for the others. */
  readonly join?: { readonly address: string; readonly meshKey: string };
}

/**
 * Far shorter than a real lease, so that a run of two minutes shows what becomes of a dead node's share; longer than the pauses of
 * processes that share a few cores.
 */
const LEASE = "5s";

/** A node answers from memory; one that is silent for longer is busy, and asked again. */
const ANSWER_MAX_MS = 2_000;

export class MeshNode {
  readonly up: Up;
  readonly locality: string;
  readonly #child: Child;
  readonly #token: string;
  #isKilled = false;
  latest: NodeStatus | undefined;

  private constructor(child: Child, up: Up, { data, locality }: MeshNodeOptions) {
    this.#child = child;
    this.up = up;
    this.locality = locality;
    this.#token = readFileSync(join(data, "admin.token"), "utf8").trim();
  }

  /** Starts it and waits until it is up. Throws `Failure` when it ends instead; why, it has said on stderr. */
  static async start(options: MeshNodeOptions): Promise<MeshNode> {
    const { origin, listen, data, locality, minuteMs, rooms, join: joins } = options;
    const child = startChild([
      ...["serve", "--origin", origin, "--listen", listen, "--admin", "127.0.0.1:0", "--mesh", "127.0.0.1:0"],
      ...["--data", data, "--locality", locality, "--minute-ms", String(minuteMs), "--lease", LEASE, "--island", LEASE],
      ...["--max-connections", "4000", "--log-level", "error", "--log-format", "text"],
      ...(rooms === undefined ? [] : ["--rooms", rooms]),
      ...(joins === undefined ? [] : ["--join", joins.address, "--mesh-key", joins.meshKey]),
    ]);
    const up = await child.up;
    if (up === undefined) throw new Failure("Cannot run the demo as one of its nodes did not start");
    return new MeshNode(child, up, options);
  }

  get isRunning(): boolean {
    return !this.#isKilled;
  }

  /** Asks it for its status; a node that does not answer keeps the one before. */
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
      // Busy or gone: the demo goes on with what it knows of it.
    }
  }

  /** Ends the process as a crash would. */
  killNow(): void {
    this.#isKilled = true;
    this.#child.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.exited;
  }
}
