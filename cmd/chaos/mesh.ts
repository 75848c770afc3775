/**
 * The nodes of a run of chaos or the demo: processes on loopback that reach each other only through the run's network.
 */

import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeStatus } from "../../node/operator/status/status.ts";
import { Failure } from "../failure.ts";
import { type Network, nominalAddress } from "./network.ts";
import { MeshNode } from "./node.ts";
import { roomOf } from "./shares.ts";

export interface MeshParts {
  /** Directory for data, logs and keys. */
  readonly folder: string;
  readonly network: Network;
  readonly origin: string;
  readonly nodes: number;
  readonly localities: readonly string[];
  readonly minuteMs: number;
  readonly leaseMs: number;
  /** Document of the one room. */
  readonly room: RoomDocument;
  /** Address of the first node's gate; the others take any port. */
  readonly listen?: string;
  /** What nodes are called, before their number. */
  readonly called: string;
  /** Whether each logs to a file in `folder`; errors go to our stderr otherwise. */
  readonly logs: boolean;
}

export interface RoomParts {
  readonly limit: number;
  readonly perMinute: number;
  readonly minuteMs: number;
  /** Length of a session, in minutes of the run. */
  readonly sessionMinutes: number;
}

/** The waiting page may wear a brand. */
export type RoomDocument = ReturnType<typeof roomDocument> & { readonly page?: Readonly<Record<string, string>> };

/** Refresh interval of a real room, scaled to the shortened minute. */
const REFRESH_SECONDS = 20;

/** Longest wait for all nodes to know each other at the start: far above what a host takes that has a tenth of a core. */
const TOGETHER_MAX_MS = 5 * 60_000;

/** Between two looks at the nodes while they start. */
const LOOK_MS = 200;

/** Document of a run's one room. */
export function roomDocument({ limit, perMinute, minuteMs, sessionMinutes }: RoomParts) {
  return {
    name: "shop",
    host: "*",
    total_active_users: limit,
    new_users_per_minute: perMinute,
    session_duration: sessionMinutes,
    refresh_interval_seconds: refreshSecondsOf(minuteMs),
    json_response_enabled: true,
  };
}

/** How often its visitors in line ask again. */
export function refreshSecondsOf(minuteMs: number): number {
  return Math.max(1, Math.round((REFRESH_SECONDS * minuteMs) / 60_000));
}

/** The nodes, none of them started. */
export function nodesOf(parts: MeshParts): readonly MeshNode[] {
  const { folder, network, origin, localities, minuteMs, leaseMs, room, listen = LOOPBACK, called, logs } = parts;
  const rooms = join(folder, "rooms.json");
  writeFileSync(rooms, JSON.stringify({ rooms: [room] }));
  const numbers = Array.from({ length: parts.nodes }, (_, at) => at + 1);
  return numbers.map((number) => {
    const isFirst = number === 1;
    const [name, data] = [`${called}-${number}`, join(folder, `node-${number}`)];
    const locality = localities[(number - 1) % localities.length] ?? "default";
    const common = [
      ...["serve", "--origin", origin, "--listen", isFirst ? listen : LOOPBACK, "--admin", LOOPBACK],
      ...["--mesh", LOOPBACK, "--data", data, "--locality", locality, "--name", name],
      ...["--minute-ms", String(minuteMs), "--lease", `${leaseMs}ms`, "--drain-timeout", "2s"],
      ...["--max-connections", "4000", "--log-level", logs ? "info" : "error", "--log-format", "text"],
      ...network.flagsOf(number),
    ];
    const others = numbers.filter((other) => other !== number).map(nominalAddress);
    const later = [...common, ...(others.length > 0 ? ["--join", others.join(), "--mesh-key", keyIn(folder)] : [])];
    return new MeshNode({
      number,
      name,
      locality,
      data,
      network,
      later,
      first: isFirst ? [...common, "--rooms", rooms] : later,
      log: logs ? join(folder, `node-${number}.log`) : undefined,
    });
  });
}

const LOOPBACK = "127.0.0.1:0";

export interface Starting {
  /** Directory of the nodes. */
  readonly folder: string;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** Starts all: the first creates the mesh, the others join it. Throws `Failure`, also when it is ended early. */
export async function startAll(nodes: readonly MeshNode[], starting: Starting): Promise<void> {
  try {
    await formMesh(nodes, starting);
  } catch (error) {
    if (!starting.signal.aborted) throw error;
    // Ctrl-C reaches the nodes as well: that one of them did not start is its doing.
    throw new Failure("The run was ended before the nodes were one mesh", { cause: error });
  }
}

async function formMesh(nodes: readonly MeshNode[], { folder, signal }: Starting): Promise<void> {
  const [founder, ...others] = nodes;
  await founder?.start();
  signal.throwIfAborted();
  // The first node may lose its own copy.
  copyFileSync(join(folder, "node-1", "mesh.key"), keyIn(folder));
  const failed = (await Promise.allSettled(others.map((node) => node.start()))).find(
    ({ status }) => status === "rejected",
  );
  if (failed?.status === "rejected") throw failed.reason;
  const endMs = performance.now() + TOGETHER_MAX_MS;
  for (;;) {
    signal.throwIfAborted();
    if (areTogether(nodes)) return;
    if (performance.now() > endMs) {
      throw new Failure(`Cannot continue as the nodes did not form one mesh within ${TOGETHER_MAX_MS / 1_000} s`, {
        hint: "run fewer of them with --nodes, or on a host that is less busy",
      });
    }
    await Bun.sleep(LOOK_MS);
    await Promise.all(nodes.map((node) => node.look()));
  }
}

/** Path of the mesh key that all nodes get. */
export function keyIn(folder: string): string {
  return join(folder, "mesh.key");
}

/** Whether all run, know the room, have a lease, and have the same view: of all of them and no other node. */
export function areTogether(nodes: readonly MeshNode[]): boolean {
  const statuses = nodes.flatMap(({ isReady, latest }) => (isReady && latest !== undefined ? [latest] : []));
  return statuses.length === nodes.length && statuses.every((status) => isAtOne(status, statuses));
}

function isAtOne(status: NodeStatus, statuses: readonly NodeStatus[]): boolean {
  const { view, lease, members } = status;
  return (
    roomOf(status) !== undefined &&
    lease === "held" &&
    view?.members === statuses.length &&
    statuses.every((other) => other.view?.number === view.number) &&
    members.filter(({ state }) => state === "alive").length === statuses.length
  );
}
