/**
 * One node's part in the mesh: members and views, the ledger and how it spreads, and the messages of rooms.
 *
 * Deterministic: frames, ticks and visitors come in with the time; writes and frames go out when the shell takes them,
 * writes first. The binary and the simulator run this same object. It knows no sockets, timers or files.
 *
 * It is a facade over its parts, which do the work: peer-parts.ts makes and connects them. peer-inbox.ts hands each
 * message to its part, peer-membership.ts has what a new view changes here, and peer-room-node.ts is the rooms' view of
 * all this.
 */

import type { NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import { renewedMs } from "../../mesh/core/minute.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import type { Outbox } from "../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import type { IdleShare } from "../admission/mesh/room-messages.ts";
import { ROOMS_MS } from "./dissemination.ts";
import type { Draws } from "./draws.ts";
import type { HistorySync } from "./history-sync.ts";
import type { LeaseState } from "./member-gauges.ts";
import { ADDRESSES_PER_NODE_MAX, AT_REST_KINDS, type MessageOf, type PeerMessage } from "./message-kinds.ts";
import type { NodeNames } from "./node-names.ts";
import type { PeerCounts } from "./peer-frames.ts";
import { PeerInbox } from "./peer-inbox.ts";
import type { PeerHello, PeerOptions, Ready } from "./peer-options.ts";
import { PeerParts } from "./peer-parts.ts";
import type { PeerRoomNode } from "./peer-room-node.ts";
import type { Left } from "./peer-tables.ts";
import { INCARNATION } from "./stored-peer.ts";

/**
 * For how long work that takes longer than a step goes on at once: a request waits no longer for it, and a part of 4
 * ms.
 */
const WORK_MS_MAX = 10;

/** Parts at once: a clock that stands still does not keep it going. */
const WORK_PARTS_MAX = 8;

/**
 * How far a start with a clock behind the disk's last one is above that: by more than a run publishes parts. Versions of
 * parts rise from the incarnation, so an old disk shows by parts below it. With ten times as much, 700 such starts would
 * reach the largest version.
 */
const INCARNATIONS_APART = 1_000_000_000;

/** The incarnation of a start at `nowMs`: above those of all earlier starts on the same disk, and their versions. */
export function incarnationOf(restored: ReadonlyMap<string, unknown>, nowMs: number): number {
  const before = INCARNATION.read(restored);
  return before === undefined || nowMs > before ? nowMs : before + INCARNATIONS_APART;
}

/**
 * For so long after slots came free by time alone, rooms look at every tick: other nodes' slots are heard of, fetched,
 * and called for meanwhile. Halved, the last of them wait for the next look in line.
 */
const RENEWING_MS = 500;

/**
 * For so long after the last message that was more than a heartbeat, and after anybody waited here, this node is not at
 * rest. Visitors in line ask others at least that often while a room is busy.
 */
const REST_AFTER_MS = 10_000;

/** How often a node at rest looks. Doubled, what only time brings, such as a removal, is late by another second. */
const REST_LOOK_MS = 1_000;

export class Peer {
  readonly outbox: Outbox<PeerMessage>;
  readonly members: Members;
  readonly replica: Replica;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  readonly roomNode: PeerRoomNode;
  readonly draws: Draws;
  /** The minutes that are over, at all nodes; undefined where none are kept. */
  readonly history: HistorySync | undefined;
  readonly names: NodeNames;
  readonly #options: PeerOptions;
  readonly #parts: PeerParts;
  readonly #inbox: PeerInbox;
  /** From the start: its rooms are on the disk. */
  readonly #hadView: boolean;
  /** Whether the mesh would have survived the loss of one more node, at any time since this one joined it. */
  #isSafe: boolean;
  #tickedMs = Number.NEGATIVE_INFINITY;
  /** When this node was last not at rest. */
  #busyMs: number;

  constructor(options: PeerOptions) {
    this.#options = options;
    const parts = new PeerParts(options);
    this.#parts = parts;
    this.#inbox = new PeerInbox(parts);
    this.outbox = parts.outbox;
    this.members = parts.members;
    this.replica = parts.replica;
    this.rooms = parts.rooms;
    this.roomNode = parts.roomNode;
    this.draws = parts.draws;
    this.history = parts.history;
    this.names = parts.names;
    this.#hadView = this.members.view !== undefined;
    this.#isSafe = this.#hadView;
    this.#busyMs = options.now.steadyMs;
    this.at(options.now);
  }

  /** Whether this node knows that its disk is not an old one; see old-disk-guard.ts. */
  get isInStep(): boolean {
    return this.#parts.guard.isInStep;
  }

  /** Whether this node knows the operators' decisions at other nodes. */
  get knowsRegisters(): boolean {
    return this.#parts.guard.knowsRegisters;
  }

  /** Whether the rooms' time is right, as far as can be known: the gate must not open before. */
  get isClockTrusted(): boolean {
    return this.#parts.time.isTrusted;
  }

  /** Whether this node is a member, and has heard which rooms there are. */
  get isReady(): boolean {
    return this.members.view !== undefined && (this.#hadView || this.isInStep);
  }

  /**
   * Whether the next node may be taken down, as far as this one knows, which has joined. An orchestrator that replaces
   * node after node waits for this. A node that was a member before says nothing about it: the loss of one node must
   * not take all others out of a load balancer.
   */
  get isSafe(): boolean {
    return this.#isSafe;
  }

  get incarnation(): number {
    return this.#options.incarnation;
  }

  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  /** Unix ms as the rooms see it. */
  get roomMs(): number {
    return this.#parts.time.roomMs;
  }

  /** Unix ms by which operators' decisions are stamped here. */
  get stampMs(): number {
    return this.#parts.time.stampMs;
  }

  /** The moment of the step in progress. */
  get now(): Instant {
    return this.#parts.time.now;
  }

  get counts(): Readonly<PeerCounts> {
    return this.#parts.frames.counts;
  }

  /** Frames that were not used, by reason. */
  get dropped(): Readonly<Record<string, number>> {
    return this.#parts.frames.dropped;
  }

  /** Where a node can be dialled, as far as known. */
  addressesOf(node: NodeId): readonly string[] {
    return this.#parts.addresses.of(node);
  }

  /** What a member last reported about its lease. */
  leaseOf(node: NodeId): LeaseState | undefined {
    return this.#parts.gauges.leaseOf(node);
  }

  /** What is idle at this node: what removed nodes left to it, and its own share of rooms that it holds. */
  get idleHere(): readonly IdleShare[] {
    return this.#parts.idle.all;
  }

  /** What is idle at other members, as they report it. */
  get idleElsewhere(): readonly IdleShare[] {
    return this.#parts.gauges.idle;
  }

  /** Makes a room take part from now on. */
  add(room: MeshRoom): void {
    const { rooms, holds, handed, pots, time } = this.#parts;
    rooms.set(room.id, room);
    holds.add(room);
    handed.add(room, time.roomMs);
    pots.settleIn(room);
  }

  /** Has a site hold slots for what a room holds that it does not count any more. */
  holdAtSite(left: Left): void {
    const { rooms, handed, time } = this.#parts;
    handed.holdAtSite(left, rooms, time.roomMs);
  }

  /** Call it before anything else in a step, but for visitors' requests. */
  at(now: Instant): void {
    const { time, authority } = this.#parts;
    authority.begin();
    this.roomNode.record();
    time.at(now);
    time.lookAhead();
  }

  /** Call it before a visitor's request, which changes nothing of what this node may do. */
  visit(now: Instant): void {
    this.#parts.time.at(now);
  }

  /** A step is over. */
  #end(): void {
    this.#parts.time.lookAhead();
    this.#parts.authority.end();
  }

  /** The process ends in order: commit this last. */
  end(): void {
    this.#parts.powerLoss.end();
    this.#parts.proof.end();
  }

  up(node: NodeId, hello: PeerHello, now: Instant): void {
    this.at(now);
    const { members, outbox, replica, names, addresses, dissemination, publish, up } = this.#parts;
    this.#parts.epoch += 1;
    members.up(node, now, hello);
    up.add(node);
    names.said(node, hello.name);
    addresses.hear([[node, hello.addresses.slice(0, ADDRESSES_PER_NODE_MAX)]]);
    publish({ kind: "addresses", nodes: [[node, [...addresses.of(node)]]] });
    outbox.send(node, this.#nodesTold());
    dissemination.sayAgain();
    outbox.send(node, replica.digest());
    this.#end();
  }

  down(node: NodeId, now: Instant): void {
    this.at(now);
    // How long it is silent is to be known soon: an operator may say that it is gone.
    this.#busyMs = now.steadyMs;
    this.#parts.epoch += 1;
    this.members.down(node, now);
    this.#parts.up.delete(node);
    this.#parts.guard.down(node);
    this.#parts.calls.lost(node, now.steadyMs);
    this.#end();
  }

  /** A peer knows of a later process of this identity. */
  outrun(newest: number, now: Instant): void {
    this.at(now);
    this.members.outrun(newest);
  }

  /** A frame that came from `from` on a stream. */
  receive(from: NodeId, frame: Uint8Array, now: Instant): void {
    this.at(now);
    if (this.#inbox.receive(from, frame)) this.#busyMs = now.steadyMs;
    this.#end();
  }

  /** A frame that `from` published. */
  published(from: NodeId, frame: Uint8Array, now: Instant): void {
    this.at(now);
    this.#inbox.published(from, frame);
    this.#end();
  }

  /** Leaves a tick out, and returns true, if a look once a second is enough. */
  rests(now: Instant): boolean {
    if (now.steadyMs - this.#tickedMs >= REST_LOOK_MS || !this.#isAtRest(now)) return false;
    this.at(now);
    this.members.step(now);
    this.#end();
    return true;
  }

  #isAtRest({ steadyMs }: Instant): boolean {
    return steadyMs - this.#busyMs >= REST_AFTER_MS;
  }

  /** Call it about every 100 ms, but for ticks that may be left out (`rests`). */
  tick(now: Instant): void {
    this.at(now);
    this.#look(now);
    this.#end();
  }

  #look(now: Instant): void {
    this.#parts.epoch += 1;
    this.#parts.calls.tick(now.steadyMs);
    this.members.tick(now);
    this.#isSafe ||= this.members.survivesLoss(now);
    const { roomMs, isTrusted, forDraws } = this.#parts.time;
    for (const room of this.rooms.values()) if (room.pending > 0) room.workPending(roomMs);
    this.#parts.ceilings.settle(now);
    this.#parts.testimonies.tick();
    if (isTrusted) this.draws.tick(forDraws);
    if (isTrusted) this.history?.tick(now.steadyMs);
    if (isTrusted) this.#renew(roomMs);
    if (now.steadyMs - this.#tickedMs < ROOMS_MS) return;
    this.#tickedMs = now.steadyMs;
    this.#tickRooms(now);
  }

  /** Right after slots came free by time alone, rooms do not wait for their next look. */
  #renew(roomMs: number): void {
    if (roomMs - renewedMs(roomMs, this.roomNode.minuteMs) >= RENEWING_MS) return;
    for (const room of this.rooms.values()) room.renew(roomMs);
  }

  /** What is done twice a second, and once at rest. */
  #tickRooms(now: Instant): void {
    const { frames, pots, time, cutOff, holds, powerLoss, ceilings, dissemination } = this.#parts;
    const { roomMs, minute, isTrusted, mostMs } = time;
    frames.forgive();
    pots.tick(now);
    if (mostMs !== undefined) this.replica.restamp(mostMs, now.wallMs - mostMs);
    if (isTrusted) {
      if (this.members.mayExtendOwn(now)) cutOff.extends(minute);
      holds.tick(now, time.stampMs);
      powerLoss.tick(now, this.isInStep);
      for (const room of this.rooms.values()) room.tick(roomMs, this.#isAtRest(now));
      ceilings.tick(now);
    }
    if (this.rooms.values().some((room) => room.pending > 0 || room.waitingHere > 0)) this.#busyMs = now.steadyMs;
    const isAtRest = this.#isAtRest(now);
    this.members.interestingNodes(isAtRest ? undefined : this.#usedCounters(), now);
    dissemination.tick(now, isAtRest);
  }

  /** Whether something is under way that takes longer than a step: then `work` is to be called often. */
  get isBusy(): boolean {
    return this.draws.isBusy || this.rooms.values().some((room) => room.admission.isRearranging);
  }

  /** Does a part of it, for some ms by `steadyMs`. */
  work(now: Instant, steadyMs: () => number): void {
    this.at(now);
    const endMs = now.steadyMs + WORK_MS_MAX;
    for (let part = 0; part < WORK_PARTS_MAX && this.isBusy && steadyMs() < endMs; part++) {
      this.draws.work();
      for (const room of this.rooms.values()) room.admission.rearrange();
    }
  }

  /** Everything to do since the last call. */
  take(): Ready {
    const { ceilings, authority, time, frames, toPublish, addresses } = this.#parts;
    if (!authority.isUnbound) ceilings.settle(time.now);
    const batch = this.outbox.take();
    if (batch.sent.some(({ message }) => !AT_REST_KINDS.has(message.kind))) this.#busyMs = time.now.steadyMs;
    const sent = batch.sent.length === 0 ? [] : frames.sent(batch.sent);
    const published = toPublish.length === 0 ? [] : frames.published(toPublish.splice(0));
    const punished = [...frames.punished];
    frames.punished.clear();
    const nodes = addresses.hasNews ? addresses.take() : { known: [], forgotten: [] };
    return { batch, frames: sent, published, punished, ...nodes };
  }

  /** Gives back the writes of a batch that could not be committed; its messages are as if lost. */
  retry({ batch }: Ready): void {
    this.outbox.retry(batch);
    this.#parts.guard.questionsLost();
    this.#parts.time.notSent();
  }

  get isIdle(): boolean {
    const { outbox, toPublish, frames, addresses, authority, ceilings } = this.#parts;
    const isAllTaken = toPublish.length === 0 && frames.punished.size === 0 && !addresses.hasNews;
    return outbox.isEmpty && isAllTaken && (authority.isUnbound || ceilings.isIdle);
  }

  /** What is known of nodes. Of others it would go round for ever, as each forgets them at a moment of its own. */
  #nodesTold(): MessageOf<"addresses"> {
    const { addresses, isAround, members } = this.#parts;
    const former = new Set(members.former);
    const nodes = addresses.all.filter(([node]) => isAround(node));
    const names = this.names.forOthers.filter(
      ([node]) => node === this.#options.self || former.has(node) || isAround(node),
    );
    return { kind: "addresses", nodes, ...(names.length > 0 && { names }) };
  }

  /** Ticket counters and stand-ins that this node's rooms use: their silence should be noticed soon. */
  #usedCounters(): ReadonlySet<NodeId> {
    const used = new Set<NodeId>();
    for (const room of this.rooms.values()) for (const node of room.counters().slice(0, 2)) used.add(node);
    used.delete(this.#options.self);
    return used;
  }
}
