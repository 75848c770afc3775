/**
 * A whole mesh of nodes of the binary: what it costs by being there, at rest, and how soon all know of an admission while
 * new visitors come.
 *
 * Every node is its own process, so on a small machine many of them compete.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../../cmd/crowd/random.ts";
import { until } from "../programs.ts";
import { NAVIGATION } from "../visitors.ts";
import { type MeshNode, type Place, startNode, untilTogether } from "./nodes.ts";

export interface WholeLengths {
  readonly settleSeconds: number;
  /** At rest. */
  readonly seconds: number;
  /** While new visitors come, until the last admission that is watched begins. */
  readonly seenSeconds: number;
}

export interface Whole {
  /** Part of a core that a node takes at rest, the mean of all. */
  readonly idleCore: number;
  /** From the request of an admitted visitor until the last other node knows of it. */
  readonly seenMs: readonly number[];
}

/** Those that the aims are about. */
export const NODES = 10;
/** New visitors a second, over all nodes. */
const VISITORS_PER_SECOND = 50;

/** For the load. */
const ROOM = "shop";
/** For admissions that are watched, one at a time in each: its number of visitors inside tells which one was seen. */
const WATCHED = ["news", "music", "books"];
const ROOMS = [ROOM, ...WATCHED];

/** Nodes that start at once: more would only wait for each other on a small machine. */
const AT_ONCE = 5;
/**
 * Pause between two looks at a node for what it has seen, per node: 200 looks a second at all of them together, which
 * takes less than a tenth of a core. What is seen in between is noted that much later.
 */
const SEEN_LOOK_MS_PER_NODE = 5;
/**
 * Longest pause before the next admission that is watched: longer than any pace of gossip, so that it falls anywhere in
 * it.
 */
const PAUSE_MS_MAX = 1_000;
const SEED = 9;

/** Starts a mesh and measures it. */
export async function measureWhole(place: Place, lengths: WholeLengths): Promise<Whole> {
  mkdirSync(place.folder);
  const nodes: MeshNode[] = [];
  try {
    await startAll(place, nodes);
    await Bun.sleep(lengths.settleSeconds * 1_000);
    const idleCore = await coreOf(nodes, lengths.seconds);
    // The first visitors wake what has never run yet.
    await visit(nodes, 1);
    const watched = watch(nodes, lengths.seenSeconds);
    await allEnded([watched, visit(nodes, lengths.seenSeconds)]);
    return { idleCore, seenMs: await watched };
  } finally {
    await Promise.all(nodes.map(({ server }) => server.stop()));
  }
}

/** Nodes are added to `nodes` as they start. */
async function startAll(place: Place, nodes: MeshNode[]): Promise<void> {
  const begin = async (name: string): Promise<void> => {
    const folder = join(place.folder, name);
    nodes.push(await startNode({ ...place, folder, core: "any", rooms: ROOMS, seed: nodes[0] }));
  };
  await begin("first");
  for (let left = NODES - 1; left > 0; left -= AT_ONCE) {
    await allEnded(Array.from({ length: Math.min(left, AT_ONCE) }, (_, at) => begin(`other-${left - at}`)));
    await untilTogether(nodes, ROOMS);
  }
}

async function coreOf(nodes: readonly MeshNode[], seconds: number): Promise<number> {
  const cpuMs = (): number => nodes.reduce((sum, { server }) => sum + server.cpuMs(), 0);
  const beforeMs = cpuMs();
  const startedMs = performance.now();
  await Bun.sleep(seconds * 1_000);
  const core = (cpuMs() - beforeMs) / (performance.now() - startedMs) / nodes.length;
  await untilTogether(nodes, ROOMS);
  return core;
}

/** New visitors at an even pace, to one node after the other. */
async function visit(nodes: readonly MeshNode[], seconds: number): Promise<void> {
  const visits: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let visitor = 0; visitor < seconds * VISITORS_PER_SECOND; visitor++) {
    const earlyMs = startedMs + (visitor * 1_000) / VISITORS_PER_SECOND - performance.now();
    if (earlyMs > 0) await Bun.sleep(earlyMs);
    const visit = letIn(nodes[visitor % nodes.length], ROOM);
    // Said below, when all visits have ended.
    visit.catch(() => undefined);
    visits.push(visit);
  }
  await allEnded(visits);
}

async function letIn(node: MeshNode | undefined, room: string): Promise<void> {
  const headers = NAVIGATION.map((field) => field.split(": ", 2) as [string, string]);
  const answer = await fetch(`http://${node?.up.gate}/${room}/`, { headers });
  const text = await answer.text();
  if (text.includes("<title>origin")) return;
  throw new Error(`Cannot measure as every visitor must get in: one got status ${answer.status} and waits`);
}

/**
 * Lets visitors into the watched rooms, each at a node and a moment of chance, and times until all other nodes know.
 */
async function watch(nodes: readonly MeshNode[], seconds: number): Promise<number[]> {
  const tookMs: number[] = [];
  const random = seededRandom(SEED);
  const endMs = performance.now() + seconds * 1_000;
  /** By room, then node: how many it knows to be inside, and since when. */
  const seen = new Map(WATCHED.map((room) => [room, nodes.map(() => ({ inside: 0, atMs: 0 }))]));
  let isOver = false;
  const lookOn = async (node: MeshNode, at: number): Promise<void> => {
    for (; !isOver; await Bun.sleep(nodes.length * SEEN_LOOK_MS_PER_NODE)) {
      for (const { name, inside } of (await node.status()).rooms) {
        const last = seen.get(name)?.[at];
        if (last !== undefined && inside > last.inside) Object.assign(last, { inside, atMs: performance.now() });
      }
    }
  };
  const letInto = async (room: string): Promise<void> => {
    const seenBy = seen.get(room) ?? [];
    for (let count = 1; performance.now() < endMs; count++) {
      await Bun.sleep(random() * PAUSE_MS_MAX);
      const askedMs = performance.now();
      await letIn(nodes[Math.floor(random() * nodes.length)], room);
      await until("an admission seen by all", () => seenBy.every(({ inside }) => inside === count), 1);
      tookMs.push(Math.max(...seenBy.map(({ atMs }) => atMs)) - askedMs);
    }
  };
  const looks = nodes.map(lookOn);
  // A look that fails ends the visits, and visits that fail end the looks.
  const visits = Promise.all(WATCHED.map(letInto)).finally(() => {
    isOver = true;
  });
  await allEnded([...looks, visits]);
  return tookMs;
}

/** Waits for all of them, so that nothing goes on in the background when one fails; throws the first failure. */
async function allEnded(promises: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
