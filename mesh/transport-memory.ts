/**
 * The transport without sockets, for tests of the parts above: nodes of one process, in real time.
 *
 * It keeps the contract of the one over TCP (`test/contract/transport.ts`), and can cut two nodes from each other.
 * Frames travel in the next turn of the event loop, so that they arrive asynchronously, as over a network, only sooner.
 */

import type { NodeId } from "./core/ids.ts";
import type { Hello } from "./core/wire/hello.ts";
import { NONSENSE, objectionTo, PUNISHED_MS, wordsFor } from "./judge-hello.ts";
import { type DialOutcome, type Pace, PeerKeeper } from "./peer-keeper.ts";
import { WAITING_BYTES_MAX } from "./peer-stream.ts";
import { Refusals } from "./refusals.ts";
import { FRAME_BYTES_MAX, type Purpose, type Reach, type Transport, type TransportEvents } from "./transport.ts";

export interface MemoryOptions {
  readonly node: NodeId;
  /** The node's hello; the transport fills in `node` and `addresses`. */
  readonly hello: () => Hello;
  readonly clock: () => number;
  readonly random: () => number;
}

/** Quick, because dials overwhelm no node in memory. */
const PACE: Pace = { firstMs: 10, mostMs: 50, refusedMs: 60_000 };
const TICK_MS = 10;

/** A connection as seen from one end. */
interface End {
  readonly hello: Hello;
  /** The other node. */
  readonly other: MemoryTransport;
  /** Frames on their way to the other node. */
  readonly waiting: Record<Purpose, { frames: Uint8Array[]; bytes: number }>;
  isClosed: boolean;
}

/** The nodes that can reach each other. */
export class MemoryNetwork {
  readonly #nodes = new Map<NodeId, MemoryTransport>();
  readonly #cuts = new Set<string>();

  /** Starts a node's transport. Its address is `/memory/` and its id. */
  start(options: MemoryOptions, events: TransportEvents): Transport {
    const transport = new MemoryTransport(this, options, events);
    this.#nodes.set(options.node, transport);
    return transport;
  }

  /** Drops everything between two nodes until `heal`. */
  cut(one: NodeId, other: NodeId): void {
    this.#cuts.add(pairOf(one, other));
    this.#nodes.get(one)?.end(other);
  }

  heal(one: NodeId, other: NodeId): void {
    this.#cuts.delete(pairOf(one, other));
  }

  /** The node `to`, if `from` can reach it. */
  reach(from: NodeId, to: NodeId): MemoryTransport | undefined {
    return this.#cuts.has(pairOf(from, to)) ? undefined : this.#nodes.get(to);
  }

  remove(transport: MemoryTransport): void {
    if (this.#nodes.get(transport.self) === transport) this.#nodes.delete(transport.self);
  }
}

class MemoryTransport implements Transport {
  readonly self: NodeId;
  readonly addresses: readonly string[];
  readonly #network: MemoryNetwork;
  readonly #options: MemoryOptions;
  readonly #events: TransportEvents;
  readonly #refusals: Refusals;
  readonly #keeper: PeerKeeper<NodeId>;
  readonly #ends = new Map<NodeId, End>();
  readonly #peers = new Set<NodeId>();
  /** Until when. */
  readonly #punished = new Map<NodeId, number>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isStopped = false;

  constructor(network: MemoryNetwork, options: MemoryOptions, events: TransportEvents) {
    this.self = options.node;
    this.addresses = [`/memory/${options.node}`];
    this.#network = network;
    this.#options = options;
    this.#events = events;
    this.#refusals = new Refusals(options.clock, events.refused);
    this.#keeper = new PeerKeeper({ ...options, pace: PACE, dial: (peer) => this.#dial(peer) });
    this.#timer = setInterval(() => this.#keeper.tick(), TICK_MS);
  }

  get peers(): ReadonlySet<NodeId> {
    return this.#peers;
  }

