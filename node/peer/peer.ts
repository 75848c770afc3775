/**
 * One node's part in the mesh: members and views, the ledger and how it spreads, and the messages of rooms.
 *
 * Deterministic: frames, ticks and visitors come in with the time; writes and frames go out when the shell takes them,
 * writes first. The binary and the simulator run this same object. It knows no sockets, timers or files.
 *
 * It connects the parts and hands each message to its part: peer-frames.ts packs and unpacks, node-time.ts has the
 * rooms' time, old-disk-guard.ts decides when the disk is trusted, room-holds.ts which rooms may not be used,
 * dissemination.ts what others are told, and peer-room-node.ts is the rooms' view of all this.
 */

import { type AccountId, accountOf, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { LongestIsland } from "../../mesh/core/members/longest-island.ts";
import { LongestSession } from "../../mesh/core/members/longest-session.ts";
import { Members, type Pot, type StopReason } from "../../mesh/core/members/members.ts";
import { VIEW } from "../../mesh/core/members/stored-members.ts";
import { SIZES } from "../../mesh/core/members/tiers.ts";
import type { View } from "../../mesh/core/members/view.ts";
import { isRoomKey, roomOfOrder } from "../../mesh/core/replica/register-keys.ts";
import { Replica } from "../../mesh/core/replica/replica.ts";
import type { ReplicaMessage } from "../../mesh/core/replica/replica-messages.ts";
import { Calls } from "../../mesh/core/wire/calls.ts";
import { Outbox } from "../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import { type IdleShare, ROOM_ANSWERS, type RoomCalls, type RoomMessage } from "../admission/mesh/room-messages.ts";
import { ChangeRights } from "./change-rights.ts";
import { CutOff } from "./cut-off.ts";
import { DiskProof } from "./disk-proof.ts";
import { Dissemination, ROOMS_MS } from "./dissemination.ts";
import type { DrawTime } from "./draw.ts";
import { drawMembers, newSecret } from "./draw-members.ts";
import { Draws } from "./draws.ts";
import { HistorySync } from "./history-sync.ts";
import { IdleShares } from "./idle-shares.ts";
import { KnownAddresses } from "./known-addresses.ts";
import { Localities } from "./localities.ts";
import { LostCounts } from "./lost-counts.ts";
import { type LeaseState, MemberGauges } from "./member-gauges.ts";
import { ADDRESSES_PER_NODE_MAX, isOf, type MessageOf, type PeerMessage } from "./message-kinds.ts";
import { NodeNames } from "./node-names.ts";
import { NodeTime } from "./node-time.ts";
import { OldDiskGuard } from "./old-disk-guard.ts";
import { OwnCeilings } from "./own-ceilings.ts";
import { peerCodec } from "./peer-codec.ts";
import { type PeerCounts, PeerFrames } from "./peer-frames.ts";
import type { PeerHello, PeerOptions, Ready } from "./peer-options.ts";
import { PeerRoomNode } from "./peer-room-node.ts";
import { HandedTables, inPot, type RoomTable } from "./peer-tables.ts";
import { PotClock } from "./pot-clock.ts";
import { PowerLoss } from "./power-loss.ts";
import { RoomHolds } from "./room-holds.ts";
import { sessionMinutesOf } from "./session-minutes.ts";
import { INCARNATION } from "./stored-peer.ts";
import { Testimonies } from "./testimonies.ts";

/** For how long work that takes longer than a step goes on at once: a request waits no longer for it, and a part of 4 ms. */
const WORK_MS_MAX = 10;

/** Parts at once: a clock that stands still does not keep it going. */
const WORK_PARTS_MAX = 8;

/** The incarnation of a start at `nowMs`: above those of all earlier starts on the same disk. */
export function incarnationOf(restored: ReadonlyMap<string, unknown>, nowMs: number): number {
  return Math.max(nowMs, (INCARNATION.read(restored) ?? 0) + 1);
}

function isAboutShares(message: PeerMessage): boolean {
  return isOf(message, "answers") || isOf(message, "rooms") || isOf(message, "power-loss");
}

export class Peer {
  readonly outbox = new Outbox<PeerMessage>();
  readonly calls: RoomCalls;
  readonly members: Members;
  readonly replica: Replica;
  readonly roomNode: PeerRoomNode;
  readonly localities: Localities;
  readonly draws: Draws;
  /** The minutes that are over, at all nodes; undefined where none are kept. */
  readonly history: HistorySync | undefined;
  readonly names: NodeNames;
  readonly rights: ChangeRights;
  readonly rooms = new Map<RoomId, MeshRoom>();
  /** Changes whenever a node may have come or gone: at ticks, and when a connection or the view changes. */
  epoch = 0;
  readonly #options: PeerOptions;
  readonly #frames: PeerFrames;
  readonly #time: NodeTime;
  readonly #guard: OldDiskGuard;
  readonly #holds: RoomHolds;
  readonly #addresses: KnownAddresses;
  readonly #gauges = new MemberGauges();
  readonly #idle: IdleShares;
  readonly #dissemination: Dissemination;
  readonly #handed: HandedTables;
  readonly #lost: LostCounts;
  readonly #powerLoss: PowerLoss;
  readonly #proof: DiskProof;
  readonly #testimonies: Testimonies;
  readonly #pots: PotClock;
  readonly #ceilings: OwnCeilings;
  readonly #cutOff: CutOff;
  /** To be published with the next step. */
  readonly #published: PeerMessage[] = [];
  readonly #up = new Set<NodeId>();
  /** From the start: its rooms are on the disk. */
  readonly #hadView: boolean;
  #tickedMs = Number.NEGATIVE_INFINITY;

  constructor(options: PeerOptions) {
    this.#options = options;
    const { self, incarnation, minuteMs, restored, events } = options;
    const { outbox, rooms } = this;
    const members = () => this.members;
    const now = () => this.#time.now;
    const roomMs = () => this.#time.roomMs;
    this.#frames = new PeerFrames({
      codec: options.codec ?? peerCodec(options.understands),
      view: () => this.members.view?.number ?? 0,
      wire: () => this.members.wire,
      log: events.log,
    });
    this.#time = new NodeTime({
      minuteMs,
      start: options.now,
      members,
      trusted: (isNew) => {
        for (const room of rooms.values())
          if (isNew) room.admission.begin(roomMs());
          else this.#compareMinute(room);
      },
      wentBack: () => this.#holds.holdAll("setBack"),
    });
    this.#guard = new OldDiskGuard({ ...options, start: options.now, members, up: this.#up, now });
    this.#addresses = new KnownAddresses(self, outbox);
    this.names = new NodeNames({ ...options, outbox });
    this.#handed = new HandedTables({ minuteMs, restored, outbox });
    this.#cutOff = new CutOff({ restored, outbox });
    const islands = new LongestIsland({ ...options, takesOn: options.takesOnIsland === true, outbox });
    const longestIslandMs = (at: Instant) => islands.longestMs(at);
    const sessions = new LongestSession({ ...options, longestIslandMs, outbox });
    const longestEarlier = () => sessions.longestEarlier(this.#time.now);
    this.#lost = new LostCounts({ ...options, outbox, rooms, longestEarlier });
    this.#holds = new RoomHolds({ rooms, lost: this.#lost, powerLoss: () => this.#powerLoss, log: events.log });
    // Calls of an earlier run have lower numbers: at most a million a second.
    this.calls = new Calls<RoomMessage, typeof ROOM_ANSWERS>(outbox, ROOM_ANSWERS, incarnation * 1_000);
    this.replica = this.#newReplica(options, sessions);
    this.#proof = new DiskProof({ ...options, outbox, isUsed: restored.has(VIEW.at()) });
    this.#testimonies = new Testimonies({
      ...options,
      storedIncarnation: INCARNATION.read(restored) ?? 0,
      members,
      replica: this.replica,
      rooms,
      handed: this.#handed,
      lost: this.#lost,
      powerLoss: () => this.#powerLoss,
      proof: this.#proof,
      now,
      roomMs,
      isInOrder: () => this.#isInOrder,
      changed: () => this.#pots.tick(this.#time.now),
      log: (fields, text) => events.log(fields, text),
    });
    this.members = this.#newMembers(options, { sessions, islands });
    this.#hadView = this.members.view !== undefined;
    if (this.#hadView) this.#time.wasMember();
    outbox.put(INCARNATION.at(), incarnation);
    this.#addresses.restore(restored);
    const ownsNothing = (accounts: readonly AccountId[]) => this.replica.ledger.ownNothing(accounts);
    const holdAll = (): void => this.#holds.holdAll("powerLoss");
    this.#powerLoss = new PowerLoss({ ...options, outbox, holdAll, members: this.members, replica: this.replica });
    this.#pots = new PotClock({ ...options, ownsNothing }, this.members, rooms);
    if (this.members.view !== undefined) this.#noteGone(this.members.view);
    this.#ceilings = new OwnCeilings({
      members: this.members,
      rooms,
      pots: this.#pots,
      unloaded: () => this.#handed.unloaded(rooms, roomMs()),
      isHeld: (room) => this.#holds.has(room),
      isSure: () => this.#isInOrder && !this.members.isClockOff(this.#time.now),
      roomMs,
    });
    const draws = (): Draws => this.draws;
    this.roomNode = new PeerRoomNode({
      peer: this,
      draws,
      options,
      pots: this.#pots,
      ceilings: this.#ceilings,
      cutOff: this.#cutOff,
      isHeld: (room) => this.#holds.has(room),
      gauges: this.#gauges.heard,
      bankFrom: (options.sizes ?? SIZES).bankFrom,
    });
    this.#idle = new IdleShares({
      members: this.members,
      replica: this.replica,
      pots: this.#pots,
      lost: this.#lost,
      powerLoss: this.#powerLoss,
      now,
    });
    this.localities = new Localities({
      ...options,
      members: this.members,
      rooms,
      outbox,
      gauges: this.#gauges.heard,
      seenAt: (room, node, minute) => this.roomNode.seenAt(room, node, minute),
      idle: () => this.#idle.told,
    });
    this.draws = new Draws({
      ...options,
      ...{ outbox, notary: this.roomNode.notary, newSecret: options.newSecret ?? newSecret },
      members: drawMembers(options, this.members, now),
    });
    this.rights = new ChangeRights({
      ...{ self, outbox, now, firstCall: incarnation * 1_000 },
      others: () => this.members.others,
      isAlive: (node) => this.roomNode.isAlive(node),
      register: (key) => this.replica.register(key),
      registers: () => this.replica.registers(),
    });
    this.history =
      options.history &&
      new HistorySync({
        ...{ ...options, ...options.history, outbox },
        publish: (message) => this.#published.push(message),
        others: () => this.members.alive(now()).filter((node) => node !== self),
      });
    this.#dissemination = new Dissemination({
      ...options,
      members: this.members,
      replica: this.replica,
      localities: this.localities,
      rooms,
      outbox,
      guard: this.#guard,
      time: this.#time,
      idle: this.#idle,
      up: this.#up,
      publish: (message) => this.#published.push(message),
    });
    this.at(options.now);
  }

  #newReplica(options: PeerOptions, sessions: LongestSession): Replica {
    const { self, founder, meshId, incarnation, minuteMs, restored, signatures, events } = options;
    return new Replica({
      self,
      founder,
      mesh: meshId,
      incarnation,
      minuteMs,
      stored: restored,
      outbox: this.outbox,
      signatures,
      writerOf: (account) => this.members.writerOf(account),
      isFenced: (account) => this.members.isFenced(account),
      registerChanged: (key, register) => {
        const ordered = roomOfOrder(key);
        if (isRoomKey(key)) events.roomChanged(key, register);
        else if (ordered !== undefined) events.orderChanged?.(ordered, register);
      },
      registerKept: (key, { document }) => {
        if (isRoomKey(key)) sessions.allow(key, sessionMinutesOf(document), this.#time.now);
      },
      judgeMs: () => this.#time.judgeMs,
      isInStep: () => this.isInStep,
      isNear: (node) => !this.members.hasTwoTiers || node === self || this.members.isNear(node),
      nearAccounts: () => (this.members.hasTwoTiers ? this.members.nearAccounts() : undefined),
      outdated: (reason) => events.over("new-identity", `the data directory is an old copy: ${reason}`),
      forgot: () => this.#lostCommits(),
    });
  }

  #newMembers(options: PeerOptions, longest: { sessions: LongestSession; islands: LongestIsland }): Members {
    const { self, locality, incarnation, leaseMs, islandMs, restored, random, events } = options;
    return new Members(
      {
        self,
        locality,
        incarnation,
        leaseMs,
        islandMs,
        ...longest,
        restored,
        found: options.founds,
        outbox: this.outbox,
        random,
        sizes: options.sizes ?? SIZES,
        ...(options.understands && { understands: options.understands }),
        app: {
          accounts: () => this.replica.ledger.accounts(),
          copies: (accounts) => this.replica.copies(accounts),
          mergeDecided: (rows) => this.replica.mergeDecided(rows),
          viewChanged: (view) => this.#viewChanged(view),
          tables: () => this.#handed.all(this.rooms, this.#time.roomMs),
          takeOver: (from, accounts, rows, tables) => {
            this.replica.takeOver(accounts, rows);
            this.#takeOver(accountOf(from), tables as readonly RoomTable[]);
          },
          stoppedBy: (reason) => this.#stoppedBy(reason),
          isInStep: () => this.isInStep,
          mayHandOver: () => this.isInStep && !this.#powerLoss.isOpen,
          heirLost: () => {
            for (const room of this.replica.registers().keys()) this.#holds.hold(room, "lostHeir");
          },
          hasLostCounts: () => this.#lost.holdsAny,
          pledgeCounts: () => {
            for (const room of this.rooms.values()) room.workPending(this.#time.roomMs);
          },
          testimony: this.#testimonies,
          log: (event) => events.log({}, event),
        },
      },
      options.now,
    );
  }

  /** Whether this node knows that its disk is not an old one; see old-disk-guard.ts. */
  get isInStep(): boolean {
    return this.#guard.isInStep;
  }

  /** Whether this node knows the operators' decisions at other nodes. */
  get knowsRegisters(): boolean {
    return this.#guard.knowsRegisters;
  }

  /** Whether the rooms' time is right, as far as can be known: the gate must not open before. */
  get isClockTrusted(): boolean {
    return this.#time.isTrusted;
  }

  /** Whether the rooms' time stands still because the clock is behind its earlier value. */
  get isTimeBehind(): boolean {
    return this.#time.isBehind;
  }

  /** Whether this node is a member, and has heard which rooms there are. */
  get isReady(): boolean {
    return this.members.view !== undefined && (this.#hadView || this.isInStep);
  }

  get incarnation(): number {
    return this.#options.incarnation;
  }

  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  /** Unix ms as the rooms see it. */
  get roomMs(): number {
    return this.#time.roomMs;
  }

  /** Unix ms by which operators' decisions are stamped here. */
  get stampMs(): number {
    return this.#time.stampMs;
  }

  /** The moment of the step in progress. */
  get now(): Instant {
    return this.#time.now;
  }

  get counts(): Readonly<PeerCounts> {
    return this.#frames.counts;
  }

  /** Frames that were not used, by reason. */
  get dropped(): Readonly<Record<string, number>> {
    return this.#frames.dropped;
  }

  /** Where a node can be dialled, as far as known. */
  addressesOf(node: NodeId): readonly string[] {
    return this.#addresses.of(node);
  }

  /** What a member last reported about its lease. */
  leaseOf(node: NodeId): LeaseState | undefined {
    return this.#gauges.leaseOf(node);
  }

  /** Accounts whose units this node may use. */
  get ownAccounts(): readonly AccountId[] {
    return this.#idle.ownAccounts;
  }

  /** Ms until the slots of a pot are own ones. */
  potLeftMs(pot: Pot): number {
    return this.#idle.potLeftMs(pot);
  }

  /** What is idle at this node: what removed nodes left to it, and its own share of rooms that it holds. */
  get idleHere(): readonly IdleShare[] {
    return this.#idle.all;
  }

  /** What is idle at other members, as they report it. */
  get idleElsewhere(): readonly IdleShare[] {
    const far = this.members.hasTwoTiers ? this.localities.idle(this.#time.now) : [];
    return [...far, ...this.#gauges.idle];
  }

  /** Makes a room take part from now on. */
  add(room: MeshRoom): void {
    this.rooms.set(room.id, room);
    if (this.#powerLoss.isOpen) this.#holds.hold(room.id, "powerLoss");
    if (this.#time.isTrusted) this.#compareMinute(room);
    this.#handed.add(room, this.#time.roomMs);
    this.#pots.settleIn(room);
  }

  /** Call it before anything else in a step, visitors' requests included. */
  at(now: Instant): void {
    this.#time.at(now);
  }

  /** An earlier run's clock may have been ahead: then a room's minute on disk is in the future. */
  #compareMinute({ id, admission }: MeshRoom): void {
    if (this.#time.isYetToCome(admission.record.minute)) this.#holds.hold(id, "setBack");
  }

  /** Whether this node's disk and time are right, as far as it can know by itself. */
  get #isInOrder(): boolean {
    return this.isInStep && this.#time.isRight;
  }

  /**
   * Others know counts that the disk lacks. It may also lack those of other rooms, and gifts that no node has
   * mentioned.
   */
  #lostCommits(): void {
    this.#holds.holdAll("lostCounts");
    this.#powerLoss.noteLoss();
  }

  /** The process ends in order: commit this last. */
  end(): void {
    this.#powerLoss.end();
    this.#proof.end();
  }

  up(node: NodeId, hello: PeerHello, now: Instant): void {
    this.at(now);
    this.epoch += 1;
    this.members.up(node, now, hello);
    this.#up.add(node);
    this.names.said(node, hello.name);
    const isNews = this.#addresses.hear([[node, hello.addresses.slice(0, ADDRESSES_PER_NODE_MAX)]]);
    // In a large mesh only neighbours tell each other everything they know: it grows with the members, and so does the
    // number of senders.
    const isFar = this.members.hasTwoTiers && hello.locality !== this.#options.locality;
    if (isNews || !this.members.hasTwoTiers)
      this.#published.push({ kind: "addresses", nodes: [[node, [...this.#addresses.of(node)]]] });
    if (!isFar || !this.members.isMember(node))
      this.outbox.send(node, { kind: "addresses", nodes: this.#addresses.all, ...this.#namesTold });
    if (!isFar) this.#dissemination.sayAgain();
    const wantsBack = this.#guard.wantsToCompare();
    if (!isFar || wantsBack) this.outbox.send(node, this.replica.digest({ wantsBack }));
  }

  down(node: NodeId, now: Instant): void {
    this.at(now);
    this.epoch += 1;
    this.members.down(node, now);
    this.#up.delete(node);
    this.calls.lost(node, now.steadyMs);
    this.rights.lost(node);
  }

  /** A peer knows of a later process of this identity. */
  outrun(newest: number, now: Instant): void {
    this.at(now);
    this.members.outrun(newest);
  }

  /** A frame that came from `from` on a stream. */
  receive(from: NodeId, frame: Uint8Array, now: Instant): void {
    this.at(now);
    const messages = this.#frames.received(from, frame);
    const [stamp] = messages;
    if (stamp?.kind !== "stamp") return;
    // Members' own messages carry their view themselves; a node without one has asked to join.
    if (messages.some(isAboutShares) && stamp.view > 0 && this.members.view !== undefined)
      this.members.sawView(from, stamp.view, now);
    const mayShare = stamp.view === this.members.view?.number && this.members.isMember(from);
    for (const message of messages.slice(1)) this.#frames.blame(from, this.#hear(from, message, mayShare));
  }

  /** A frame that `from` published. */
  published(from: NodeId, frame: Uint8Array, now: Instant): void {
    this.at(now);
    for (const message of this.#frames.heard(from, frame)) {
      if (message.kind === "rows")
        this.#frames.blame(from, this.replica.heard(message, from, this.#time.newsMs).faults);
      else if (message.kind === "gauges") {
        if (this.members.isMember(from)) this.#gauges.hear(from, message, now);
      } else if (message.kind === "sites") this.localities.hear(from, message.sites, now);
      else if (message.kind === "addresses") this.#hearAddresses(message);
      else if (message.kind === "history" && this.members.isMember(from)) this.history?.hear(from, message, true);
    }
  }

  /** Call it about every 100 ms. */
  tick(now: Instant): void {
    this.at(now);
    this.epoch += 1;
    this.calls.tick(now.steadyMs);
    this.rights.tick();
    this.members.tick(now);
    const { roomMs, minute, isTrusted } = this.#time;
    for (const room of this.rooms.values()) if (room.pending > 0) room.workPending(roomMs);
    this.#ceilings.settle(now);
    this.#testimonies.tick();
    if (isTrusted) this.draws.tick(this.#drawTime);
    if (isTrusted) this.history?.tick(now.steadyMs);
    if (now.steadyMs - this.#tickedMs < ROOMS_MS) return;
    this.#tickedMs = now.steadyMs;
    this.#frames.forgive();
    this.#pots.tick(now);
    const { mostMs } = this.#time;
    if (mostMs !== undefined) this.replica.restamp(mostMs, now.wallMs - mostMs);
    if (isTrusted) {
      if (this.members.mayExtendOwn(now)) this.#cutOff.extends(minute);
      this.#lost.tick(now, roomMs);
      this.#powerLoss.tick(now, this.isInStep);
      for (const room of this.rooms.values()) room.tick(roomMs);
      this.#ceilings.tick(now);
    }
    this.members.interestingNodes(this.#usedCounters());
    this.#dissemination.tick(now);
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
      this.draws.work(this.#drawTime);
      for (const room of this.rooms.values()) room.admission.rearrange();
    }
  }

  get #drawTime(): DrawTime {
    return { roomMs: this.#time.roomMs, steadyMs: this.#time.now.steadyMs };
  }

  /** Everything to do since the last call. */
  take(): Ready {
    this.#ceilings.settle(this.#time.now);
    const batch = this.outbox.take();
    const frames = this.#frames.sent(batch.sent);
    const published = this.#frames.published(this.#published.splice(0), this.members.hasTwoTiers ? "locality" : "all");
    return { batch, frames, published, punished: this.#frames.takePunished(), ...this.#addresses.take() };
  }

  /** Gives back the writes of a batch that could not be committed; its messages are as if lost. */
  retry({ batch }: Ready): void {
    this.outbox.retry(batch);
    this.#guard.questionsLost();
  }

  get isIdle(): boolean {
    const isAllTaken = this.#published.length === 0 && !this.#frames.hasPunished && !this.#addresses.hasNews;
    return this.outbox.isEmpty && isAllTaken && this.#ceilings.isIdle;
  }

  /** Takes a message in; returns how many faults it had. */
  #hear(from: NodeId, message: PeerMessage, mayShare: boolean): number {
    if (isOf(message, "members")) return this.members.receive(from, message, this.#time.now) ? 0 : 1;
    if (isOf(message, "replica")) return this.#hearReplica(from, message);
    if (isOf(message, "addresses")) this.#hearAddresses(message);
    else if (isOf(message, "sites")) this.localities.hear(from, message.sites, this.#time.now);
    else if (isOf(message, "draws")) {
      if (this.members.isMember(from) && this.#time.isTrusted) this.draws.hear(from, message, this.#drawTime);
    } else if (isOf(message, "history")) {
      if (this.members.isMember(from)) this.history?.hear(from, message);
    } else if (isOf(message, "rights")) {
      if (this.members.isMember(from)) this.rights.hear(from, message);
    } else if (!mayShare) return 0;
    else if (isOf(message, "power-loss")) this.#powerLoss.hear(from, message);
    // An answer carries a gift, which may only come in the view it was given in.
    else if (isOf(message, "answers")) this.calls.answered(from, message, this.#time.now.steadyMs);
    else if (isOf(message, "rooms") && this.#time.isTrusted)
      this.rooms.get(message.room)?.receive(from, message, this.#time.roomMs);
    return 0;
  }

  get #namesTold(): { readonly names?: [NodeId, string][] } {
    return this.names.all.size === 0 ? {} : { names: this.names.told };
  }

  #hearAddresses({ nodes, names = [] }: MessageOf<"addresses">): void {
    this.#addresses.hear(nodes);
    this.names.hear(names);
  }

  #hearReplica(from: NodeId, message: ReplicaMessage): number {
    if (message.kind === "digest") this.#guard.compared(from, message.isInStep === true);
    const { answers, faults, changed } = this.replica.heard(message, from, this.#time.newsMs);
    // Two nodes that have not joined yet agree on nothing at all.
    if (message.kind === "digest" && message.registers === this.replica.registersDigest && this.members.isMember(from))
      this.#guard.registersAgree();
    // News from another locality is passed on in this one, once: from a neighbour every node has heard it. The node
    // that passes it on is responsible for it.
    if (changed && faults === 0 && message.kind === "rows" && this.members.hasTwoTiers && !this.members.isNear(from))
      this.#published.push(message);
    for (const answer of answers) this.outbox.send(from, answer);
    return faults;
  }

  #viewChanged(view: View): void {
    this.epoch += 1;
    this.#time.viewChanged();
    this.#gauges.keepOnly((node) => view.members.some((member) => member.node === node));
    for (const [account] of view.heirs) this.#addresses.forget(account as string as NodeId);
    this.#dissemination.viewChanged();
    this.localities.viewChanged();
    this.#pots.tick(this.#time.now);
    this.#noteGone(view);
    // For members that were removed, if this node inherits them: from now on it writes their rows.
    this.replica.takeOver(this.members.writes(), []);
    this.#options.events.viewChanged(view);
  }

  /** Nodes that a view has removed may still run for as long as a pot lasts, whatever this node inherits from them. */
  #noteGone(view: View): void {
    const forMs = this.#pots.activeMs({ runsNowhere: false }, this.#time.now);
    this.#cutOff.learn(view, forMs, this.#time.now);
  }

  #stoppedBy(reason: StopReason): void {
    const { over } = this.#options.events;
    if (reason === "left") over("left", "this node has left the mesh");
    else if (reason === "removed") over("new-identity", "this node was removed from the mesh");
    else over("replaced", "a later start of the same identity runs elsewhere");
  }

  /** A leaver that does not know how many of its slots are in use has its own account in a pot, too. */
  #takeOver(account: AccountId, tables: readonly RoomTable[]): void {
    const pot = this.members.pot(this.#time.now).find(({ accounts }) => accounts.includes(account));
    const held = pot === undefined ? tables : tables.map((table) => inPot(table, pot.group));
    this.#testimonies.tookOver();
    this.#handed.takeOver(held, this.rooms, this.#time.roomMs);
    this.#pots.tick(this.#time.now);
  }

  /** Ticket counters and stand-ins that this node's rooms use: their silence should be noticed soon. */
  #usedCounters(): ReadonlySet<NodeId> {
    const used = new Set<NodeId>();
    for (const room of this.rooms.values()) for (const node of room.counters().slice(0, 2)) used.add(node);
    used.delete(this.#options.self);
    return used;
  }
}
