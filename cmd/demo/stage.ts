/**
 * What stands between the demo's crowd and its shop: nodes as processes on loopback, the first with the address for
 * browsers.
 *
 * All are asked for their status a few times a second: the first one's view of the room counts, and each node's count of
 * its own admissions.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, addressText } from "../../node/config/readers.ts";
import type { RoomStatus } from "../../node/operator/status/status.ts";
import { claimPort } from "../../node/process/claim-port.ts";
import { ListenError } from "../../node/process/listening.ts";
import { nodesOf, roomDocument, startAll } from "../chaos/mesh.ts";
import { Network } from "../chaos/network.ts";
import type { MeshNode } from "../chaos/node.ts";
import { roomOf } from "../chaos/shares.ts";
import type { DemoOptions } from "../demo-options.ts";
import { Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import type { Shop } from "./shop.ts";
import { SHOP_BRAND } from "./shop-pages.ts";

export interface StageParts {
  readonly options: DemoOptions;
  readonly shop: Shop;
  readonly io: Io;
  /** Ends the start, or the run, early. */
  readonly signal: AbortSignal;
}

/** Between two rounds of asking all nodes: short against a short minute, long against the cost of an answer. */
const LOOK_MS = 200;

/**
 * Far shorter than a real one, so that a run of two minutes shows what happens to a dead node's share; longer than the
 * pauses of processes that share a few cores.
 */
const LEASE_MS = 5_000;

export class Stage {
  readonly #folder: string;
  readonly #network: Network;
  readonly #looking: ReturnType<typeof setInterval>;
  /** The one for a browser first. */
  readonly nodes: readonly MeshNode[];
  /** The latest minute that a node reported, and the most admissions in it by node: a dead node still counts. */
  #minute = 0;
  readonly #admitted = new Map<string, number>();

  private constructor(nodes: readonly MeshNode[], folder: string, network: Network) {
    this.nodes = nodes;
    this.#folder = folder;
    this.#network = network;
    this.#looking = setInterval(() => {
      for (const node of nodes) void node.look().then(() => this.#note(node));
    }, LOOK_MS);
  }

  /** Starts the nodes and waits until they are one mesh. Throws `Failure`, with nothing left running. */
  static async start({ options, shop, io, signal }: StageParts): Promise<Stage> {
    const { listen, listenGiven, minuteMs } = options;
    const address = addressText(listenGiven ? claimed(listen) : claimedOrFree(listen, io));
    const folder = mkdtempSync(join(tmpdir(), "anteroom-demo-"));
    const network = await Network.open(options.nodes, Math.random);
    const nodes = nodesOf({
      folder,
      network,
      origin: shop.url,
      nodes: options.nodes,
      localities: options.localities,
      minuteMs,
      leaseMs: LEASE_MS,
      room: { ...roomDocument({ ...options, sessionMinutes: 1 }), page: SHOP_BRAND },
      listen: address,
      called: "gate",
      logs: false,
    });
    const stage = new Stage(nodes, folder, network);
    try {
      await startAll(nodes, { folder, signal });
      return stage;
    } catch (error) {
      await stage.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking);
    await Promise.all(this.nodes.map((node) => node.end()));
    this.#network.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The room as the first node sees it. */
  get room(): RoomStatus {
    const status = this.nodes[0]?.latest;
    const room = status && roomOf(status);
    if (room === undefined) throw new Error("Cannot run the demo as its room is gone");
    return room;
  }

  /** Admitted in the running minute, as the nodes that admit count. */
  get admittedThisMinute(): number {
    return this.#admitted.values().reduce((sum, count) => sum + count, 0);
  }

  /**
   * Kills the ticket counter of a locality, if that is not the browsers' gate, otherwise the last node; says which.
   * Undefined where there is none to spare.
   */
  async kill(): Promise<string | undefined> {
    const counters = this.room.localities.map(({ ticket_counter: counter }) => counter);
    const isCounter = ({ latest }: MeshNode): boolean => latest !== undefined && counters.includes(latest.node);
    const spare = this.nodes.slice(1).filter(({ isRunning }) => isRunning);
    const node = spare.find(isCounter) ?? spare.at(-1);
    if (node === undefined) return undefined;
    const what = isCounter(node) ? "the ticket counter there" : "not a ticket counter";
    await node.kill();
    return `node ${node.name} in ${node.locality}, ${what}`;
  }

  /** Minutes are those of the nodes' own clocks, which on one host are one clock. */
  #note({ latest }: MeshNode): void {
    const room = latest && roomOf(latest);
    if (latest === undefined || room === undefined) return;
    const minute = Math.floor(latest.now_ms / latest.minute_ms);
    // A late report about a past minute.
    if (minute < this.#minute) return;
    if (minute > this.#minute) this.#admitted.clear();
    this.#minute = minute;
    const before = this.#admitted.get(latest.node) ?? 0;
    this.#admitted.set(latest.node, Math.max(before, room.admitted_here_this_minute));
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
