/**
 * A network in memory with faults: frames are lost, doubled, late and out of order; links are cut one way or both.
 *
 * It stands for TCP connections as the transport keeps them: a cut is noticed by both ends after a while (`down`), a
 * healed one after the next dial (`up`). Frames are bytes, so that what travels is what the codec makes of it.
 */

import type { VirtualTime } from "./virtual-time.ts";

export interface NetworkFaults {
  /** Part of the frames that are lost, 0 to 1. */
  readonly loss: number;
  /** Part of the frames that arrive twice. */
  readonly doubling: number;
  /** Longest delay in ms that chance adds to a frame. */
  readonly jitterMs: number;
}

/** A network without faults. */
export const CALM: NetworkFaults = { loss: 0, doubling: 0, jitterMs: 1 };

/** The hello of a node when a connection is made. */
export interface SimHello {
  readonly locality: string;
  readonly name?: string;
  readonly incarnation: number;
  readonly addresses: readonly string[];
}

export interface Endpoint {
  readonly hello: SimHello;
  /** A frame that another node published. */
  readonly hear: (from: string, frame: Uint8Array) => void;
  readonly receive: (from: string, frame: Uint8Array) => void;
  readonly up: (peer: string) => void;
  readonly down: (peer: string) => void;
}

/** A process at its place in the network. */
interface Place {
  readonly endpoint: Endpoint;
  /** Its peers; both ends list each other. */
  readonly peers: Set<string>;
}

/** How long both ends of a cut link go on without noticing: the transport's own patience. */
const NOTICE_CUT_MS = 8_000;
/** The longest wait for the next dial. */
const REDIAL_MS = 2_000;

export class Network {
  readonly #time: VirtualTime;
  readonly #random: () => number;
  readonly #places = new Map<string, Place>();
  /** Links that are cut, as `from to`. */
  readonly #cut = new Set<string>();
  readonly #dialling = new Set<string>();
  readonly #latencyMs: (from: Endpoint, to: Endpoint) => number;
  /** By node: the delay of its frames, in both directions. */
  readonly #clogged = new Map<string, number>();
  faults: NetworkFaults = CALM;
  frames = 0;
  bytes = 0;

  constructor(time: VirtualTime, random: () => number, latencyMs: (from: Endpoint, to: Endpoint) => number) {
    this.#time = time;
    this.#random = random;
    this.#latencyMs = latencyMs;
  }

  /** A process starts: all others dial it, and it dials them. */
  join(name: string, endpoint: Endpoint): void {
    this.#places.set(name, { endpoint, peers: new Set() });
    for (const other of this.#places.keys()) if (other !== name) this.#dial(name, other);
  }

  /** A process is gone; its peers notice at once. */
  leave(name: string): void {
    const place = this.#places.get(name);
    this.#places.delete(name);
    for (const other of place?.peers ?? []) this.#down(other, name);
  }

  /** Cuts the direction from `from` to `to`. */
  cut(from: string, to: string): void {
    this.#cut.add(linkOf(from, to));
    this.#time.after(NOTICE_CUT_MS, () => {
      if (!this.isWhole(from, to)) this.#hangUp(from, to);
    });
  }

  /** Delays everything from and to `name` by `delayMs`; 0 as before. */
  clog(name: string, delayMs: number): void {
    if (delayMs === 0) this.#clogged.delete(name);
    else this.#clogged.set(name, delayMs);
  }

  /** Heals all links. */
  heal(): void {
    this.#cut.clear();
    this.#clogged.clear();
    const names = [...this.#places.keys()];
    for (const [index, one] of names.entries()) for (const other of names.slice(index + 1)) this.#dial(one, other);
  }

  /** Sends a frame; returns whether there is a connection. */
  send(from: string, to: string, frame: Uint8Array): boolean {
    const sender = this.#places.get(from);
    if (sender === undefined || !sender.peers.has(to)) return false;
    this.frames += 1;
    this.bytes += frame.length;
    const { loss, doubling } = this.faults;
    if (this.#random() >= loss) this.#carry(from, to, frame);
    if (this.#random() < doubling) this.#carry(from, to, frame);
    return true;
  }

  /** Sends a frame to all that can be reached, also through others: each peer of a node that has it gets it. */
  publish(from: string, frame: Uint8Array): void {
    const reached = new Set([from]);
    for (const one of reached) {
      const peers = this.#places.get(one)?.peers;
      for (const other of this.#places.keys())
        if (peers?.has(other) && !reached.has(other) && !this.#isCut(one, other)) reached.add(other);
      if (reached.size === this.#places.size) break;
    }
    for (const to of reached) {
      if (to === from) continue;
      this.frames += 1;
      this.bytes += frame.length;
      if (this.#random() < this.faults.loss) continue;
      this.#time.after(this.#delayMs(from, to), () => this.#places.get(to)?.endpoint.hear(from, frame));
    }
  }

  helloOf(name: string): SimHello | undefined {
    return this.#places.get(name)?.endpoint.hello;
  }

  /** Closes a connection. The other end dials again, as any node does with known nodes. */
  disconnect(one: string, other: string): void {
    this.#hangUp(one, other);
    this.#dial(other, one);
  }

  #carry(from: string, to: string, frame: Uint8Array): void {
    this.#time.after(this.#delayMs(from, to), () => {
      if (!this.#isCut(from, to)) this.#places.get(to)?.endpoint.receive(from, frame);
    });
  }

  #delayMs(from: string, to: string): number {
    const [sender, receiver] = [this.#places.get(from), this.#places.get(to)];
    if (sender === undefined || receiver === undefined) return 0;
    const latencyMs = this.#latencyMs(sender.endpoint, receiver.endpoint) + this.#random() * this.faults.jitterMs;
    if (this.#clogged.size === 0) return latencyMs;
    return latencyMs + (this.#clogged.get(from) ?? 0) + (this.#clogged.get(to) ?? 0);
  }

  #isCut(from: string, to: string): boolean {
    return this.#cut.size > 0 && this.#cut.has(linkOf(from, to));
  }

  /** Whether nothing is cut between two. */
  isWhole(one: string, other: string): boolean {
    return !this.#isCut(one, other) && !this.#isCut(other, one);
  }

  #dial(one: string, other: string): void {
    const pair = one < other ? linkOf(one, other) : linkOf(other, one);
    if (this.#places.get(one)?.peers.has(other) || this.#dialling.has(pair)) return;
    this.#dialling.add(pair);
    this.#time.after(this.#random() * REDIAL_MS, () => {
      this.#dialling.delete(pair);
      const ends = [this.#places.get(one), this.#places.get(other)] as const;
      if (ends[0] === undefined || ends[1] === undefined || !this.isWhole(one, other)) return;
      ends[0].peers.add(other);
      ends[1].peers.add(one);
      ends[0].endpoint.up(other);
      ends[1].endpoint.up(one);
    });
  }

  #hangUp(one: string, other: string): void {
    if (this.#places.get(one)?.peers.has(other) !== true) return;
    this.#down(one, other);
    this.#down(other, one);
  }

  #down(at: string, other: string): void {
    const place = this.#places.get(at);
    if (place?.peers.delete(other)) place.endpoint.down(other);
  }
}

function linkOf(from: string, to: string): string {
  return `${from} ${to}`;
}
