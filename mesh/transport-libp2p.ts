/**
 * The transport over TCP, by libp2p.
 *
 * This file decides which peers are dialled, refused, forgotten and punished, and connects the parts: when to dial
 * (`peer-keeper.ts`, `seeds.ts`), what a connection goes through (`mesh-proof.ts`, `connections.ts`, `peer-link.ts`),
 * and which one serves a peer (`serving-links.ts`).
 */

import { AddressBook } from "./address-book.ts";
import { Connections, readableAddress, tellConnected } from "./connections.ts";
import type { NodeId } from "./core/ids.ts";
import { type Hello, helloProblem } from "./core/wire/hello.ts";
import { Gossip, topicsOf } from "./gossip.ts";
import { NONSENSE, objectionTo, PUNISHED_MS } from "./judge-hello.ts";
import { createMeshNode, type MeshNode } from "./libp2p-node.ts";
import { MeshProofError } from "./mesh-proof.ts";
import type { NodeKey } from "./node-key.ts";
import { ownAddresses } from "./own-addresses.ts";
import { type DialOutcome, type Pace, PeerKeeper } from "./peer-keeper.ts";
import type { PeerLink } from "./peer-link.ts";
import { Refusals } from "./refusals.ts";
import { parseAddress, peersFileOf, type Resolve, resolveAddress, toMultiaddr } from "./seed-addresses.ts";
import { type Reached, type SeedState, Seeds } from "./seeds.ts";
import { ServingLinks } from "./serving-links.ts";
import { PROCESS_TIMERS, type Timers } from "./timers.ts";
import type { Purpose, Transport, TransportEvents } from "./transport.ts";

export interface Libp2pOptions {
  readonly key: NodeKey;
  /** 32 bytes; only nodes with the same ones can connect. */
  readonly meshKey: Uint8Array;
  /** Our own hello; read at every greeting. The transport fills in `node` and `addresses`. */
  readonly hello: () => Hello;
  /** Port 0 lets the system choose one; an empty host is all IPv4 addresses of this one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Addresses for others to dial, as texts; if there are none, those of this host. */
  readonly advertise: readonly string[];
  /** Addresses to join by, as texts. */
  readonly seeds: readonly string[];
  /** Another multiaddr to dial instead of one; for tests that put something between two nodes. */
  readonly override?: (multiaddr: string) => string;
  /** Ms since any moment; never goes back. */
  readonly clock: () => number;
  /** Those of the process if there are none. They go with the clock. */
  readonly timers?: Timers;
  readonly random: () => number;
  readonly resolve: Resolve;
  /** The text of a file of addresses that is a seed. */
  readonly readPeers: (path: string) => Promise<string>;
  readonly pace?: Pace;
}

export interface Libp2pEvents extends TransportEvents {
  /** An address to join by starts or stops answering; `address` as given. */
  readonly seed: (address: string, state: SeedState) => void;
  /** A peer knows of a later process of this node's identity, which started at `newest`: this one must stop. */
  readonly outrun: (newest: number) => void;
}

/** The transport cannot start: what is wrong, and in `hint` the repair. */
export class TransportError extends Error {
  readonly code: "bad-address" | "cannot-listen";
  readonly hint: string;
  constructor(code: TransportError["code"], message: string, options: { hint: string; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "TransportError";
    this.code = code;
    this.hint = options.hint;
  }
}

/** Often enough that no dial is late by a noticeable part of its wait. */
const TICK_MS = 200;
/** A tick later than this shows that the process was suspended meanwhile, and could hear nothing. */
const LATE_MS = 1_000;
/**
 * The side that does not open the streams dials later, so that both seldom dial at once, which costs two handshakes.
 */
const SECOND_AFTER_MS = 500;
/** A peer heard within this time is connected: it pings more often. */
const FRESH_MS = 7_000;

/**
 * Starts a node's transport: listens, and dials the seeds. No event is emitted before this returns, and none after
 * `stop`. Throws `TransportError`.
 */
export async function startLibp2pTransport(options: Libp2pOptions, events: Libp2pEvents): Promise<Transport> {
  const seeds = options.seeds.filter((text) => peersFileOf(text) === undefined);
  const unreadable = [...seeds, ...options.advertise].find((text) => parseAddress(text) === undefined);
  if (unreadable !== undefined)
    throw new TransportError(
      "bad-address",
      `Cannot use an address as it must be host:port: current value is ${unreadable}`,
      { hint: "write host:port, [v6]:port or a multiaddr such as /ip4/10.0.0.5/tcp/8082" },
    );
  const transport = new Libp2pTransport(options, events);
  await transport.start();
  return transport;
}

class Libp2pTransport implements Transport {
  readonly self: NodeId;
  readonly #options: Libp2pOptions;
  readonly #events: Libp2pEvents;
  readonly #refusals: Refusals;
  readonly #serving: ServingLinks<PeerLink>;
  readonly #keeper: PeerKeeper<NodeId>;
  readonly #seeds: Seeds;
  readonly #book = new AddressBook();
  /** Until when. */
  readonly #punished = new Map<NodeId, number>();
  #addresses: readonly string[] = [];
  #running: { readonly node: MeshNode; readonly connections: Connections; readonly gossip: Gossip } | undefined;
  #stopTicking = (): void => undefined;
  #tickedMs = 0;
  #rank = 0;
  /** The version that this node spoke at the last check. */
  #wire = 0;

