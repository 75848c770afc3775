/**
 * The parts of a node, made and connected: what each of them may use of the others.
 *
 * Some need each other: then one gets the other by a function, which is called only once all of them exist.
 */

import type { AccountId, NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { LongestSession } from "../../mesh/core/members/longest-session.ts";
import { Members } from "../../mesh/core/members/members.ts";
import { VIEW } from "../../mesh/core/members/stored-members.ts";
import { accountsOf } from "../../mesh/core/members/view.ts";
import { isRoomKey, roomOfBlocked, roomOfDrawValues, roomOfOrder } from "../../mesh/core/replica/register-keys.ts";
import { Replica } from "../../mesh/core/replica/replica.ts";
import { Calls } from "../../mesh/core/wire/calls.ts";
import { Outbox } from "../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import { ROOM_ANSWERS, type RoomCalls, type RoomMessage } from "../admission/mesh/room-messages.ts";
import { CutOff } from "./cut-off.ts";
import { DiskProof } from "./disk-proof.ts";
import { Dissemination } from "./dissemination.ts";
import { Draws, type DrawsParts } from "./draws.ts";
import { HistorySync } from "./history-sync.ts";
import { IdleShares } from "./idle-shares.ts";
import { KnownAddresses } from "./known-addresses.ts";
import { MemberGauges } from "./member-gauges.ts";
import type { PeerMessage } from "./message-kinds.ts";
import { NodeNames } from "./node-names.ts";
import { NodeTime } from "./node-time.ts";
import { OldDiskGuard } from "./old-disk-guard.ts";
import { OwnAuthority } from "./own-authority.ts";
import { OwnCeilings } from "./own-ceilings.ts";
import { peerCodec } from "./peer-codec.ts";
import { PeerFrames } from "./peer-frames.ts";
import { PeerMembership } from "./peer-membership.ts";
import type { PeerOptions } from "./peer-options.ts";
import { PeerRoomNode } from "./peer-room-node.ts";
import { HandedTables } from "./peer-tables.ts";
import { PotClock } from "./pot-clock.ts";
import { PowerLoss } from "./power-loss.ts";
import { RoomHolds } from "./room-holds.ts";
import { sessionMinutesOf } from "./session-minutes.ts";
import { INCARNATION } from "./stored-peer.ts";
import { Testimonies } from "./testimonies.ts";

/** Calls of an earlier run have lower numbers: at most a million a second. */
const CALLS_PER_MS = 1_000;

/** Who has the rolls of draws: voters all of them, others those of their locality. */
function rollMembers(self: NodeId, members: Members, now: () => Instant): DrawsParts["members"] {
  const voters = (): readonly NodeId[] => (members.isMember() ? (members.view?.voters ?? []) : []);
  return {
    get isVoter() {
      return voters().includes(self);
    },
    get rollKeepers() {
      return [...new Set([...voters(), ...members.reach.alive(now())])].filter((node) => node !== self);
    },
  };
}

export class PeerParts {
  readonly outbox = new Outbox<PeerMessage>();
  readonly rooms = new Map<RoomId, MeshRoom>();
  /** Peers that are connected. */
  readonly up = new Set<NodeId>();
  /** Whether a node is a member, or connected: what is known of it is kept, and passed on. */
  readonly isAround = (node: NodeId): boolean => this.up.has(node) || this.members.isMember(node);
  /** To be published with the next step. */
  readonly toPublish: PeerMessage[] = [];
  readonly gauges = new MemberGauges();
  readonly frames: PeerFrames;
  readonly time: NodeTime;
  readonly guard: OldDiskGuard;
  readonly addresses: KnownAddresses;
  readonly names: NodeNames;
  readonly handed: HandedTables;
  readonly cutOff: CutOff;
  readonly holds: RoomHolds;
  readonly calls: RoomCalls;
  readonly replica: Replica;
  readonly proof: DiskProof;
  readonly testimonies: Testimonies;
  readonly members: Members;
  readonly powerLoss: PowerLoss;
  readonly pots: PotClock;
  readonly ceilings: OwnCeilings;
  readonly authority: OwnAuthority;
  readonly roomNode: PeerRoomNode;
  readonly idle: IdleShares;
  readonly draws: Draws;
  readonly history: HistorySync | undefined;
  readonly dissemination: Dissemination;
  /** Changes whenever a node may have come or gone: at ticks, and when a connection or the view changes. */
  epoch = 0;

  constructor(options: PeerOptions) {
    const { self, incarnation, minuteMs, restored, events } = options;
    const { outbox, rooms, up, publish } = this;
    const members = () => this.members;
    const powerLoss = () => this.powerLoss;
    const now = () => this.time.now;
    const roomMs = () => this.time.roomMs;
    const firstCall = incarnation * CALLS_PER_MS;
    this.frames = new PeerFrames({
      codec: options.codec ?? peerCodec(options.understands),
      view: () => this.members.view?.number ?? 0,
      wire: () => this.members.wire,
      failed: events.failed,
    });
    this.time = new NodeTime({
      minuteMs,
      start: options.now,
      members,
      trusted: (isNew) => {
        for (const room of rooms.values())
          if (isNew) room.admission.sessions.minute.begin(roomMs());
          else this.holds.compareMinute(room);
      },
      endedEarly: () => this.holds.holdAll("ahead"),
    });
    const isUsed = restored.has(VIEW.at());
    const asksForGifts = () => isUsed && !this.powerLoss.isOpen;
    this.guard = new OldDiskGuard({ ...options, start: options.now, members, up, asksForGifts, now });
    this.addresses = new KnownAddresses(self, outbox);
    this.names = new NodeNames({ ...options, outbox });
    this.handed = new HandedTables({ minuteMs, restored, outbox });
    this.cutOff = new CutOff({ restored, outbox });
    const sessions = new LongestSession(options);
    this.holds = new RoomHolds({
      ...options,
      outbox,
      rooms,
      powerLoss,
      time: this.time,
      longest: () => sessions.longest,
      changed: () => this.authority.begin(),
      log: events.log,
    });
    this.calls = new Calls<RoomMessage, typeof ROOM_ANSWERS>(outbox, ROOM_ANSWERS, firstCall);
    const outdated = (reason: string) => events.over("new-identity", `the data directory is an old copy: ${reason}`);
    this.replica = this.#newReplica(options, { sessions, outdated });
    this.proof = new DiskProof({ ...options, outbox, isUsed });
    this.testimonies = new Testimonies({
      ...options,
      storedIncarnation: INCARNATION.read(restored) ?? 0,
      members,
      replica: this.replica,
      rooms,
      handed: this.handed,
      holds: this.holds,
      powerLoss,
      proof: this.proof,
      isPot: (group) => this.pots.accountsIn(group).length > 0,
      now,
      roomMs,
      isInOrder: () => this.isInOrder,
      changed: () => this.pots.tick(this.time.now),
      log: (fields, text) => events.log(fields, text),
    });
    const membership = new PeerMembership(this, events);
    this.members = this.#newMembers(options, { sessions, app: membership });
    const { view } = this.members;
    if (view !== undefined) {
      this.time.wasMember();
      // A node that was removed reports what it held, and needs its rows for that.
      if (this.members.isMember()) this.replica.fold(accountsOf(view));
    }
    outbox.put(INCARNATION.at(), incarnation);
    this.addresses.restore(restored);
    const holdAll = (): void => this.holds.holdAll("powerLoss");
    this.powerLoss = new PowerLoss({
      ...options,
      outbox,
      holdAll,
      members: this.members,
      replica: this.replica,
      wantsGifts: (node) => this.guard.wantsGifts(node),
      hasGiftsTo: (node) => this.guard.hasGiftsTo(node),
      outdated,
    });
    const ownsNothing = (accounts: readonly AccountId[]) => this.replica.ledger.ownNothing(accounts);
    this.pots = new PotClock({ ...options, ownsNothing }, this.members, rooms);
    if (view !== undefined) membership.noteGone(view);
    this.ceilings = new OwnCeilings({
      members: this.members,
      rooms,
      pots: this.pots,
      unloaded: () => this.handed.unloaded(rooms, roomMs()),
      isHeld: (room) => this.holds.has(room),
      isSure: () => this.isInOrder && !this.members.clocks.isOff(this.time.now),
      roomMs,
    });
    this.authority = new OwnAuthority({
      members: this.members,
      replica: this.replica,
      time: this.time,
      guard: this.guard,
      holds: this.holds,
      pots: this.pots,
      ceilings: this.ceilings,
      limitOf: (room) => rooms.get(room)?.room.totalActiveUsers,
    });
    this.roomNode = new PeerRoomNode({
      peer: this,
      draws: () => this.draws,
      options,
      pots: this.pots,
      authority: this.authority,
      cutOff: this.cutOff,
      gauges: this.gauges.heard,
    });
    this.idle = new IdleShares({
      members: this.members,
      replica: this.replica,
      pots: this.pots,
      rooms,
      holds: this.holds,
      powerLoss: this.powerLoss,
      now,
      roomMs,
      minuteMs: options.minuteMs,
    });
    this.draws = new Draws({ ...options, outbox, members: rollMembers(self, this.members, now) });
    const others = () => this.members.reach.alive(now()).filter((node) => node !== self);
    this.history = options.history && new HistorySync({ ...options, ...options.history, outbox, publish, others });
    this.dissemination = new Dissemination({
      ...options,
      members: this.members,
      replica: this.replica,
      rooms,
      outbox,
      guard: this.guard,
      time: this.time,
      idle: this.idle,
      up,
      publish,
    });
  }

  /** Publishes a message with the next step. */
  readonly publish = (message: PeerMessage): void => {
    this.toPublish.push(message);
  };

  /** Whether this node's disk and time are right, as far as it can know by itself. */
  get isInOrder(): boolean {
    return this.guard.isInStep && this.time.isRight;
  }

  #newReplica(
    options: PeerOptions,
    { sessions, outdated }: { readonly sessions: LongestSession; readonly outdated: (reason: string) => void },
  ): Replica {
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
      writes: () => this.members.written,
      isFenced: (account) => this.members.isFenced(account),
      registerChanged: (key, register) => {
        const ordered = roomOfOrder(key);
        if (isRoomKey(key)) events.roomChanged(key, register);
        else if (ordered !== undefined) events.orderChanged?.(ordered, register);
        const drawn = roomOfDrawValues(key);
        if (drawn !== undefined) events.drawValueGiven?.(drawn);
        const blocked = roomOfBlocked(key);
        if (blocked !== undefined) events.visitorsBlocked?.(blocked, register);
      },
      registerKept: (key, { document }) => {
        if (isRoomKey(key)) sessions.allow(key, sessionMinutesOf(document));
      },
      judgeMs: () => this.time.judgeMs,
      isInStep: () => this.guard.isInStep,
      outdated,
      forgot: () => this.holds.lostCommits(),
    });
  }

  #newMembers(
    options: PeerOptions,
    known: { readonly sessions: LongestSession; readonly app: PeerMembership },
  ): Members {
    const { self, locality, incarnation, isFirstRun, leaseMs, minuteMs, restored, random, understands } = options;
    return new Members(
      {
        self,
        locality,
        incarnation,
        isFirstRun,
        leaseMs,
        minuteMs,
        restored,
        random,
        ...known,
        isDiskComplete: this.proof.isSound,
        found: options.founds,
        outbox: this.outbox,
        ...(understands && { understands }),
      },
      options.now,
    );
  }
}
