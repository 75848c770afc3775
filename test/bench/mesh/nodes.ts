/**
 * Nodes of the binary, gate and all: each a process of its own with a new data directory, on addresses that the system
 * chooses.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Up } from "../../../cmd/child.ts";
import type { NodeStatus } from "../../../node/operator/status/status.ts";
import { type Core, type Server, toldBy, until } from "../programs.ts";

/** Where a measurement finds what it needs. */
export interface Place {
  readonly binary: string;
  /** For files of the measurement; not there yet. */
  readonly folder: string;
  readonly originPort: number;
}

export interface MeshNode {
  readonly server: Server;
  readonly up: Up;
  /** Path of the mesh key. */
  readonly meshKey: string;
  readonly status: () => Promise<NodeStatus>;
}

export interface StartOptions extends Place {
  readonly core: Core;
  /** Rooms of the node that founds the mesh; each on the path of its name, and as good as unlimited. */
  readonly rooms: readonly string[];
  /** A node of the mesh to join. */
  readonly seed?: MeshNode | undefined;
}

const TOKEN = "bench";

/** Nothing that is measured stops for a full room. */
const LIMIT_MAX = 10_000_000;

/** Looks at a mesh that comes together; each is a request to each node. */
const LOOK_MS = 300;

/** Starts a node and waits until it listens. */
export async function startNode(options: StartOptions): Promise<MeshNode> {
  const { binary, folder, originPort, core, rooms, seed } = options;
  mkdirSync(folder);
  const roomsFile = join(folder, "rooms.json");
  const documents = rooms.map((name) => ({ ...OPEN_ROOM, name, path: `/${name}` }));
  writeFileSync(roomsFile, JSON.stringify({ rooms: documents }));
  const addresses = ["--listen", "--admin", "--mesh"].flatMap((flag) => [flag, "127.0.0.1:0"]);
  const data = join(folder, "data");
  const command = [
    ...[binary, "serve", "--origin", `http://127.0.0.1:${originPort}`, ...addresses, "--data", data],
    ...["--token", TOKEN, "--max-connections", "1000", "--log-level", "error"],
    ...(seed === undefined ? ["--rooms", roomsFile] : ["--join", seed.up.mesh, "--mesh-key", seed.meshKey]),
  ];
  const [server, up] = await toldBy<Up>(command, core);
  return {
    server,
    up,
    meshKey: join(data, "mesh.key"),
    status: async () => {
      const headers = { Authorization: `Bearer ${TOKEN}` };
      return (await (await fetch(`http://${up.admin}/v1/status`, { headers })).json()) as NodeStatus;
    },
  };
}

const OPEN_ROOM = {
  host: "*",
  total_active_users: LIMIT_MAX,
  new_users_per_minute: LIMIT_MAX,
  session_duration: 5,
  json_response_enabled: true,
};

/** Whether a node's status lists `nodes` members, all of which answer it, and all rooms. */
function isWhole({ view, members, rooms: known }: NodeStatus, nodes: number, rooms: readonly string[]): boolean {
  const alive = members.filter(({ state }) => state === "alive").length;
  return view?.members === nodes && alive === nodes && known.length === rooms.length;
}

/** Waits until all `nodes` are whole. */
export async function untilTogether(nodes: readonly MeshNode[], rooms: readonly string[]): Promise<void> {
  const areTogether = async (): Promise<boolean> => {
    const statuses = await Promise.all(nodes.map((node) => node.status()));
    return statuses.every((status) => isWhole(status, nodes.length, rooms));
  };
  await until(`a mesh of ${nodes.length}`, areTogether, LOOK_MS);
}