  send(to: NodeId, purpose: Purpose, frame: Uint8Array): boolean {
    const end = this.#ends.get(to);
    if (end === undefined || frame.length > FRAME_BYTES_MAX) return false;
    const waiting = end.waiting[purpose];
    if (waiting.bytes + frame.length > WAITING_BYTES_MAX) return false;
    if (waiting.frames.length === 0) setImmediate(() => this.#deliver(end, purpose));
    waiting.frames.push(frame.slice());
    waiting.bytes += frame.length;
    return true;
  }

  publish(frame: Uint8Array, reach: Reach): void {
    if (frame.length > FRAME_BYTES_MAX) return;
    const { locality } = this.#options.hello();
    const reached = new Set<MemoryTransport>([this]);
    for (const transport of reached)
      for (const { other } of transport.#ends.values())
        if (reach === "all" || other.#options.hello().locality === locality) reached.add(other);
    reached.delete(this);
    for (const transport of reached) setImmediate(() => transport.#takePublished(this.self, frame.slice()));
  }

  know(peer: NodeId, _addresses: readonly string[]): void {
    if (peer === this.self) return;
    this.#keeper.want(peer);
    if (this.#peers.has(peer)) this.#keeper.connected(peer);
  }

  forget(peer: NodeId): void {
    this.#keeper.drop(peer);
    this.end(peer);
  }

  punish(peer: NodeId): void {
    this.#punished.set(peer, this.#options.clock() + PUNISHED_MS);
    const other = this.#ends.get(peer)?.other;
    if (other !== undefined) setImmediate(() => other.#refused(this.self, wordsFor(undefined, NONSENSE)));
    this.end(peer);
    this.#keeper.refused(peer);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#network.remove(this);
    for (const peer of [...this.#peers]) this.end(peer);
  }

  /** Ends the connection to a peer: here at once, at the other end in the next turn. */
  end(peer: NodeId): void {
    const end = this.#ends.get(peer);
    if (end === undefined) return;
    const otherEnd = end.other.#ends.get(this.self);
    this.#lose(peer, end);
    if (otherEnd !== undefined) setImmediate(() => end.other.#lose(this.self, otherEnd));
  }

  async #dial(peer: NodeId): Promise<DialOutcome> {
    await new Promise((resolve) => setImmediate(resolve));
    const other = this.#network.reach(this.self, peer);
    if (other === undefined || this.#isStopped) return "failed";
    if (this.#peers.has(peer)) return "up";
    const [ours, theirs] = [this.#objectionTo(other), other.#objectionTo(this)];
    if (ours === undefined && theirs === undefined) {
      const hellos = [other.#hello(), this.#hello()] as const;
      this.#gain(other, hellos[0]);
      other.#gain(this, hellos[1]);
      this.#events.up(peer, hellos[0]);
      other.#events.up(this.self, hellos[1]);
      return "up";
    }
    this.#refused(peer, wordsFor(ours, theirs ?? ""));
    other.#refused(this.self, wordsFor(theirs, ours ?? ""));
    return "refused";
  }

  #hello(): Hello {
    return { ...this.#options.hello(), node: this.self, addresses: this.addresses };
  }

  #objectionTo(other: MemoryTransport): string | undefined {
    return objectionTo({
      ours: this.#hello(),
      theirs: other.#hello(),
      peer: other.self,
      connected: this.#ends.get(other.self)?.hello,
      isPunished: this.#isPunished(other.self),
    });
  }

  #isPunished(peer: NodeId): boolean {
    return (this.#punished.get(peer) ?? Number.NEGATIVE_INFINITY) > this.#options.clock();
  }

  #gain(other: MemoryTransport, hello: Hello): void {
    const before = this.#ends.get(other.self);
    if (before !== undefined) this.#lose(other.self, before);
    this.#ends.set(other.self, {
      hello,
      other,
      waiting: { protocol: { frames: [], bytes: 0 }, sync: { frames: [], bytes: 0 } },
      isClosed: false,
    });
    this.#peers.add(other.self);
    this.#keeper.connected(other.self);
  }

  #lose(peer: NodeId, end: End): void {
    if (end.isClosed) return;
    end.isClosed = true;
    this.#ends.delete(peer);
    this.#peers.delete(peer);
    this.#keeper.lost(peer);
    if (!this.#isStopped) this.#events.down(peer);
  }

  #deliver(end: End, purpose: Purpose): void {
    const { frames } = end.waiting[purpose];
    end.waiting[purpose] = { frames: [], bytes: 0 };
    for (const frame of frames) if (!end.isClosed) end.other.#take(this.self, purpose, frame);
  }

  #take(from: NodeId, purpose: Purpose, frame: Uint8Array): void {
    if (this.#peers.has(from)) this.#events.frame(from, purpose, frame);
  }

  #takePublished(from: NodeId, frame: Uint8Array): void {
    if (!this.#isStopped && !this.#isPunished(from)) this.#events.published(from, frame);
  }

  #refused(peer: NodeId, reason: string): void {
    this.#keeper.refused(peer);
    if (!this.#isStopped) this.#refusals.tell(`/memory/${peer}`, reason);
  }
}

function pairOf(one: NodeId, other: NodeId): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}
