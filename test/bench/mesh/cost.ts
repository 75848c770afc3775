/**
 * What a mesh costs by being there: bytes and CPU time per node and second, at rest and with new visitors.
 */

import { NAVIGATION } from "../visitors.ts";
import { type GateMesh, type Joined, ROOMS, startGateMesh } from "./gate-mesh.ts";
import type { Place } from "./pair.ts";
import { type Sent, sentBetween, sentOver } from "./wire.ts";

/** Per node and second. */
export interface Rates {
  /** Over the connections between nodes, sent; undefined where the system does not tell. */
  readonly wireBytes: number | undefined;
  /** Of frames, as packed, sent: what is published counts once, whoever passes it on. */
  readonly frameBytes: number;
  /** Part of a core, mean and most of all nodes. */
  readonly core: number;
  readonly coreMax: number;
}

export interface Cost {
  readonly nodes: number;
  readonly joined: readonly Joined[];
  readonly idle: Rates;
  readonly loaded: Rates;
}

/** New visitors a second, over all nodes. */
export const VISITORS_PER_SECOND = 50;

export interface CostLengths {
  readonly nodes: number;
  readonly settleSeconds: number;
  readonly seconds: number;
}

/** Starts a mesh and measures it at rest and under load. */
export async function measureCost(place: Place, { nodes, settleSeconds, seconds }: CostLengths): Promise<Cost> {
  const mesh = await startGateMesh(place, nodes);
  try {
    await Bun.sleep(settleSeconds * 1_000);
    const idle = await ratesOf(mesh, () => Bun.sleep(seconds * 1_000));
    // The first visitors wake what has never run yet.
    await visit(mesh, 1);
    const loaded = await ratesOf(mesh, () => visit(mesh, seconds));
    return { nodes, joined: mesh.joined, idle, loaded };
  } finally {
    await mesh.stop();
  }
}

async function ratesOf({ nodes }: GateMesh, act: () => Promise<void>): Promise<Rates> {
  const ports = new Set(nodes.map(({ meshAddress }) => Number(meshAddress.slice(meshAddress.lastIndexOf(":") + 1))));
  const framesBefore = await frameBytes({ nodes });
  const sentBefore = sentOver(ports);
  const cpuBefore = nodes.map(({ server }) => server.cpuMs());
  const startedMs = performance.now();
  await act();
  const tookMs = performance.now() - startedMs;
  const cores = nodes.map(({ server }, at) => (server.cpuMs() - (cpuBefore[at] ?? 0)) / tookMs);
  const sentAfter = sentOver(ports);
  const framesAfter = await frameBytes({ nodes });
  const perNodeAndSecond = (amount: number): number => (amount * 1_000) / tookMs / nodes.length;
  return {
    wireBytes: sentBefore && sentAfter && perNodeAndSecond(sentBetween(sentBefore, sentAfter as Sent)),
    frameBytes: perNodeAndSecond(framesAfter - framesBefore),
    core: cores.reduce((sum, core) => sum + core, 0) / nodes.length,
    coreMax: Math.max(...cores),
  };
}

/** Sent so far by all nodes. Throws when one of them does not hear from all others: what it costs would say nothing. */
async function frameBytes({ nodes }: Pick<GateMesh, "nodes">): Promise<number> {
  const statuses = await Promise.all(nodes.map((node) => node.status()));
  for (const { members, node } of statuses) {
    const silent = members.filter(({ state }) => state !== "alive").length;
    if (silent > 0) throw new Error(`Cannot measure as all nodes must answer: ${silent} do not, to ${node}`);
  }
  return statuses.reduce((sum, { gossip }) => sum + (gossip?.bytes_sent ?? 0), 0);
}

/** New visitors at an even pace, to one node after the other. */
async function visit({ nodes }: GateMesh, seconds: number): Promise<void> {
  const headers = NAVIGATION.map((field) => field.split(": ", 2) as [string, string]);
  const [room] = ROOMS;
  const visits: Promise<number>[] = [];
  const startedMs = performance.now();
  for (let visitor = 0; visitor < seconds * VISITORS_PER_SECOND; visitor++) {
    const dueMs = startedMs + (visitor * 1_000) / VISITORS_PER_SECOND;
    const earlyMs = dueMs - performance.now();
    if (earlyMs > 0) await Bun.sleep(earlyMs);
    const url = nodes[visitor % nodes.length]?.url(room) ?? "";
    visits.push(statusOf(url, headers));
  }
  const bad = (await Promise.all(visits)).filter((status) => status !== 200);
  if (bad.length > 0) throw new Error(`Cannot measure as every visitor must get in: ${bad.length} got ${bad[0]}`);
}

async function statusOf(url: string, headers: [string, string][]): Promise<number> {
  const answer = await fetch(url, { headers });
  await answer.text();
  return answer.status;
}
