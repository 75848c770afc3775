/**
 * What stands between the demo's crowd and its shop: nodes as processes on loopback, each with its own data directory,
 * gate and mesh port.
 *
 * The first creates the mesh and has the address for browsers; the others join it. All are asked for their status a few
 * times a second: the first one's view of the room counts, and each node's count of its own admissions.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimPort } from "../../node/claim-port.ts";
import { type Address, addressText } from "../../node/config/readers.ts";
import { ListenError } from "../../node/listening.ts";
import type { NodeStatus, RoomStatus } from "../../node/operator/status/status.ts";
import type { Gate } from "../crowd/browser.ts";
import { MeshNode } from "../crowd/mesh-node.ts";
import type { Watched } from "../crowd/starved.ts";
import type { DemoOptions } from "../demo-options.ts";
import { Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import type { Shop } from "./shop.ts";

const ROOM_NAME = "shop";

/** Refresh interval of a real room, scaled to the shortened minute. */
const REFRESH_SECONDS = 20;

/** Between two rounds of asking all nodes: short against a short minute, long against the cost of an answer. */
const LOOK_MS = 200;

/**
 * Far shorter than a real one, so that a run of two minutes shows what happens to a dead node's share; longer than the
 * pauses of processes that share a few cores.
 */
const LEASE_MS = 5_000;

/** Longest wait for all nodes to know each other and the room: far above what a host takes that has a tenth of a core. */
const TOGETHER_MAX_MS = 5 * 60_000;

export class Stage {
  readonly #nodes: readonly MeshNode[];
  readonly #folder: string;
  readonly #looking: ReturnType<typeof setInterval>;
  /** The one for a browser first. */
  readonly gates: readonly Gate[];
  /** The latest minute that a node reported, and the most admissions in it by node: a dead node still counts. */
  #minute = 0;
  readonly #admitted = new Map<string, number>();

  private constructor(nodes: readonly MeshNode[], folder: string) {
    this.#nodes = nodes;
    this.#folder = folder;
    this.gates = nodes.map(({ up, locality }) => ({ gate: `http://${up.gate}`, locality, isReady: true }));
    this.#looking = setInterval(() => {
      for (const node of nodes) void node.look().then(() => this.#note(node));
    }, LOOK_MS);
  }

  /** Starts the nodes and waits until they are one mesh. Throws `Failure`, with nothing left running. */
  static async start(options: DemoOptions, shop: Shop, io: Io): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), "anteroom-demo-"));
    const nodes: MeshNode[] = [];
    try {
      const listen = options.listenGiven ? claimed(options.listen) : claimedOrFree(options.listen, io);
      await startNodes(options, { nodes, folder, origin: shop.url, listen: addressText(listen) });
      await untilTogether(nodes);
      return new Stage(nodes, folder);
    } catch (error) {
      await end(nodes, folder);
      throw error;
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking);
    await end(this.#nodes, this.#folder);
  }

  /** The room as the first node sees it. */
  get room(): RoomStatus {
    return roomIn(this.#nodes[0]?.latest);
  }

  /** Admitted in the running minute, as the nodes that admit count. */
  get admittedThisMinute(): number {
    return this.#admitted.values().reduce((sum, count) => sum + count, 0);
  }

  get processes(): readonly Watched[] {
    return this.#nodes.map(({ name, pid, isRunning }) => ({ name, pid: isRunning ? pid : undefined }));
  }

  /**
   * Kills the ticket counter of a locality, if that is not the browsers' gate, otherwise the last node; says which.
   * Undefined where there is none to spare.
   */
  kill(): string | undefined {
    const counters = this.room.localities.map(({ ticket_counter: counter }) => counter);
    const spare = this.#nodes.slice(1).filter(({ isRunning }) => isRunning);
    const node = spare.find(({ up }) => counters.includes(up.node)) ?? spare.at(-1);
    if (node === undefined) return undefined;
    node.killNow();
    const what = counters.includes(node.up.node) ? "the ticket counter there" : "not a ticket counter";
    return `node ${node.name} in ${node.locality}, ${what}`;
  }

  /** Minutes are those of the nodes' own clocks, which on one host are one clock. */
  #note({ up, latest }: MeshNode): void {
    if (latest === undefined) return;
    const minute = Math.floor(latest.now_ms / latest.minute_ms);
    // A late report about a past minute.
    if (minute < this.#minute) return;
    if (minute > this.#minute) this.#admitted.clear();
    this.#minute = minute;
    const admitted = roomIn(latest).admitted_here_this_minute;
    this.#admitted.set(up.node, Math.max(this.#admitted.get(up.node) ?? 0, admitted));
  }
}

/** The address, once it is known to be free. Throws `Failure` when it is taken. */
export function claimed(listen: Address, who?: string): Address {
  try {
    return claimPort({ ...listen, host: listen.host || "127.0.0.1" }, who);
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    throw new Failure(error.message, { hint: "choose another one with --listen", cause: error });
  }
}

/** A free port when the default one is taken. */
function claimedOrFree(listen: Address, io: Io): Address {
  try {
    return claimed(listen);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.talk(`Port ${listen.port} is taken: using a free one.`);
    return claimed({ ...listen, port: 0 });
  }
}

async function end(nodes: readonly MeshNode[], folder: string): Promise<void> {
  await Promise.all(nodes.map((node) => node.stop()));
  rmSync(folder, { recursive: true, force: true });
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
  writeFileSync(rooms, JSON.stringify({ rooms: [roomDocument(options)] }));
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

function roomDocument({ limit, perMinute, minuteMs }: DemoOptions): Readonly<Record<string, unknown>> {
  return {
    name: ROOM_NAME,
    host: "*",
    total_active_users: limit,
    new_users_per_minute: perMinute,
    session_duration: 1,
    refresh_interval_seconds: Math.max(1, Math.round((REFRESH_SECONDS * minuteMs) / 60_000)),
    json_response_enabled: true,
  };
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

function roomIn(status: NodeStatus | undefined): RoomStatus {
  const room = status?.rooms.find(({ name }) => name === ROOM_NAME);
  if (room === undefined) throw new Error("Cannot run the demo as its room is gone");
  return room;
}
