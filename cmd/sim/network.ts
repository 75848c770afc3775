/**
 * A network in memory with faults: frames are lost, doubled, late and out of order; links are cut one way or both.
 *
 * It stands for TCP connections as the transport keeps them: a cut is noticed by both ends after a while (`down`), a healed
 * one after the next dial (`up`). Frames are bytes, so that what travels is what the codec makes of it.
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

/** A network in order. */
export const CALM: NetworkFaults = { loss: 0, doubling: 0, jitterMs: 1 };

/** What a node says of itself when a connection is made. */
export interface SimHello {
  readonly locality: string;
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

/** How long both ends of a cut link go on without noticing: the transport's own patience. */
const NOTICE_CUT_MS = 8_000;
/** The longest wait for the next dial. */
const REDIAL_MS = 2_000;

export class Network {
  readonly #time: VirtualTime;
  readonly #random: () => number;
  readonly #endpoints = new Map<string, Endpoint>();
  /** Links that are cut, as `from to`. */
  readonly #cut = new Set<string>();
  /** Pairs that are up, as `one other` in order. */
  readonly #up = new Set<string>();
  readonly #dialling = new Set<string>();
  readonly #latencyMs: (from: string, to: string) => number;
  /** By node: what its frames, to it and from it, are late by. */
  readonly #clogged = new Map<string, number>();
  faults: NetworkFaults = CALM;
  frames = 0;
  bytes = 0;

  constructor(time: VirtualTime, random: () => number, latencyMs: (from: string, to: string) => number) {
    this.#time = time;
    this.#random = random;
    this.#latencyMs = latencyMs;
  }

  /** A process starts: it is dialled by all others, and dials them. */
  join(name: string, endpoint: Endpoint): void {
    this.#endpoints.set(name, endpoint);
    for (const other of this.#endpoints.keys()) if (other !== name) this.#dial(name, other);
  }

  /** A process is gone; its peers notice at once. */
  leave(name: string): void {
    this.#endpoints.delete(name);
    for (const other of this.#endpoints.keys()) this.#hangUp(name, other);
  }

  /** Cuts what goes from `from` to `to`. */
  cut(from: string, to: string): void {
    this.#cut.add(`${from} ${to}`);
    this.#time.after(NOTICE_CUT_MS, () => {
      if (!this.#isWhole(from, to)) this.#hangUp(from, to);
    });
  }

  /** Has everything from and to `name` come late by `delayMs`; 0 as before. */
  clog(name: string, delayMs: number): void {
    if (delayMs === 0) this.#clogged.delete(name);
    else this.#clogged.set(name, delayMs);
  }

  /** Heals all links. */
  heal(): void {
    this.#cut.clear();
    this.#clogged.clear();
    const names = [...this.#endpoints.keys()];
    for (const [index, one] of names.entries()) for (const other of names.slice(index + 1)) this.#dial(one, other);
  }

  /** Sends a frame; returns whether there is a connection. */
  send(from: string, to: string, frame: Uint8Array): boolean {
    if (!this.#up.has(pairOf(from, to))) return false;
    this.frames += 1;
    this.bytes += frame.length;
    const { loss, doubling } = this.faults;
    if (this.#random() >= loss) this.#carry(from, to, frame);
    if (this.#random() < doubling) this.#carry(from, to, frame);
    return true;
  }

  /** Sends a frame to all that are reached, by way of others too: whoever is connected to one that has it gets it. */
  publish(from: string, frame: Uint8Array): void {
    const reached = new Set([from]);
    for (const one of reached)
      for (const other of this.#endpoints.keys())
        if (!reached.has(other) && this.#up.has(pairOf(one, other)) && !this.#cut.has(`${one} ${other}`))
          reached.add(other);
    for (const to of reached) {
      if (to === from) continue;
      this.frames += 1;
      this.bytes += frame.length;
      if (this.#random() < this.faults.loss) continue;
      this.#time.after(this.#delayMs(from, to), () => this.#endpoints.get(to)?.hear(from, frame));
    }
  }

  helloOf(name: string): SimHello | undefined {
    return this.#endpoints.get(name)?.hello;
  }

  /** Closes a connection, and dials no more for now. */
  disconnect(one: string, other: string): void {
    this.#hangUp(one, other);
  }

  #carry(from: string, to: string, frame: Uint8Array): void {
    this.#time.after(this.#delayMs(from, to), () => {
      if (!this.#cut.has(`${from} ${to}`)) this.#endpoints.get(to)?.receive(from, frame);
    });
  }

  #delayMs(from: string, to: string): number {
    const cloggedMs = (this.#clogged.get(from) ?? 0) + (this.#clogged.get(to) ?? 0);
    return this.#latencyMs(from, to) + this.#random() * this.faults.jitterMs + cloggedMs;
  }

  #isWhole(one: string, other: string): boolean {
    return !this.#cut.has(`${one} ${other}`) && !this.#cut.has(`${other} ${one}`);
  }

  #dial(one: string, other: string): void {
    const pair = pairOf(one, other);
    if (this.#up.has(pair) || this.#dialling.has(pair)) return;
    this.#dialling.add(pair);
    this.#time.after(this.#random() * REDIAL_MS, () => {
      this.#dialling.delete(pair);
      const ends = [this.#endpoints.get(one), this.#endpoints.get(other)] as const;
      if (ends[0] === undefined || ends[1] === undefined || !this.#isWhole(one, other)) return;
      this.#up.add(pair);
      ends[0].up(other);
      ends[1].up(one);
    });
  }

  #hangUp(one: string, other: string): void {
    if (!this.#up.delete(pairOf(one, other))) return;
    this.#endpoints.get(one)?.down(other);
    this.#endpoints.get(other)?.down(one);
  }
}

function pairOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}