  constructor(options: Libp2pOptions, events: Libp2pEvents) {
    this.self = options.key.node;
    this.#options = options;
    this.#events = events;
    const { clock } = options;
    this.#refusals = new Refusals(clock, (address, reason) => this.#running && events.refused(address, reason));
    this.#serving = new ServingLinks(clock, {
      up: (peer, hello) => this.#up(peer, hello),
      down: (peer) => this.#down(peer),
    });
    this.#keeper = new PeerKeeper({ ...options, dial: (peer, connected) => this.#dial(peer, connected) });
    this.#seeds = new Seeds(options.seeds, {
      ...options,
      reach: (address) => this.#reach(address),
      isUp: (node) => this.peers.has(node),
      notify: (text, state) => this.#running && events.seed(text, state),
    });
  }

  get addresses(): readonly string[] {
    return this.#addresses;
  }

  get peers(): ReadonlySet<NodeId> {
    return this.#serving.peers;
  }

  async start(): Promise<void> {
    const { key, meshKey, clock, hello, timers = PROCESS_TIMERS } = this.#options;
    const listen = { ...this.#options.listen, host: this.#options.listen.host || "0.0.0.0" };
    const { mesh, understands, wire } = hello();
    const topics = topicsOf(mesh, understands);
    this.#wire = wire;
    let isOpen = false;
    const node = await createMeshNode({
      key,
      meshKey,
      timers,
      topics: [...topics.values()],
      listen: toMultiaddr(listen),
      isOpen: () => isOpen,
      proof: {
        connected: tellConnected,
        failed: ({ remoteAddr, direction }, reason) =>
          this.#refusals.tell(readableAddress(remoteAddr.toString(), direction), reason),
      },
    });
    const connections = new Connections(node, {
      clock,
      timers,
      isWanted: (peer, direction) => this.#isWanted(peer, direction),
      ours: () => ({ ...hello(), node: this.self, addresses: this.#addresses }),
      objectionTo: (theirs, link) => this.#objectionTo(theirs, link),
      nextRank: () => ++this.#rank,
      up: (link) => link.hello && this.#serving.up(link, link.hello),
      frame: (link, purpose, frame) => {
        if (this.#running && this.#serving.of(link.peer) === link) this.#events.frame(link.peer, purpose, frame);
      },
      servingSince: (peer) => this.#serving.of(peer)?.hello?.incarnation,
      outrun: (newest) => this.#running && this.#events.outrun(newest),
      refused: (link, reason) => {
        this.#keeper.refused(link.peer);
        this.#refusals.tell(link.address, reason);
      },
      closed: (link) => this.#serving.closed(link),
    });
    const gossip = new Gossip(node, {
      topics,
      wire: () => hello().wire,
      clock,
      published: (from, frame) => this.#published(from, frame),
    });
    await connections.start();
    try {
      await node.start();
    } catch (cause) {
      throw new TransportError(
        "cannot-listen",
        `Cannot listen for nodes on ${listen.host}:${listen.port}: ${systemReason(cause)}`,
        { hint: "name another address with --mesh, or stop what uses this one", cause },
      );
    }
    const port = parseAddress(node.getMultiaddrs()[0]?.toString() ?? "")?.port ?? listen.port;
    this.#addresses = ownAddresses(this.#options.advertise, { host: listen.host, port });
    gossip.start();
    this.#running = { node, connections, gossip };
    this.#tickedMs = clock();
    this.#stopTicking = timers.every(TICK_MS, () => this.#tick());
    setImmediate(() => this.#tick());
    isOpen = true;
  }

  send(to: NodeId, purpose: Purpose, frame: Uint8Array): boolean {
    return this.#serving.of(to)?.send(purpose, frame) ?? false;
  }

  publish(frame: Uint8Array): void {
    this.#running?.gossip.publish(frame);
  }

  know(peer: NodeId, addresses: readonly string[]): void {
    if (peer === this.self) return;
    this.#book.add(peer, addresses);
    this.#keeper.want(peer, this.#dialsAfterMs(peer));
    if (this.peers.has(peer)) this.#keeper.connected(peer);
  }

  forget(peer: NodeId): void {
    this.#keeper.drop(peer);
    this.#book.remove(peer);
    for (const link of this.#linksOf(peer)) link.close();
    this.#seeds.forget(peer);
  }

  punish(peer: NodeId): void {
    this.#punished.set(peer, this.#options.clock() + PUNISHED_MS);
    for (const link of this.#linksOf(peer)) link.refuse(NONSENSE);
    this.#keeper.refused(peer);
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    this.#stopTicking();
    running.gossip.stop();
    await running.connections.stop();
    await running.node.stop();
  }

  #tick(): void {
    const nowMs = this.#options.clock();
    const lateMs = nowMs - this.#tickedMs - TICK_MS;
    this.#tickedMs = nowMs;
    for (const link of this.#running?.connections.links() ?? []) link.tick(lateMs > LATE_MS ? lateMs : 0);
    for (const [peer, untilMs] of this.#punished) if (untilMs <= nowMs) this.#punished.delete(peer);
    this.#judgeAgain();
    this.#serving.tick();
    this.#keeper.tick();
    this.#seeds.tick();
    this.#running?.gossip.tick(this.peers);
  }

  /** The mesh has moved to another wire version: a node that does not understand it is no longer a peer. */
  #judgeAgain(): void {
    const ours = this.#options.hello();
    if (ours.wire === this.#wire) return;
    this.#wire = ours.wire;
    for (const link of this.#running?.connections.links() ?? []) {
      const problem = link.isUp && link.hello && helloProblem(ours, { ...link.hello, wire: ours.wire });
      if (typeof problem !== "string") continue;
      this.#refusals.tell(link.address, problem);
      this.#keeper.refused(link.peer);
      link.refuse(problem);
    }
  }

  #up(peer: NodeId, hello: Hello): void {
    this.#keeper.connected(peer);
    this.#seeds.up(peer);
    if (this.#running) this.#events.up(peer, hello);
  }

  #down(peer: NodeId): void {
    this.#keeper.lost(peer, this.#dialsAfterMs(peer));
    this.#seeds.down(peer);
    if (this.#running) this.#events.down(peer);
  }

  #dialsAfterMs(peer: NodeId): number {
    return this.self < peer ? 0 : SECOND_AFTER_MS;
  }

  /** What this node published in an earlier process may come back to it, and is dropped. */
  #published(from: NodeId, frame: Uint8Array): void {
    if (this.#running && from !== this.self && !this.#punished.has(from)) this.#events.published(from, frame);
  }

  #objectionTo(theirs: Hello, { peer }: PeerLink): string | undefined {
    const connected = this.#serving.of(peer)?.hello;
    return objectionTo({ ours: this.#options.hello(), theirs, peer, connected, isPunished: this.#punished.has(peer) });
  }

  /**
   * A second connection that we made to a well connected peer is not wanted: two seeds may lead to one node. A second
   * one that the peer made may mean that it has lost the first.
   */
  #isWanted(peer: NodeId, direction: "inbound" | "outbound"): boolean {
    const silentMs = this.#serving.of(peer)?.silentMs ?? Number.POSITIVE_INFINITY;
    return direction === "inbound" || this.self > peer || silentMs > FRESH_MS;
  }

  #linksOf(peer: NodeId): PeerLink[] {
    return (this.#running?.connections.links() ?? []).filter((link) => link.peer === peer);
  }

  /** Dials the addresses of a peer one by one. */
  async #dial(peer: NodeId, connected: () => void): Promise<DialOutcome> {
    let outcome: DialOutcome = "failed";
    for (const address of this.#book.of(peer))
      for (const resolved of await resolveAddress(address, this.#options.resolve)) {
        const reached = await this.#try(resolved, { peer, connected });
        if (reached.outcome === "up") this.#book.worked(peer, address);
        if (reached.outcome === "up") return "up";
        if (reached.outcome === "refused") outcome = "refused";
      }
    return outcome;
  }

  /** Dials an address without knowing which node uses it; the node found there is dialled there again when lost. */
  async #reach(address: string): Promise<Reached> {
    const reached = await this.#try(address);
    if (reached.outcome === "up" && reached.node !== undefined) {
      this.know(reached.node, []);
      this.#book.worked(reached.node, address);
    }
    return reached;
  }

  async #try(address: string, how: Parameters<Connections["dial"]>[1] = {}): Promise<Reached> {
    const { override = (same: string) => same } = this.#options;
    const connections = this.#running?.connections;
    if (connections === undefined) return { outcome: "failed" };
    try {
      const { outcome, peer: node } = await connections.dial(override(address), how);
      return { outcome, node };
    } catch (error) {
      // No node there, another node there, or not one of ours: the keeper tries again, slower where only an operator
      // can help.
      if (error instanceof MeshProofError) return { outcome: "refused" };
      return { outcome: (error as Error).name === "InvalidPeerIdError" ? "self" : "failed" };
    }
  }
}

/** The system's message, out of the library's long text about it. */
function systemReason(cause: unknown): string {
  const text = String(cause);
  return /\b(E[A-Z]{1,15}: [^\n]*)/.exec(text)?.[1] ?? text;
}
