/**
 * Pings to all other members (a failure detector): which ones answer, how fast, and how far their clocks are off.
 *
 * Suspicion is quick and harmless, because it moves no shares: it only decides which node is asked for tickets. A node
 * distrusts itself first (Dadgar et al., "Lifeguard", 2017): while its own event loop was stalled it could hear
 * nothing, so that time counts as silence of no node. A lease is stricter, see lease.ts.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { APART_MS_MAX, type ClockOffset } from "./clock-offset.ts";

/**
 * Between pings to nodes whose tickets or adoptions are used, in ms; three may be lost before another node is asked.
 */
const NEAR_PING_MS = 500;
const NEAR_SILENT_MS = 1_500;

/** Between pings to all others. Each costs a message there and back: 300 a second in a mesh of 300. */
const FAR_PING_MS = 2_000;
const FAR_SILENT_MS = 5_000;

/** Between pings to all while nothing depends on any of them: as rare as a lease allows. */
const REST_PING_MS = 5_000;

/** A lease must survive the loss of some pings: this many are sent in its time. */
const PINGS_PER_LEASE = 6;

/** Unanswered pings remembered for each member; an answer to an older one is too old to be useful. */
const ASKED_MAX = 8;

/**
 * Gossip of a node that runs comes every 9 s at least; so long after it the node is still there, and never longer than
 * a lease, as a removal must not wait for it.
 */
const GOSSIP_SILENT_MS = 20_000;

/**
 * A longer round trip does not measure a clock, as all of it may have been the way there. It only shows one that is too
 * far off to be right.
 */
const CLOCK_ROUND_TRIP_MS_MAX = 1_000;

/** Ticks come every 100 ms or so; any pause beyond this was a stall of the own event loop. */
const PAUSE_MS_MAX = 250;

const NEVER_MS = Number.NEGATIVE_INFINITY;

interface Peer {
  /** On the steady clock, like all times here; moved on by stalls. */
  heardMs: number;
  /** Whether it was ever heard; if not, `heardMs` is when waiting for it began. */
  isKnown: boolean;
  /** Whether it is certain that no process of this node's identity ever heard it. */
  isUnheard: boolean;
  answeredMs: number;
  /** For how long that answer counts, at least: it was asked for when pings were rarer, perhaps. */
  goodForMs: number;
  /** When gossip of it came last, by way of others perhaps. */
  gossipMs: number;
  /** While it is a near one, it counts as having answered then. */
  nearMs: number;
  pingedMs: number;
  roundTripMs: number | undefined;
  /** How far its wall clock is ahead of this node's steady clock. */
  aheadOfSteadyMs: number | undefined;
  readonly asked: { readonly id: number; readonly at: Instant }[];
}

export class Heartbeats {
  readonly #leaseMs: number;
  /** Whether the nodes that are followed next were never heard. */
  #startsUnheard: boolean;
  readonly #peers = new Map<NodeId, Peer>();
  #near: ReadonlySet<NodeId> = new Set();
  #isAtRest = false;
  #ids = 0;
  #steppedMs: number;

  /** `isFirstRun`: whether no earlier process of this node's identity has heard anybody. */
  constructor(leaseMs: number, now: Instant, isFirstRun = false) {
    this.#leaseMs = leaseMs;
    this.#startsUnheard = isFirstRun;
    this.#steppedMs = now.steadyMs;
  }

