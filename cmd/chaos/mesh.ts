/**
 * The nodes of a run: processes on loopback that reach each other only through the run's network.
 */

import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeStatus } from "../../node/operator/status/status.ts";
import type { MeshNodeOptions } from "../crowd/mesh-node.ts";
import { Failure } from "../failure.ts";
import { type Network, nominalAddress } from "./network.ts";
import { ChaosNode } from "./node.ts";
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
  readonly room: object;
}

/** Longest wait for all nodes to know each other at the start; some seconds even on a busy host. */
const TOGETHER_MAX_MS = 60_000;

/** Between two looks at the nodes while they start. */
const LOOK_MS = 200;

/** The nodes, none of them started. */
export function nodesOf(parts: MeshParts): readonly ChaosNode[] {
  const { folder, network, origin, nodes, localities, minuteMs, leaseMs, room } = parts;
  const rooms = join(folder, "rooms.json");
  writeFileSync(rooms, JSON.stringify({ rooms: [room] }));
  const numbers = Array.from({ length: nodes }, (_, at) => at + 1);
  return numbers.map((number) => {
    const first: MeshNodeOptions = {
      ...{ origin, minuteMs, leaseMs },
      listen: "127.0.0.1:0",
      data: join(folder, `node-${number}`),
      log: join(folder, `node-${number}.log`),
      name: `node-${number}`,
      locality: localities[(number - 1) % localities.length] ?? "default",
      flags: [...network.flagsOf(number), "--drain-timeout", "2s"],
    };
    const others = numbers.filter((other) => other !== number).map(nominalAddress);
    const later = { ...first, ...(nodes > 1 && { join: { addresses: others, meshKey: keyIn(folder) } }) };
    return new ChaosNode({ number, network, first: number === 1 ? { ...first, rooms } : later, later });
  });
}

/** Starts all: the first creates the mesh, the others join it. Throws `Failure`. */
export async function startAll(nodes: readonly ChaosNode[], folder: string): Promise<void> {
  const [founder, ...others] = nodes;
  await founder?.start();
  // The first node may lose its own copy.
  copyFileSync(join(folder, "node-1", "mesh.key"), keyIn(folder));
  const failed = (await Promise.allSettled(others.map((node) => node.start()))).find(
    ({ status }) => status === "rejected",
  );
  if (failed?.status === "rejected") throw failed.reason;
  const endMs = performance.now() + TOGETHER_MAX_MS;
  while (!areTogether(nodes)) {
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
export function areTogether(nodes: readonly ChaosNode[]): boolean {
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
