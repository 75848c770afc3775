/**
 * A mesh of nodes of the binary, and how long the last of them took to join.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { POLL } from "../visitors.ts";
import { GateNode } from "./gate-node.ts";
import type { Place } from "./pair.ts";
import { openRoom } from "./rooms.ts";
import { until } from "./until.ts";

export interface Joined {
  /** From the start of the process to a member of the view that has all rooms. */
  readonly memberMs: number;
  /** From the start of the process to its first visitor let in. */
  readonly admittedMs: number;
}

export interface GateMesh {
  readonly nodes: readonly GateNode[];
  /** Of the nodes that joined one by one. */
  readonly joined: readonly Joined[];
  readonly stop: () => Promise<void>;
}

/** A room for the load, and some without. */
export const ROOMS = ["shop", "tickets", "news"] as const;
const [ROOM] = ROOMS;

const MINUTE_MS = 60_000;
/** Nodes that join one by one, when the others are together. */
const ONE_BY_ONE = 3;
/** Looks at a node that is joining; each is an HTTP request. */
const LOOK_MS = 10;

/** Starts `count` nodes on all cores and waits until they are together. */
export async function startGateMesh({ binary, folder, originPort }: Place, count: number): Promise<GateMesh> {
  mkdirSync(folder);
  const rooms = join(folder, "rooms.json");
  writeFileSync(rooms, JSON.stringify({ rooms: ROOMS.map(openRoom) }));
  const nodes: GateNode[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map(({ server }) => server.stop()));
  };
  const begin = (seed?: GateNode): GateNode => {
    const options = { binary, folder, name: `node-${nodes.length}`, originPort, minuteMs: MINUTE_MS };
    const node = new GateNode({ ...options, core: "any", ...(seed === undefined ? { rooms } : { join: seed }) });
    nodes.push(node);
    return node;
  };
  try {
    const first = begin();
    await first.up;
    const atOnce = Math.max(0, count - 1 - ONE_BY_ONE);
    await Promise.all(Array.from({ length: atOnce }, () => begin(first).up));
    await untilTogether(nodes);
    const joined: Joined[] = [];
    while (nodes.length < count) {
      const startedMs = performance.now();
      joined.push(await timeToJoin(begin(first), startedMs, nodes.length));
      await untilTogether(nodes);
    }
    return { nodes, joined, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Whether a node has all rooms and hears from `count` members, itself included. */
async function isMember(node: GateNode, count: number): Promise<boolean> {
  const { view, members, rooms } = await node.status();
  const alive = members.filter(({ state }) => state === "alive").length;
  return view?.members === count && alive === count && rooms.length === ROOMS.length;
}

async function untilTogether(nodes: readonly GateNode[]): Promise<void> {
  const areTogether = async (): Promise<boolean> => {
    const members = await Promise.all(nodes.map((node) => isMember(node, nodes.length)));
    return members.every(Boolean);
  };
  await until(`a mesh of ${nodes.length}`, areTogether, 200);
}

async function timeToJoin(node: GateNode, startedMs: number, count: number): Promise<Joined> {
  await node.up;
  const [memberMs, admittedMs] = await Promise.all([
    timeUntil(startedMs, `member ${count}`, () => isMember(node, count)),
    timeUntil(startedMs, "a first admission", firstVisitor(node)),
  ]);
  return { memberMs, admittedMs };
}

async function timeUntil(startedMs: number, what: string, isSo: () => Promise<boolean>): Promise<number> {
  await until(what, isSo, LOOK_MS);
  return performance.now() - startedMs;
}

/** One visitor who keeps their place and asks again until they are let in. Before the node has the room it knows no visitors. */
function firstVisitor(node: GateNode): () => Promise<boolean> {
  const fields = POLL.map((field) => field.split(": ", 2) as [string, string]);
  let cookie: string | undefined;
  return async () => {
    const headers = [...fields, ...(cookie === undefined ? [] : [["Cookie", cookie] as [string, string]])];
    const answer = await fetch(node.url(ROOM), { headers });
    cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
    return (await answer.text()).includes('"inWaitingRoom":false');
  };
}