  /** The nodes to ping from now on; a new one counts as just heard, but not as answering. */
  follow(nodes: readonly NodeId[], now: Instant): void {
    const followed = new Set(nodes);
    const isUnheard = this.#startsUnheard;
    // One that is followed again later may have been heard before.
    this.#startsUnheard = false;
    for (const node of this.#peers.keys()) if (!followed.has(node)) this.#peers.delete(node);
    for (const node of nodes) this.#peers.getOrInsertComputed(node, () => newPeer(now, isUnheard));
  }

  /**
   * The nodes to be pinged more often. One that falls silent stays among them until it answers: nobody uses it any
   * more, and by the longer time of other nodes it would seem to answer again. One that answers and is new among them
   * has the time of one ping to answer again: for its last answer, that longer time was allowed.
   */
  near(nodes: ReadonlySet<NodeId> | readonly NodeId[], now: Instant): void {
    this.#isAtRest = false;
    for (const node of nodes) {
      const peer = this.#near.has(node) ? undefined : this.#peers.get(node);
      if (peer !== undefined && this.isAnswering(node, now)) peer.nearMs = now.steadyMs + NEAR_PING_MS - NEAR_SILENT_MS;
    }
    const silent = [...this.#near].filter((node) => this.#peers.has(node) && !this.isAnswering(node, now));
    this.#near = new Set([...nodes, ...silent]);
  }

  /** Nothing depends on any node, until `near` is called again. */
  rest(now: Instant): void {
    this.near([], now);
    this.#isAtRest = true;
  }

  /** Call it first in every step: it notices stalls. */
  step(now: Instant): void {
    const stallMs = now.steadyMs - this.#steppedMs - PAUSE_MS_MAX;
    this.#steppedMs = now.steadyMs;
    if (stallMs <= 0) return;
    for (const peer of this.#peers.values()) {
      peer.heardMs += stallMs;
      peer.answeredMs += stallMs;
      peer.nearMs += stallMs;
    }
  }

  /** The pings that are due, each with the id that its answer repeats. `urgent`: nodes whose answers a lease lacks. */
  due(now: Instant, urgent: readonly NodeId[]): { readonly node: NodeId; readonly id: number }[] {
    const due: { node: NodeId; id: number }[] = [];
    for (const [node, peer] of this.#peers) {
      const pingMs = urgent.includes(node) ? Math.min(NEAR_PING_MS, this.#pingMs(node)) : this.#pingMs(node);
      if (now.steadyMs < peer.pingedMs + pingMs) continue;
      peer.pingedMs = now.steadyMs;
      this.#ids += 1;
      if (peer.asked.length === ASKED_MAX) peer.asked.shift();
      peer.asked.push({ id: this.#ids, at: now });
      due.push({ node, id: this.#ids });
    }
    return due;
  }

  /** Schedules a ping of all nodes, or of one, at the next opportunity. */
  hurry(node?: NodeId): void {
    for (const [each, peer] of this.#peers) if (node === undefined || each === node) peer.pingedMs = NEVER_MS;
  }

  /** A ping from `node` has arrived. */
  heard(node: NodeId, now: Instant): void {
    const peer = this.#peers.get(node);
    if (peer === undefined) return;
    peer.heardMs = now.steadyMs;
    peer.isKnown = true;
    peer.isUnheard = false;
  }

  /** An answer has arrived. Returns when it was asked for; undefined if none is awaited. */
  answered(node: NodeId, answer: { readonly id: number; readonly wallMs: number }, now: Instant): Instant | undefined {
    const peer = this.#peers.get(node);
    const index = peer?.asked.findIndex(({ id }) => id === answer.id) ?? -1;
    const asked = peer?.asked.splice(index, index < 0 ? 0 : 1)[0];
    if (peer === undefined || asked === undefined) return undefined;
    peer.heardMs = now.steadyMs;
    peer.isKnown = true;
    peer.isUnheard = false;
    peer.answeredMs = now.steadyMs;
    peer.goodForMs = this.#silentMs(node);
    peer.roundTripMs = now.steadyMs - asked.at.steadyMs;
    const ownMs = now.wallMs - now.steadyMs;
    const [earliestMs, latestMs] = [answer.wallMs - now.steadyMs, answer.wallMs - asked.at.steadyMs];
    if (peer.roundTripMs <= CLOCK_ROUND_TRIP_MS_MAX) peer.aheadOfSteadyMs = (earliestMs + latestMs) / 2;
    // By the earliest time that it can have, no session ends too soon.
    else if (ownMs < earliestMs - APART_MS_MAX || ownMs > latestMs + APART_MS_MAX) peer.aheadOfSteadyMs = earliestMs;
    return asked.at;
  }

  /** The connection to `node` is gone: it counts as not there until it answers, or its gossip comes again. */
  lost(node: NodeId): void {
    const peer = this.#peers.get(node);
    if (peer !== undefined)
      Object.assign(peer, { answeredMs: NEVER_MS, goodForMs: 0, gossipMs: NEVER_MS, nearMs: NEVER_MS });
  }

  isAnswering(node: NodeId, now: Instant): boolean {
    const peer = this.#peers.get(node);
    if (peer === undefined) return false;
    const { answeredMs, nearMs } = peer;
    return this.#isWithin(this.#near.has(node) ? Math.max(answeredMs, nearMs) : answeredMs, node, now);
  }

  /**
   * Whether it answers, or was heard so lately that it may: a connection that has just ended proves nothing about its
   * node.
   */
  mayAnswer(node: NodeId, now: Instant): boolean {
    const peer = this.#peers.get(node);
    return this.isAnswering(node, now) || (peer?.isKnown === true && this.#isWithin(peer.heardMs, node, now));
  }

  /** Gossip of `node` has arrived, by way of others perhaps. */
  heardGossip(node: NodeId, now: Instant): void {
    const peer = this.#peers.get(node);
    if (peer !== undefined) peer.gossipMs = now.steadyMs;
  }

  /** Whether it answers, or its gossip comes: then others hear it. */
  isThere(node: NodeId, now: Instant): boolean {
    const gossipMs = this.#peers.get(node)?.gossipMs ?? NEVER_MS;
    return this.isAnswering(node, now) || now.steadyMs - gossipMs <= Math.min(GOSSIP_SILENT_MS, this.#leaseMs);
  }

  /** Whether it is certain that no process of this node's identity ever heard `node`. */
  isUnheard(node: NodeId): boolean {
    return this.#peers.get(node)?.isUnheard === true;
  }

  /** How many nodes are followed. */
  get count(): number {
    return this.#peers.size;
  }

  /**
   * How long nothing has been heard from `node`, in ms; own stalls do not count. Undefined for a node that is not
   * followed.
   */
  quietMs(node: NodeId, now: Instant): number | undefined {
    const peer = this.#peers.get(node);
    return peer === undefined ? undefined : now.steadyMs - peer.heardMs;
  }

  /** From the last answer; undefined before the first. */
  roundTripMs(node: NodeId): number | undefined {
    return this.#peers.get(node)?.roundTripMs;
  }

  /**
   * How far the clock of `node` is ahead of the own one; undefined before the first answer. A step of the own clock
   * shows at once.
   */
  offsetMs(node: NodeId, now: Instant): number | undefined {
    const ahead = this.#peers.get(node)?.aheadOfSteadyMs;
    return ahead === undefined ? undefined : ahead - (now.wallMs - now.steadyMs);
  }

  /** Clocks of the nodes that answer. */
  clocks(now: Instant): ClockOffset[] {
    return this.clocksHeard(now).filter(({ node }) => this.isAnswering(node, now));
  }

  /** Clocks of the nodes that have answered at any time, as far as their own and the steady clock here keep pace. */
  clocksHeard(now: Instant): ClockOffset[] {
    return [...this.#peers.keys()].flatMap((node) => {
      const offsetMs = this.offsetMs(node, now);
      return offsetMs === undefined ? [] : [{ node, offsetMs }];
    });
  }

  #isWithin(sinceMs: number, node: NodeId, now: Instant): boolean {
    const goodForMs = this.#near.has(node) ? 0 : (this.#peers.get(node)?.goodForMs ?? 0);
    return now.steadyMs - sinceMs <= Math.max(goodForMs, this.#silentMs(node));
  }

  #pingMs(node: NodeId): number {
    const farMs = this.#isAtRest ? REST_PING_MS : FAR_PING_MS;
    return Math.min(this.#near.has(node) ? NEAR_PING_MS : farMs, this.#leaseMs / PINGS_PER_LEASE);
  }

  #silentMs(node: NodeId): number {
    if (this.#near.has(node)) return NEAR_SILENT_MS;
    return Math.max(NEAR_SILENT_MS, (FAR_SILENT_MS * this.#pingMs(node)) / FAR_PING_MS);
  }
}

function newPeer(now: Instant, isUnheard: boolean): Peer {
  return {
    heardMs: now.steadyMs,
    isKnown: false,
    isUnheard,
    answeredMs: NEVER_MS,
    goodForMs: 0,
    gossipMs: NEVER_MS,
    nearMs: NEVER_MS,
    pingedMs: NEVER_MS,
    roundTripMs: undefined,
    aheadOfSteadyMs: undefined,
    asked: [],
  };
}
