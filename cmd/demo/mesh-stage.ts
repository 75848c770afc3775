/**
 * The demo's mesh: nodes as processes on loopback, each with its own data directory, gate and mesh port.
 *
 * The first creates the mesh and has the address for browsers; the others join it. All are asked for their status a few
 * times a second: the first one's view of the room counts, and each node's count of its own admissions.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimPort } from "../../node/claim-port.ts";
import { addressText } from "../../node/config/readers.ts";
import type { NodeStatus } from "../../node/operator/status/status.ts";
import { MeshNode } from "../crowd/mesh-node.ts";
import type { DemoOptions } from "../demo-options.ts";
import { Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import { Admissions } from "./admissions.ts";
import type { Shop } from "./shop.ts";
import { demoRoomDocument, demoRoomIn, ROOM_NAME, type Stage } from "./stage.ts";

/** Between two rounds of asking all nodes: short against a short minute, long against the cost of an answer. */
const LOOK_MS = 200;

/**
 * Far shorter than a real one, so that a run of two minutes shows what happens to a dead node's share; longer than the
 * pauses of processes that share a few cores.
 */
const LEASE_MS = 5_000;

/** Longest wait for all nodes to know each other and the room: far above what a host takes that has a tenth of a core. */
const TOGETHER_MAX_MS = 5 * 60_000;

/** Starts the nodes and waits until they are one mesh. Throws `Failure`, with nothing left running. */
export async function startMesh(options: DemoOptions, shop: Shop, io: Io): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "anteroom-demo-"));
  const nodes: MeshNode[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await startNodes(options, { nodes, folder, origin: shop.url, listen: firstAddress(options, io) });
    await untilTogether(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  const admissions = new Admissions();
  const looking = setInterval(() => {
    for (const node of nodes) void node.look().then(() => note(admissions, node));
  }, LOOK_MS);
  return {
    gates: nodes.map(({ up }) => `http://${up.gate}`),
    room: () => demoRoomIn(statusOf(nodes).rooms),
    admittedThisMinute: () => admissions.total,
    kill: () => killOne(nodes),
    processes: () => nodes.map(({ name, pid, isRunning }) => ({ name, pid: isRunning ? pid : undefined })),
    stop: async () => {
      clearInterval(looking);
      await stop();
    },
  };
}

interface Starting {
  /** Started nodes are added, so that they can be ended in any case. */
  readonly nodes: MeshNode[];
  readonly folder: string;
  readonly origin: string;
  readonly listen: string;
}

async function startNodes(options: DemoOptions, { nodes, folder, origin, listen }: Starting): Promise<void> {
  const { localities, minuteMs } = options;
  const rooms = join(folder, "rooms.json");
  writeFileSync(rooms, JSON.stringify({ rooms: [demoRoomDocument(options)] }));
  const base = (at: number) => ({
    origin,
    minuteMs,
    name: `gate-${at + 1}`,
    data: join(folder, `node-${at + 1}`),
    locality: localities[at % localities.length] ?? "default",
    leaseMs: LEASE_MS,
  });
  const first = await MeshNode.start({ ...base(0), listen, rooms });
  nodes.push(first);
  const joins = { addresses: [first.up.mesh], meshKey: join(folder, "node-1", "mesh.key") };
  const others = Array.from({ length: options.nodes - 1 }, async (_, at) => {
    nodes.push(await MeshNode.start({ ...base(at + 1), listen: "127.0.0.1:0", join: joins }));
  });
  const failed = (await Promise.allSettled(others)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

/** The address for browsers; a free port when the default one is taken. */
function firstAddress({ listen, listenGiven }: DemoOptions, io: Io): string {
  const address = { ...listen, host: listen.host || "127.0.0.1" };
  if (listenGiven) return addressText(address);
  try {
    return addressText(claimPort(address));
  } catch {
    io.talk(`Port ${listen.port} is taken: using a free one.`);
    return addressText({ ...address, port: 0 });
  }
}

/** Waits until every node knows the room and all others. */
async function untilTogether(nodes: readonly MeshNode[]): Promise<void> {
  const endMs = performance.now() + TOGETHER_MAX_MS;
  const isTogether = ({ latest }: MeshNode): boolean =>
    latest?.rooms.some(({ name }) => name === ROOM_NAME) === true &&
    latest.view?.members === nodes.length &&
    latest.members.filter(({ state }) => state === "alive").length === nodes.length;
  while (!nodes.every(isTogether)) {
    if (performance.now() > endMs) {
      throw new Failure(`Cannot run the demo as its nodes did not form one mesh within ${TOGETHER_MAX_MS / 1_000} s`);
    }
    await Bun.sleep(LOOK_MS);
    await Promise.all(nodes.map((node) => node.look()));
  }
}

function note(admissions: Admissions, { up, latest }: MeshNode): void {
  if (latest === undefined) return;
  const minute = Math.floor(latest.now_ms / latest.minute_ms);
  admissions.heard(up.node, minute, demoRoomIn(latest.rooms).admitted_here_this_minute);
}

/** The mesh as the first node sees it. */
function statusOf([first]: readonly MeshNode[]): NodeStatus {
  if (first?.latest === undefined)
    throw new Error("Cannot read the state of the mesh as its first node has never answered");
  return first.latest;
}

/** Kills the ticket counter of a locality, if that is not the browsers' gate, otherwise the last node. */
function killOne(nodes: readonly MeshNode[]): string | undefined {
  const { localities } = demoRoomIn(statusOf(nodes).rooms);
  const counters = localities.map(({ ticket_counter: counter }) => counter);
  const spare = nodes.slice(1).filter(({ isRunning }) => isRunning);
  const node = spare.find(({ up }) => counters.includes(up.node)) ?? spare.at(-1);
  if (node === undefined) return undefined;
  node.killNow();
  const what = counters.includes(node.up.node) ? "the ticket counter there" : "not a ticket counter";
  return `node ${node.name} in ${node.locality}, ${what}`;
}
