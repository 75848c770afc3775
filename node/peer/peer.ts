/**
 * One node's part in the mesh: members and views, the ledger and what is told of it, and the messages of rooms.
 *
 * Deterministic: frames, ticks and visitors come in with the time; writes and frames go out when the shell takes them, writes
 * first. The binary and the simulator run this same object. It knows no sockets, timers or files.
 */

import { type AccountId, accountOf, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { LongestIsland } from "../../mesh/core/members/longest-island.ts";
import { LongestSession } from "../../mesh/core/members/longest-session.ts";
import { Members, type Pot, type StopReason } from "../../mesh/core/members/members.ts";
import { SIZES, type Sizes } from "../../mesh/core/members/tiers.ts";
import type { View } from "../../mesh/core/members/view.ts";
import { VIEW_KEY } from "../../mesh/core/members/view-book.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import { isRoomKey, roomOfOrder } from "../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { Replica } from "../../mesh/core/replica/replica.ts";
import type { ReplicaMessage } from "../../mesh/core/replica/replica-messages.ts";
import { Calls } from "../../mesh/core/wire/calls.ts";
import { Codec } from "../../mesh/core/wire/codec.ts";
import type { Hello } from "../../mesh/core/wire/hello.ts";
import { type Batch, Outbox } from "../../mesh/core/wire/outbox.ts";
import type { Signatures } from "../../mesh/core/wire/signed.ts";
import { WIRES, type WireRange } from "../../mesh/core/wire/wire-range.ts";
import type { Reach } from "../../mesh/transport.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import type { Gauge, HeardGauges } from "../admission/mesh/room-mesh.ts";
import {
  type GaugesMessage,
  IDLE_ACCOUNTS_MAX,
  IDLE_MAX,
  IDLE_ROOMS_MAX,
  type IdleShare,
  ROOM_ANSWERS,
  type RoomCalls,
  type RoomMessage,
} from "../admission/mesh/room-messages.ts";
import { CutOff } from "./cut-off.ts";
import { DiskProof } from "./disk-proof.ts";
import { Localities } from "./localities.ts";
import { LostCounts } from "./lost-counts.ts";
import {
  ADDRESSES_MAX,
  ADDRESSES_PER_NODE_MAX,
  BULK_KINDS,
  isOf,
  MESSAGE_SHAPES,
  type PeerMessage,
} from "./message-kinds.ts";
import { OwnCeilings } from "./own-ceilings.ts";
import { PeerMesh } from "./peer-mesh.ts";
import { HandedTables, inPot, type RoomTable } from "./peer-tables.ts";
import { PotClock } from "./pot-clock.ts";
import { PowerLoss } from "./power-loss.ts";
import { sessionMinutesOf } from "./session-minutes.ts";
import { Testimonies } from "./testimonies.ts";
import { WallGuard } from "./wall-guard.ts";

const INCARNATION_KEY = "incarnation";
const ADDRESSES_KEY = "addresses";

/** What makes frames of messages and messages of frames. */
export type PeerCodec = Pick<Codec<typeof MESSAGE_SHAPES>, "encodeAll" | "decode">;

export function peerCodec(understands = WIRES): PeerCodec {
  return new Codec(MESSAGE_SHAPES, understands);
}

/**
 * Time that goes back by this much stands still instead, and the node uses no slot until it has caught up: time synchronisation at work. By more
 * it would stand still for too long.
 */
const STANDS_STILL_MS = 2_000;

const LOST_TEXT = "this disk has lost admissions that other nodes know of";
const POWER_LOSS_TEXT = "the host was restarted, and its last commits may be lost";
const HEIR_LOST_TEXT = "a lost node, to which this one was leaving, may have admitted visitors on its slots";
const SET_BACK_TEXT = "this node's clock was ahead of the others', and it may have ended sessions too early";
const HELD_TEXT = "this node's slots of the room count as used until all current sessions are over";

function isAboutShares(message: PeerMessage): boolean {
  return isOf(message, "answers") || isOf(message, "rooms") || isOf(message, "power-loss");
}

/** After a member has said what it knows of this node's rows, what is asked of it then is answered within this time. */
const IN_STEP_MS = 500;
/** How long a node that has other members waits for one of them, after a start. */
const NOBODY_MS = 10_000;

/**
 * How long a node that starts again waits for a member to compare its clock with, before its rooms do anything. Minutes by a wrong clock
 * would end stays whose cookies are good. Doubled, a start without others takes as long; a member answers in a tenth of it.
 */
const CLOCK_WAIT_MS = 3_000;

/** How often rooms are kept, and changed rows told. Doubled, freed slots and news are late by as much. */
const ROOMS_MS = 500;
/** Pause between two gossips of a node, per member: a delivered message costs each some part of a ms of CPU. */
const GOSSIP_MS_PER_MEMBER = 25;
/**
 * In a mesh of two tiers: pause between two times that a locality's changed rows are told to the others, and that all rows are compared with
 * a peer, per member: five rows a second. Nothing waits for them, as who restarts asks its neighbours. Four times as often they would be
 * most of all bytes; at half of it a locality of one node that starts from an old disk is found out later still.
 */
const FAR_ROWS_MS_PER_MEMBER = 200;
/** How often one peer is asked for what was missed: a lost message is made up for after a few of them. */
const SYNC_MS = 2_000;
/** Peers that a node asks at once for what they know of its rows, where not all say it by themselves. One of them may be gone. */
const COMPARED_WITH = 3;
/** What a node said longer ago says nothing of it now. */
const GAUGES_MAX_MS = 20_000;
/** Gauges that have not changed are told again, for nodes that missed them. */
const GAUGES_AGAIN_MS = 5_000;
/** How long registers may differ from those of a peer that has been asked, before what is known counts as all. */
const REGISTERS_MS = 10_000;
/** Faults of a peer after which it is cut off; they are forgotten two a second. */
const FAULTS_MAX = 20;

export interface PeerOptions {
  readonly self: NodeId;
  readonly locality: string;
  /** Unix ms of this start, above that of earlier ones. */
  readonly incarnation: number;
  readonly meshId: string;
  readonly founder: AccountId;
  /** Whether this node founds the mesh now. */
  readonly founds: boolean;
  /** Whether there are addresses of other nodes to join by. */
  readonly hasSeeds: boolean;
  readonly minuteMs: number;
  readonly leaseMs: number;
  readonly islandMs: number;
  /** Whether it is that of the first member it meets instead; see `LongestIsland`. */
  readonly takesOnIsland?: boolean;
  /** Everything that was once put and not removed. */
  readonly restored: ReadonlyMap<string, unknown>;
  readonly signatures: Signatures;
  readonly random: () => number;
  readonly now: Instant;
  readonly events: PeerEvents;
  /** From which size on the mesh works in which way; a test may have it smaller. */
  readonly sizes?: Sizes;
  /** The boot of the host, where commits are not forced to the disk and may be lost with the power. */
  readonly bootId?: string;
  /** Where the disk is; unknown if left out. */
  readonly diskPlace?: string;
  /** Whether all commits are forced to the disk. */
  readonly isForced?: boolean;
  /** Instead of one of its own: a simulation has one for all nodes. */
  readonly codec?: PeerCodec;
  /** The wire versions that this release understands; a test may claim others. */
  readonly understands?: WireRange;
}

/** What is used of a hello. */
export type PeerHello = Pick<Hello, "locality" | "incarnation" | "addresses"> &
  Partial<Pick<Hello, "islandMs" | "understands">>;

export interface PeerEvents {
  /** Another node changed a room's configuration. */
  readonly roomChanged: (id: RoomId, register: Register) => void;
  /** Another node gave an order about a room, or took it back. */
  readonly orderChanged?: (id: RoomId, register: Register) => void;
  readonly viewChanged: (view: View) => void;
  /** This identity is over: the process must stop, or go on as a new node. */
  readonly over: (kind: "left" | "new-identity" | "replaced", reason: string) => void;
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

/** The incarnation that a start at `nowMs` has: above those of all earlier starts on the same disk. */
export function incarnationOf(restored: ReadonlyMap<string, unknown>, nowMs: number): number {
  return Math.max(nowMs, Number(restored.get(INCARNATION_KEY) ?? 0) + 1);
}

/** What a step has left to do, in this order: commit, send, publish, cut off. */
export interface Ready {
  readonly batch: Batch<PeerMessage>;
  readonly frames: readonly { readonly to: NodeId; readonly isBulk: boolean; readonly frame: Uint8Array }[];
  readonly published: readonly { readonly frame: Uint8Array; readonly reach: Reach }[];
  readonly punished: readonly NodeId[];
  /** Nodes to be dialled for ever, at these addresses. */
  readonly known: readonly (readonly [NodeId, readonly string[]])[];
  /** Nodes that are members no more. */
  readonly forgotten: readonly NodeId[];
}

type LeaseState = ReturnType<Members["lease"]>;

export interface PeerCounts {
  faults: number;
  framesIn: number;
  framesOut: number;
  /** Of all frames, as packed. */
  bytesIn: number;
  bytesOut: number;
  publishedIn: number;
  publishedOut: number;
  /** Peers cut off for what they sent. */
  punished: number;
}

export class Peer {
  readonly outbox = new Outbox<PeerMessage>();
  readonly calls: RoomCalls;
  readonly members: Members;
  readonly replica: Replica;
  readonly mesh: PeerMesh;
  readonly localities: Localities;
  readonly rooms = new Map<RoomId, MeshRoom>();
  /** Another number whenever a node may have come or gone: at ticks, and when a connection or the view changes. */
  epoch = 0;
  readonly #options: PeerOptions;
  readonly #codec: PeerCodec;
  readonly #gauges = new Map<NodeId, HeardGauges>();
  /** What other members last said of their leases. */
  readonly #leases = new Map<NodeId, LeaseState>();
  readonly #faults = new Map<NodeId, number>();
  readonly #handed: HandedTables;
  readonly #lost: LostCounts;
  readonly #powerLoss: PowerLoss;
  readonly #proof: DiskProof;
  readonly #testimonies: Testimonies;
  #pots: PotClock | undefined;
  #ceilings: OwnCeilings | undefined;
  readonly #cutOff: CutOff;
  readonly #published: PeerMessage[] = [];
  readonly #punished = new Set<NodeId>();
  readonly #up = new Set<NodeId>();
  readonly #addresses = new Map<NodeId, readonly string[]>();
  /** Of these, what the shell has not been told. */
  readonly #known = new Map<NodeId, readonly string[]>();
  readonly #forgotten = new Set<NodeId>();
  readonly #counts: PeerCounts = {
    faults: 0,
    framesIn: 0,
    framesOut: 0,
    bytesIn: 0,
    bytesOut: 0,
    publishedIn: 0,
    publishedOut: 0,
    punished: 0,
  };
  readonly #dropped: Record<string, number> = {};
  readonly #guard: WallGuard;
  #now: Instant;
  /** 0 until the clock is trusted: by that nothing is over. */
  #roomMs = 0;
  #tickedMs = Number.NEGATIVE_INFINITY;
  #gossipedMs = Number.NEGATIVE_INFINITY;
  #syncedMs = Number.NEGATIVE_INFINITY;
  #syncedAllMs = Number.NEGATIVE_INFINITY;
  #toldFarMs = Number.NEGATIVE_INFINITY;
  /** Asked for what they know of this node's rows, since the start. */
  #askedToCompare = 0;
  /** From the start: its rooms are on the disk. */
  readonly #hadView: boolean;
  /** Whether this node was taken in as a member, in this run or before. */
  #isTakenIn = false;
  #isClockTrusted = false;
  /** Since when members are waited for to compare the clock with, by the steady clock. */
  #clockAskedMs: number;
  #isTimeBehind = false;
  #isInStep = false;
  #knowsRegisters = false;
  /** By node: when it first said what it knows of all rows, this node's too. Before this node joined is as good as after. */
  readonly #comparedMs = new Map<NodeId, number>();
  /** Of these, the ones that had heard it from others. A node that has just started knows of its own rows only. */
  readonly #inStepMs = new Map<NodeId, number>();
  #gaugesSaid = { atMs: Number.NEGATIVE_INFINITY, text: "" };

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#codec = options.codec ?? peerCodec(options.understands);
    this.#now = options.now;
    this.#clockAskedMs = options.now.steadyMs;
    this.#guard = new WallGuard(options.now, (wasDoubted) => this.#isClockConfirmed(wasDoubted));
    const { self, locality, incarnation, meshId, founder, founds, restored, signatures, random, events } = options;
    const { outbox, rooms } = this;
    this.#handed = new HandedTables({ minuteMs: options.minuteMs, restored, outbox });
    this.#cutOff = new CutOff({ restored, outbox });
    const islands = new LongestIsland({ ...options, takesOn: options.takesOnIsland === true, outbox });
    const longestIslandMs = (at: Instant) => islands.longestMs(at);
    const sessions = new LongestSession({ ...options, longestIslandMs, outbox });
    const longestEarlier = () => sessions.longestEarlier(this.#now);
    this.#lost = new LostCounts({ ...options, outbox, rooms, longestEarlier });
    // Calls of an earlier run have lower numbers: at most a million a second.
    this.calls = new Calls<RoomMessage, typeof ROOM_ANSWERS>(this.outbox, ROOM_ANSWERS, incarnation * 1_000);
    this.replica = new Replica({
      self,
      founder,
      mesh: meshId,
      incarnation,
      minuteMs: options.minuteMs,
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
        if (isRoomKey(key)) sessions.allow(key, sessionMinutesOf(document), this.#now);
      },
      isInStep: () => this.isInStep,
      isNear: (node) => !this.members.hasTwoTiers || node === self || this.members.isNear(node),
      nearAccounts: () => (this.members.hasTwoTiers ? this.members.nearAccounts() : undefined),
      outdated: (reason) => events.over("new-identity", `the data directory is an old copy: ${reason}`),
      forgot: () => this.#lostCommits(),
    });
    this.#proof = new DiskProof({ ...options, outbox, isUsed: restored.has(VIEW_KEY) });
    this.#testimonies = new Testimonies({
      ...options,
      storedIncarnation: Number(restored.get(INCARNATION_KEY) ?? 0),
      members: () => this.members,
      replica: this.replica,
      rooms,
      handed: this.#handed,
      lost: this.#lost,
      powerLoss: () => this.#powerLoss,
      proof: this.#proof,
      now: () => this.#now,
      roomMs: () => this.#roomMs,
      isInOrder: () => this.#isInOrder,
      changed: () => this.#pots?.tick(this.#now),
      log: (fields, text) => events.log(fields, text),
    });
    this.members = new Members(
      {
        self,
        locality,
        incarnation,
        leaseMs: options.leaseMs,
        islandMs: options.islandMs,
        sessions,
        islands,
        restored,
        found: founds,
        outbox: this.outbox,
        random,
        sizes: options.sizes ?? SIZES,
        ...(options.understands && { understands: options.understands }),
        app: {
          accounts: () => this.replica.ledger.accounts(),
          copies: (accounts) => this.replica.copies(accounts),
          mergeDecided: (rows) => this.replica.mergeDecided(rows),
          viewChanged: (view) => this.#viewChanged(view),
          tables: () => this.#handed.all(this.rooms, this.#roomMs),
          takeOver: (from, accounts, rows, tables) => {
            this.replica.takeOver(accounts, rows);
            this.#takeOver(accountOf(from), tables as readonly RoomTable[]);
          },
          stoppedBy: (reason) => this.#stoppedBy(reason),
          isInStep: () => this.isInStep,
          mayHandOver: () => this.isInStep && !this.#powerLoss.isOpen,
          heirLost: () => {
            for (const room of this.replica.registers().keys()) this.#hold(room, HEIR_LOST_TEXT);
          },
          hasLostCounts: () => this.#lost.holdsAny,
          pledgeCounts: () => {
            for (const room of this.rooms.values()) room.workPending(this.#roomMs);
          },
          testimony: this.#testimonies,
          log: (event) => events.log({}, event),
        },
      },
      options.now,
    );
    this.#hadView = this.members.view !== undefined;
    this.#isTakenIn = this.#hadView;
    this.outbox.put(INCARNATION_KEY, incarnation);
    this.#hearAddresses((restored.get(ADDRESSES_KEY) ?? []) as [NodeId, string[]][]);
    const ownsNothing = (accounts: readonly AccountId[]) => this.replica.ledger.ownNothing(accounts);
    const holdAll = (): void => {
      for (const room of rooms.keys()) this.#hold(room, POWER_LOSS_TEXT);
    };
    this.#powerLoss = new PowerLoss({ ...options, outbox, holdAll, members: this.members, replica: this.replica });
    const pots = new PotClock({ ...options, ownsNothing }, this.members, this.rooms);
    this.#pots = pots;
    if (this.members.view !== undefined) this.#noteGone(this.members.view);
    const { bankFrom } = options.sizes ?? SIZES;
    const ceilings = new OwnCeilings({
      members: this.members,
      rooms,
      pots,
      unloaded: () => this.#handed.unloaded(rooms, this.#roomMs),
      isHeld: (room) => this.#isHeld(room),
      isSure: () => this.#isInOrder && !this.members.isClockOff(this.#now),
      roomMs: () => this.#roomMs,
    });
    this.#ceilings = ceilings;
    this.mesh = new PeerMesh({
      peer: this,
      options,
      pots,
      ceilings,
      cutOff: this.#cutOff,
      isHeld: (room) => this.#isHeld(room),
      gauges: this.#gauges,
      bankFrom,
    });
    this.localities = new Localities({
      ...options,
      members: this.members,
      rooms,
      outbox,
      gauges: this.#gauges,
      seenAt: (room, node, minute) => this.mesh.seenAt(room, node, minute),
      idle: () => this.#ownIdle(),
    });
    this.at(options.now);
  }

  /**
   * Whether this node knows that its disk is not an old one: it has no other member, or has heard what one that is in step itself knows of
   * its rows, and time to answer what it asked then. Where all have just started, it has heard all. If no member answers there is nobody to
   * be out of step with.
   */
  get isInStep(): boolean {
    if (this.#isInStep) return true;
    const { steadyMs } = this.#now;
    const sinceStartMs = steadyMs - this.#options.now.steadyMs;
    // A view of one may be an old one: who has others to ask waits for them, unless it has only just begun.
    const mayBeAlone =
      this.#options.founds || !this.#options.hasSeeds || (this.#up.size === 0 && sinceStartMs >= NOBODY_MS);
    const others = this.members.view?.members.filter(({ node }) => node !== this.#options.self) ?? [];
    const isLongAgo = (atMs = Number.POSITIVE_INFINITY) => steadyMs - atMs >= IN_STEP_MS;
    const isCompared = others.some(({ node }) => isLongAgo(this.#inStepMs.get(node)) && this.#knowsBest(node));
    const haveAllSaid = others.length > 0 && others.every(({ node }) => isLongAgo(this.#comparedMs.get(node)));
    const isAlone = this.members.alive(this.#now).length <= 1;
    const hasWaited = (isAlone || this.#comparedMs.size > 0) && sinceStartMs >= NOBODY_MS;
    const isFounder = this.members.view !== undefined && others.length === 0 && mayBeAlone;
    this.#isInStep = isCompared || haveAllSaid || isFounder || hasWaited;
    return this.#isInStep;
  }

  /**
   * Whether this node knows what operators have determined at other nodes: since the start its registers were once the same as a
   * member's, or nobody else is a member. A register that is refused here for its time must not keep it waiting for ever.
   */
  get knowsRegisters(): boolean {
    if (this.#knowsRegisters) return true;
    const { founds, hasSeeds, now } = this.#options;
    const { steadyMs } = this.#now;
    const isLongAgo = (atMs: number) => steadyMs - atMs >= REGISTERS_MS;
    const isAlone = this.members.view?.members.length === 1 && this.#up.size === 0;
    const hasNobodyToAsk = isAlone && (founds || !hasSeeds || isLongAgo(now.steadyMs));
    const isCompared = this.members.view !== undefined && [...this.#comparedMs.values()].some(isLongAgo);
    this.#knowsRegisters = hasNobodyToAsk || isCompared;
    return this.#knowsRegisters;
  }

  /** Whether nobody who is there knows of this node's rows earlier: in a large mesh its own locality does, if it has others. */
  #knowsBest(node: NodeId): boolean {
    const { members } = this;
    if (!members.hasTwoTiers || members.isNear(node)) return true;
    const siblings = members.byLocality.get(this.#options.locality) ?? [];
    return !siblings.some((sibling) => this.#up.has(sibling));
  }

  /** Whether the rooms' time is right, as far as can be known: before, the gate must not open. */
  get isClockTrusted(): boolean {
    return this.#isClockTrusted;
  }

  /** Whether the rooms' time stands still, as the clock is behind what it was. */
  get isTimeBehind(): boolean {
    return this.#isTimeBehind;
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

  /** Unix ms as the rooms are to see it: not what the host's clock says after a step that no other member confirms, or while it is behind what it was. */
  get roomMs(): number {
    return this.#roomMs;
  }

  /** The moment of the step that is being taken. */
  get now(): Instant {
    return this.#now;
  }

  get counts(): Readonly<PeerCounts> {
    return this.#counts;
  }

  /** Frames that were not used, by reason. */
  get dropped(): Readonly<Record<string, number>> {
    return this.#dropped;
  }

  /** What a member last said of its lease. */
  leaseOf(node: NodeId): LeaseState | undefined {
    return this.#leases.get(node);
  }

  /** Accounts whose units this node may use. */
  get ownAccounts(): readonly AccountId[] {
    return this.#pots?.settled("active") ?? [];
  }

  /** Ms until the slots of a pot are own ones. */
  potLeftMs(pot: Pot): number {
    return (this.#pots?.activeMs(pot, this.#now) ?? 0) - pot.passedMs;
  }

  /** What lies idle at this node: what removed nodes left to it, and its own share of rooms that it holds. */
  get idleHere(): readonly IdleShare[] {
    const { members, replica } = this;
    const held = members.pot(this.#now).filter(({ isHeard }) => !isHeard);
    const pots = held.map((pot) => {
      const untilMs = this.#inSeconds(this.potLeftMs(pot));
      const sinceMs = untilMs - (this.potLeftMs(pot) + pot.passedMs);
      const reason = pot.runsNowhere ? ("forgotten" as const) : ("removed" as const);
      const { accounts, ceilings } = pot;
      const bound = ceilings !== undefined && ceilings.length <= IDLE_ROOMS_MAX && { ceilings };
      return { accounts, reason, sinceMs: Math.max(0, Math.round(sinceMs)), untilMs, ...bound };
    });
    const isAllHeld = this.#powerLoss.isOpen;
    const rooms = isAllHeld ? [...replica.registers().keys()].filter(isRoomKey) : this.#lost.held;
    if (rooms.length === 0) return pots;
    const leftMs = isAllHeld ? undefined : this.#lost.leftMs;
    const untilMs = leftMs === undefined ? {} : { untilMs: this.#inSeconds(leftMs) };
    return [...pots, { accounts: this.ownAccounts, reason: "held", rooms, ...untilMs }];
  }

  /** Unix ms at which so many are over: in whole seconds, so that it is not news each time that it is worked out. */
  #inSeconds(leftMs: number): number {
    return Math.ceil((this.#now.wallMs + leftMs) / 1_000) * 1_000;
  }

  /** What lies idle at other members, as these say of it. */
  get idleElsewhere(): readonly IdleShare[] {
    const far = this.members.hasTwoTiers ? this.localities.idle(this.#now) : [];
    return [...far, ...this.#gauges.values().flatMap(({ idle }) => idle)];
  }

  /** Has a room taken part from now on. */
  add(room: MeshRoom): void {
    this.rooms.set(room.id, room);
    if (this.#powerLoss.isOpen) this.#hold(room.id, POWER_LOSS_TEXT);
    if (this.#isClockTrusted) this.#compareMinute(room);
    this.#handed.add(room, this.#roomMs);
    this.#pots?.settleIn(room);
  }

  /** To be called before anything else in a step: visitors' requests, too. */
  at(now: Instant): void {
    this.#now = now;
    if (!this.#isClockTrusted) this.#compareClock(now);
    if (!this.#isClockTrusted) return;
    const seenMs = this.#guard.look(now);
    const backMs = this.#hasOthers ? this.#roomMs - seenMs : 0;
    this.#isTimeBehind = backMs > 0 && backMs <= STANDS_STILL_MS;
    if (!this.#isTimeBehind) this.#roomMs = seenMs;
    // By a time that was ahead stays may have ended whose cookies are good: their slots must not be used.
    if (backMs > STANDS_STILL_MS) for (const room of this.rooms.keys()) this.#hold(room, SET_BACK_TEXT);
  }

  /** The same where an earlier run's time was ahead: a room's minute, which is on the disk, is yet to come. */
  #compareMinute({ id, admission }: MeshRoom): void {
    const minute = minuteOf(this.#roomMs, this.#options.minuteMs);
    if (this.#hasOthers && admission.record.minute > minute) this.#hold(id, SET_BACK_TEXT);
  }

  /** Whether this node's disk and time are right, as far as it can know by itself. */
  get #isInOrder(): boolean {
    return this.isInStep && this.#isClockTrusted && !this.#isTimeBehind;
  }

  get #hasOthers(): boolean {
    return (this.members.view?.members.length ?? 0) > 1;
  }

  /** Others know of counts that the disk has not. It may lack those of other rooms too, and gifts, of which nobody has said so. */
  #lostCommits(): void {
    for (const room of this.rooms.keys()) this.#hold(room, LOST_TEXT);
    this.#powerLoss.noteLoss();
  }

  /** The process ends in order: to be committed last. */
  end(): void {
    this.#powerLoss.end();
    this.#proof.end();
  }

  /** Whether this node may use nothing of a room: its slots may be in use by sessions, or its units given away, that it does not know of. */
  #isHeld(room: RoomId): boolean {
    return this.#powerLoss.isOpen || this.#lost.isHeld(room);
  }

  /** Has all slots of a room that lie here count as used, until all sessions of now are over. */
  #hold(room: RoomId, why: string): void {
    if (this.#lost.note(room)) this.#options.events.log({ room }, `${why}: ${HELD_TEXT}`);
  }

  /** The time by which news of others are judged, also while the rooms' own is not known. */
  get #newsMs(): number {
    return this.#isClockTrusted ? this.#roomMs : this.#now.wallMs;
  }

  #compareClock(now: Instant): void {
    const isWaiting = now.steadyMs - this.#clockAskedMs < CLOCK_WAIT_MS;
    if (isWaiting && this.#hasOthers && !this.members.isClockConfirmed(now)) return;
    this.#isClockTrusted = true;
    this.#guard.begin({ ...now, wallMs: now.wallMs + this.members.msToStartBy(now) });
    this.#roomMs = this.#guard.look(now);
    for (const room of this.rooms.values()) this.#compareMinute(room);
  }

  up(node: NodeId, hello: PeerHello, now: Instant): void {
    this.at(now);
    this.epoch += 1;
    this.members.up(node, now, hello);
    this.#up.add(node);
    const isNews = this.#hearAddresses([[node, hello.addresses.slice(0, ADDRESSES_PER_NODE_MAX)]]);
    // In a large mesh only neighbours tell each other all that they know: it grows with the members, as do those who would say it.
    const isFar = this.members.hasTwoTiers && hello.locality !== this.#options.locality;
    if (isNews || !this.members.hasTwoTiers)
      this.#published.push({ kind: "addresses", nodes: [[node, this.#addresses.get(node) ?? []]] });
    if (!isFar || !this.members.isMember(node))
      this.outbox.send(node, { kind: "addresses", nodes: [...this.#addresses] });
    if (!isFar) this.#gaugesSaid.atMs = Number.NEGATIVE_INFINITY;
    const wantsBack = this.#wantsToCompare();
    if (!isFar || wantsBack) this.outbox.send(node, this.replica.digest({ wantsBack }));
  }

  /** Whether to ask one more peer for what it knows of this node's rows: where not every peer says so by itself. */
  #wantsToCompare(): boolean {
    const isTold = this.members.view !== undefined && !this.members.hasTwoTiers;
    if (isTold || this.#isInStep || this.#askedToCompare >= COMPARED_WITH) return false;
    this.#askedToCompare += 1;
    return true;
  }

  down(node: NodeId, now: Instant): void {
    this.at(now);
    this.epoch += 1;
    this.members.down(node, now);
    this.#up.delete(node);
    this.calls.lost(node, now.steadyMs);
  }

  /** A peer knows of a later process of this identity. */
  outrun(newest: number, now: Instant): void {
    this.at(now);
    this.members.outrun(newest);
  }

  /** A frame that came from `from` on a stream. */
  receive(from: NodeId, frame: Uint8Array, now: Instant): void {
    this.at(now);
    this.#counts.framesIn += 1;
    this.#counts.bytesIn += frame.length;
    const messages = this.#decode(from, frame);
    const [stamp] = messages;
    if (stamp?.kind !== "stamp") return;
    // Members' own messages carry their view themselves; a node without one has asked to be taken in.
    if (messages.some(isAboutShares) && stamp.view > 0 && this.members.view !== undefined)
      this.members.sawView(from, stamp.view, now);
    const mayShare = stamp.view === this.members.view?.number && this.members.isMember(from);
    for (const message of messages.slice(1)) {
      const faults = this.#hear(from, message, mayShare);
      if (faults > 0) this.#blame(from, faults);
    }
  }

  /** A frame that `from` published to all. */
  published(from: NodeId, frame: Uint8Array, now: Instant): void {
    this.at(now);
    this.#counts.publishedIn += 1;
    this.#counts.bytesIn += frame.length;
    for (const message of this.#decode(from, frame)) {
      if (message.kind === "rows") this.#blame(from, this.replica.heard(message, from, this.#newsMs).faults);
      else if (message.kind === "gauges") this.#hearGauges(from, message);
      else if (message.kind === "sites") this.localities.hear(from, message.sites, this.#now);
      else if (message.kind === "addresses") this.#hearAddresses(message.nodes);
    }
  }

  /** To be called every 100 ms or so. */
  tick(now: Instant): void {
    this.at(now);
    this.epoch += 1;
    this.calls.tick(now.steadyMs);
    this.members.tick(now);
    for (const room of this.rooms.values()) if (room.pending > 0) room.workPending(this.#roomMs);
    this.#ceilings?.settle(now);
    this.#testimonies.tick();
    if (now.steadyMs - this.#tickedMs < ROOMS_MS) return;
    this.#tickedMs = now.steadyMs;
    for (const [node, faults] of this.#faults) {
      if (faults <= 1) this.#faults.delete(node);
      else this.#faults.set(node, faults - 1);
    }
    this.#pots?.tick(now);
    if (this.#isClockTrusted) {
      if (this.members.mayExtendOwn(now)) this.#cutOff.extends(minuteOf(this.#roomMs, this.#options.minuteMs));
      this.#lost.tick(now, this.#roomMs);
      this.#powerLoss.tick(now, this.isInStep);
      for (const room of this.rooms.values()) room.tick(this.#roomMs);
      this.#ceilings?.tick(now);
    }
    this.members.interestingNodes(this.#usedCounters());
    this.#gossip(now);
    this.#tellFar(now);
    this.#sync(now);
  }

  /** Everything to be done since the last call. */
  take(): Ready {
    this.#ceilings?.settle(this.#now);
    const batch = this.outbox.take();
    const frames = batch.sent.length === 0 ? [] : this.#framesOf(batch.sent);
    const reach: Reach = this.members.hasTwoTiers ? "locality" : "all";
    const published = this.#published
      .splice(0)
      .flatMap((message) => (this.#encoded([message]) ?? []).map((frame) => ({ frame, reach })));
    const [punished, known, forgotten] = [[...this.#punished], [...this.#known], [...this.#forgotten]];
    for (const told of [this.#punished, this.#known, this.#forgotten]) told.clear();
    this.#counts.framesOut += frames.length;
    this.#counts.publishedOut += published.length;
    for (const { frame } of frames) this.#counts.bytesOut += frame.length;
    for (const { frame } of published) this.#counts.bytesOut += frame.length;
    return { batch, frames, published, punished, known, forgotten };
  }

  /** Gives back the writes of a batch that could not be committed; its messages are as if lost. */
  retry({ batch }: Ready): void {
    this.outbox.retry(batch);
  }

  get isIdle(): boolean {
    const { outbox } = this;
    const untold = this.#known.size + this.#punished.size + this.#forgotten.size;
    return outbox.isEmpty && this.#published.length === 0 && untold === 0 && this.#ceilings?.isIdle !== false;
  }

  /** One frame for each node and purpose, if it can hold all that is to be said. */
  #framesOf(sent: Batch<PeerMessage>["sent"]): Ready["frames"] {
    const stamp = { kind: "stamp", view: this.members.view?.number ?? 0 } as const;
    const byTarget = new Map<string, { to: NodeId; isBulk: boolean; messages: PeerMessage[] }>();
    for (const { to, message } of sent) {
      const isBulk = BULK_KINDS.has(message.kind);
      const key = isBulk ? `${to} bulk` : to;
      const before = byTarget.get(key);
      if (before === undefined) byTarget.set(key, { to, isBulk, messages: [message] });
      else before.messages.push(message);
    }
    // What is said to many is packed once.
    const packed = new Map<PeerMessage, Uint8Array[]>();
    return [...byTarget.values()].flatMap(({ to, isBulk, messages }) => {
      const [only, ...more] = messages;
      const frames =
        only === undefined || more.length > 0
          ? this.#frames(stamp, messages)
          : packed.getOrInsertComputed(only, () => this.#frames(stamp, messages));
      return frames.map((frame) => ({ to, isBulk, frame }));
    });
  }

  /** A frame holds a megabyte; what is sent in one step may be more. Each frame begins with the stamp. */
  #frames(stamp: PeerMessage, messages: readonly PeerMessage[]): Uint8Array[] {
    const frames = this.#encoded([stamp, ...messages]);
    if (frames?.length === 1) return frames;
    return messages.flatMap((message) => this.#encoded([stamp, message]) ?? []);
  }

  /** Undefined for a message that is larger than a frame or cannot be packed. It is dropped: the step's writes are not lost for it. */
  #encoded(messages: readonly PeerMessage[]): Uint8Array[] | undefined {
    try {
      return this.#codec.encodeAll(messages, this.members.wire);
    } catch (error) {
      this.#counts.faults += 1;
      this.#options.events.log({ error: String(error), kinds: messages.map(({ kind }) => kind) }, "message not sent");
      return undefined;
    }
  }

  #decode(from: NodeId, frame: Uint8Array): readonly PeerMessage[] {
    const decoded = this.#codec.decode(frame);
    if (decoded.ok) {
      if (decoded.ignored !== undefined) this.#drop("unknown", decoded.ignored);
      return decoded.messages;
    }
    this.#drop(decoded.reason, 1);
    this.#blame(from, 1);
    return [];
  }

  #drop(reason: string, count: number): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + count;
  }

  /** Takes a message in; returns how many faults it had. */
  #hear(from: NodeId, message: PeerMessage, mayShare: boolean): number {
    if (isOf(message, "members")) return this.members.receive(from, message, this.#now) ? 0 : 1;
    if (isOf(message, "replica")) return this.#hearReplica(from, message);
    if (isOf(message, "addresses")) this.#hearAddresses(message.nodes);
    else if (isOf(message, "sites")) this.localities.hear(from, message.sites, this.#now);
    else if (!mayShare) return 0;
    else if (isOf(message, "power-loss")) this.#powerLoss.hear(from, message);
    // An answer carries a gift, which may only come in the view it was given in.
    else if (isOf(message, "answers")) this.calls.answered(from, message, this.#now.steadyMs);
    else if (isOf(message, "rooms") && this.#isClockTrusted)
      this.rooms.get(message.room)?.receive(from, message, this.#roomMs);
    return 0;
  }

  #hearReplica(from: NodeId, message: ReplicaMessage): number {
    if (message.kind === "digest" && !(this.#isInStep && this.#knowsRegisters)) {
      this.#comparedMs.getOrInsertComputed(from, () => this.#now.steadyMs);
      if (message.isInStep) this.#inStepMs.getOrInsertComputed(from, () => this.#now.steadyMs);
    }
    const { answers, faults, changed } = this.replica.heard(message, from, this.#newsMs);
    // Two nodes that have not joined yet agree on nothing at all.
    if (message.kind === "digest" && message.registers === this.replica.registersDigest && this.members.isMember(from))
      this.#knowsRegisters = true;
    // What comes from another locality is passed on in this one, once: from a neighbour all have heard it. Who passes on answers for it.
    if (changed && faults === 0 && message.kind === "rows" && this.members.hasTwoTiers && !this.members.isNear(from))
      this.#published.push(message);
    for (const answer of answers) this.outbox.send(from, answer);
    return faults;
  }

  /** Notes where nodes can be dialled, for the shell; returns whether that was news. */
  #hearAddresses(nodes: readonly (readonly [NodeId, readonly string[]])[]): boolean {
    let isNews = false;
    for (const [node, addresses] of nodes) {
      if (node === this.#options.self || addresses.length === 0) continue;
      if (JSON.stringify(this.#addresses.get(node)) === JSON.stringify(addresses)) continue;
      if (this.#addresses.size >= ADDRESSES_MAX && !this.#addresses.has(node)) continue;
      this.#addresses.set(node, addresses);
      this.#known.set(node, addresses);
      this.outbox.putLater(ADDRESSES_KEY, () => [...this.#addresses]);
      isNews = true;
    }
    return isNews;
  }

  #hearGauges(from: NodeId, { lease, rooms: gauges, idle = [] }: GaugesMessage): void {
    if (!this.members.isMember(from)) return;
    const rooms = new Map<RoomId, Gauge>();
    for (const { room, ...gauge } of gauges) rooms.set(room, gauge);
    this.#gauges.set(from, { rooms, idle, untilMs: this.#now.steadyMs + GAUGES_MAX_MS });
    this.#leases.set(from, lease);
  }

  #blame(from: NodeId, faults: number): void {
    if (faults === 0) return;
    this.#counts.faults += faults;
    const sum = (this.#faults.get(from) ?? 0) + faults;
    this.#faults.set(from, sum);
    if (sum <= FAULTS_MAX) return;
    this.#faults.delete(from);
    this.#counts.punished += 1;
    this.#punished.add(from);
  }

  /** Alone a node believes its clock, but not a time that it did not believe among others: they may have left their sessions to it. */
  #isClockConfirmed(wasDoubted: boolean): boolean {
    return this.#hasOthers ? this.members.isClockConfirmed(this.#now) : !wasDoubted;
  }

  #viewChanged(view: View): void {
    this.epoch += 1;
    if (!this.#isTakenIn) this.#takenIn();
    const isMember = (node: NodeId) => view.members.some((member) => member.node === node);
    for (const node of this.#gauges.keys()) if (!isMember(node)) this.#gauges.delete(node);
    for (const [account] of view.heirs) {
      const node = account as string as NodeId;
      if (this.#addresses.delete(node)) this.#forgotten.add(node);
    }
    this.#gaugesSaid.atMs = Number.NEGATIVE_INFINITY;
    this.#syncedAllMs = Number.NEGATIVE_INFINITY;
    this.localities?.viewChanged();
    this.#pots?.tick(this.#now);
    this.#noteGone(view);
    // Of members that were removed, if this node inherits them: from now on it writes their rows.
    this.replica.takeOver(this.members?.writes() ?? [], []);
    this.#options.events.viewChanged(view);
  }

  /** This node had nobody to compare its clock with until now: what it took for the time counts no more. */
  #takenIn(): void {
    this.#isTakenIn = true;
    if (!this.#hasOthers) return;
    this.#isClockTrusted = false;
    this.#clockAskedMs = this.#now.steadyMs;
  }

  /** Nodes that a view has removed may run on for as long as a pot lasts, whatever this node inherits of them. */
  #noteGone(view: View): void {
    if (this.#pots === undefined) return;
    const forMs = this.#pots.activeMs({ runsNowhere: false }, this.#now);
    this.#cutOff.learn(view, forMs, this.#now);
  }

  #stoppedBy(reason: StopReason): void {
    const { over } = this.#options.events;
    if (reason === "left") over("left", "this node has left the mesh");
    else if (reason === "removed") over("new-identity", "this node was removed from the mesh");
    else over("replaced", "a later start of the same identity runs elsewhere");
  }

  /** A leaver that does not know what of its slots is in use has its own account in a pot, too. */
  #takeOver(account: AccountId, tables: readonly RoomTable[]): void {
    const pot = this.members.pot(this.#now).find(({ accounts }) => accounts.includes(account));
    const held = pot === undefined ? tables : tables.map((table) => inPot(table, pot.group));
    this.#testimonies.tookOver();
    this.#handed.takeOver(held, this.rooms, this.#roomMs);
    this.#pots?.tick(this.#now);
  }

  /** Ticket counters and stand-ins that this node's rooms use: their silence is to be noticed soon. */
  #usedCounters(): ReadonlySet<NodeId> {
    const used = new Set<NodeId>();
    for (const room of this.rooms.values()) for (const node of room.counters().slice(0, 2)) used.add(node);
    used.delete(this.#options.self);
    return used;
  }

  /** Members that hear what this node publishes, itself included. */
  get #hearers(): number {
    const { byLocality, hasTwoTiers, view } = this.members;
    return (hasTwoTiers ? byLocality.get(this.#options.locality)?.length : view?.members.length) ?? 0;
  }

  #gossip({ steadyMs }: Instant): void {
    const hearers = this.#hearers;
    if (steadyMs - this.#gossipedMs < Math.max(ROOMS_MS, hearers * GOSSIP_MS_PER_MEMBER) - 50) return;
    this.#gossipedMs = steadyMs;
    // A node alone publishes to nobody; what has changed is on its disk all the same.
    for (let rows = this.replica.publish(this.#newsMs); rows !== undefined; rows = this.replica.publish(this.#newsMs))
      if (hearers > 1) this.#published.push(rows);
    if (hearers < 2) return;
    const known = this.#isClockTrusted ? [...this.rooms.values()] : [];
    const rooms = known.map((room) => ({ room: room.id, ...room.gauge(this.#roomMs) }));
    const lease = this.members.lease(this.#now);
    const idle = this.#ownIdle();
    const text = JSON.stringify([lease, rooms, idle]);
    if (text === this.#gaugesSaid.text && steadyMs - this.#gaugesSaid.atMs < GAUGES_AGAIN_MS) return;
    this.#gaugesSaid = { atMs: steadyMs, text };
    this.#published.push({ kind: "gauges", lease, rooms, ...(idle.length > 0 && { idle }) });
  }

  /** The same, as others are told of it. */
  #ownIdle(): IdleShare[] {
    return this.idleHere.slice(0, IDLE_MAX).map(({ accounts, rooms, ...share }) => ({
      accounts: accounts.slice(0, IDLE_ACCOUNTS_MAX),
      ...(rooms !== undefined && { rooms: rooms.slice(0, IDLE_ROOMS_MAX) }),
      ...share,
    }));
  }

  /** In a large mesh: passes on what was heard of other localities, and tells them of this one. */
  #tellFar(now: Instant): void {
    if (!this.members.hasTwoTiers) return;
    const heard = this.localities.takeHeard(now);
    if (heard !== undefined && this.#hearers > 1) this.#published.push(heard);
    if (!this.members.isSpeaker(now)) {
      this.replica.forgetTold();
      return;
    }
    this.localities.tell(now, this.#isClockTrusted ? this.#roomMs : undefined);
    const members = this.members.view?.members.length ?? 0;
    const isDue = now.steadyMs - this.#toldFarMs >= Math.max(ROOMS_MS, members * FAR_ROWS_MS_PER_MEMBER) - 50;
    if (!isDue && !this.replica.hasNewRegisters) return;
    this.#toldFarMs = now.steadyMs;
    const news = this.replica.news();
    if (news.length === 0) return;
    for (const speaker of this.localities.otherSpeakers(now)) for (const rows of news) this.outbox.send(speaker, rows);
  }

  /** Asks a peer for what was missed; in a large mesh often for the rows of this locality, and for all the more seldom the more there are. */
  #sync(now: Instant): void {
    const { steadyMs } = now;
    if (steadyMs - this.#syncedMs < (this.#isInStep ? SYNC_MS : IN_STEP_MS)) return;
    this.#syncedMs = steadyMs;
    const { members } = this;
    if (!members.hasTwoTiers) {
      this.#ask(members.view === undefined ? [...this.#up] : members.alive(now), { wantsBack: !this.#isInStep });
      return;
    }
    const near = members.near(now);
    this.#ask(near, { isNear: true });
    const count = members.view?.members.length ?? 0;
    const isAllDue = steadyMs - this.#syncedAllMs >= Math.max(SYNC_MS, count * FAR_ROWS_MS_PER_MEMBER) - 50;
    if (!isAllDue && this.#isInStep) return;
    this.#syncedAllMs = steadyMs;
    const others = members.isSpeaker(now) ? this.localities.otherSpeakers(now) : [];
    this.#ask([...near, ...others], { wantsBack: !this.#isInStep });
  }

  /** Sends a digest to one of `nodes`, by chance. */
  #ask(nodes: readonly NodeId[], what: { readonly isNear?: boolean; readonly wantsBack?: boolean }): void {
    const others = nodes.filter((node) => node !== this.#options.self);
    const other = others[Math.floor(this.#options.random() * others.length)];
    if (other !== undefined) this.outbox.send(other, this.replica.digest(what));
  }
}
