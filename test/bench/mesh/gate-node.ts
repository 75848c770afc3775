/**
 * A node of the binary, gate and all, as a process of its own with a new data directory.
 */

import { join } from "node:path";
import type { NodeId } from "../../../mesh/core/ids.ts";
import type { NodeStatus } from "../../../node/status.ts";
import { type Core, Server } from "../programs.ts";

export interface GateNodeOptions {
  readonly binary: string;
  /** Where its data directory is made. */
  readonly folder: string;
  readonly name: string;
  readonly originPort: number;
  /** Path of a rooms file, for the node that founds the mesh. */
  readonly rooms?: string;
  /** A node of the mesh to join. */
  readonly join?: GateNode;
  readonly minuteMs: number;
  readonly core: Core;
}

/** What it says when it listens (cmd/child.ts). */
interface Up {
  readonly told: string;
  readonly node: NodeId;
  readonly gate: string;
  readonly admin: string;
  readonly mesh: string;
}

const TOKEN = "bench";

export class GateNode {
  readonly server: Server;
  readonly meshKey: string;
  #up: Up | undefined;
  readonly #isUp = Promise.withResolvers<Up>();

  /** Starts the process; `up` is settled when it listens. */
  constructor(options: GateNodeOptions) {
    const { binary, folder, name, originPort, rooms, join: seed, minuteMs, core } = options;
    const data = join(folder, name);
    this.meshKey = join(data, "mesh.key");
    const addresses = ["--listen", "--admin", "--mesh"].flatMap((flag) => [flag, "127.0.0.1:0"]);
    const command = [
      ...[binary, "serve", "--origin", `http://127.0.0.1:${originPort}`, ...addresses, "--data", data],
      ...["--token", TOKEN, "--minute-ms", String(minuteMs), "--max-connections", "1000"],
      ...["--log-level", "error", "--log-format", "text"],
      ...(rooms === undefined ? [] : ["--rooms", rooms]),
      ...(seed === undefined ? [] : ["--join", seed.#must().mesh, "--mesh-key", seed.meshKey]),
    ];
    this.server = new Server(command, core, (message) => {
      this.#up = message as Up;
      this.#isUp.resolve(this.#up);
    });
    void this.server.exited.then((code) =>
      this.#isUp.reject(new Error(`Cannot measure as node ${name} ended with ${code} before it was up`)),
    );
  }

  /** Settled when it listens. */
  get up(): Promise<Up> {
    return this.#isUp.promise;
  }

  get meshAddress(): string {
    return this.#must().mesh;
  }

  /** URL of a page in a room. */
  url(room: string): string {
    return `http://${this.#must().gate}/${room}/`;
  }

  async status(): Promise<NodeStatus> {
    const answer = await fetch(`http://${this.#must().admin}/v1/status`, {
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    return (await answer.json()) as NodeStatus;
  }

  #must(): Up {
    if (this.#up === undefined) throw new Error("Cannot ask a node before it is up");
    return this.#up;
  }
}
