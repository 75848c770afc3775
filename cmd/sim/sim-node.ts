/**
 * A node of the simulated world: the real `Peer`, rooms, group commit and gate (`sim-gate.ts`), with a disk, clocks and
 * a process that can fail.
 *
 * Each step ends with a commit: writes go to the disk, then messages leave, then visitors get answers. A crash may come
 * before, between or after. A paused process receives everything later; its disk and its steady clock continue.
 */

import { type AccountId, accountOf, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Sizes } from "../../mesh/core/members/tiers.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import type { Batch } from "../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import { ADMISSION, REVOKED } from "../../node/admission/mesh/stored-room.ts";
import type { Room } from "../../node/config/room.ts";
import { roomDocument } from "../../node/config/room-document.ts";
import { incarnationOf, Peer } from "../../node/peer/peer.ts";
import type { PeerCodec } from "../../node/peer/peer-codec.ts";
import type { PeerOptions, Ready } from "../../node/peer/peer-options.ts";
import { roomIdOf } from "../../node/rooms/stored-room.ts";
import { type ExchangeOutcome, MemoryExchange, type MemoryRequest } from "./memory-exchange.ts";
import type { Network } from "./network.ts";
import { type DiskCopy, SimDisk } from "./sim-disk.ts";
import { openGate, type SimGate } from "./sim-gate.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface MeshConstants {
  /** From which size on the mesh works in which way; as the product has it if left out. */
  readonly sizes?: Sizes;
  readonly codec: PeerCodec;
  /**
   * Leaves out what only starts after a crash need: disks keep values instead of bytes, and no node publishes its
   * addresses.
   */
  readonly neverCrashes?: boolean;
  readonly founder: NodeId;
  readonly minuteMs: number;
  readonly leaseMs: number;
  readonly islandMs: number;
}

export interface SimNodeParts {
  readonly time: VirtualTime;
  readonly network: Network;
  readonly random: () => number;
  readonly constants: MeshConstants;
  readonly locality: string;
  /** Generates an identity that no node has had. */
  readonly newIdentity: () => NodeId;
  /** Generates an id that no visitor has had. */
  readonly newVisitorId: () => string;
  /** A room begins at a process. */
  readonly roomMade: (room: MeshRoom, node: SimNode) => void;
  /** Ends the run: a promise was broken. */
  readonly broken: (text: string) => never;
  /** A process began or ended. */
  readonly log: (text: string) => void;
}

/** The first room of a simulated world. */
export const ROOM_NAME = "room";
export const ROOM = roomIdOf(ROOM_NAME);

/** What happened to an identity that is over. */
export type Fate = "lost disk" | "forgotten" | "left" | "removed" | "old disk" | "replaced";

type CrashPoint = "before-commit" | "before-send" | "after-send";

const TICK_MS = 100;
/** Entries that are written because of the next answers: admissions, gifts, votes. */
const TELLING_KEYS = ["admission/", "ledger/cell/", "members/"];
/**
 * Entries that only this node knows until they are published: the sessions here, and gifts, which one other node knows.
 */
const NEWS_KEYS = [`${ADMISSION.key}/`, "ledger/cell/"];
/** Entries that are written as rows are published. */
const PUBLISHED_KEYS = "ledger/part/";
/** The process ended while it committed. */
const CRASHED = new Error("the process has ended");
/** Plain signatures: real ones are tested elsewhere. */
const SIGNATURES: PeerOptions["signatures"] = { sign: () => new Uint8Array(1), verify: () => true };

export class SimNode {
  identity: NodeId;
  readonly locality: string;
  /** How far the wall clock is off, and how fast both clocks run. */
  skewMs = 0;
  rate = 1;
  /** Whether it has published anything of its own since the last backup. */
  #hasToldSince = false;
  /** How often the host has started. */
  #boots = 1;
  peer: Peer | undefined;
  /** By which the next start goes. */
  islandMs: number;
  /** Identities that this place had before, by account. */
  readonly fates = new Map<AccountId, Fate>();
  /** Set to crash at this point of the next step that has something to do. */
  crashAt: CrashPoint | undefined;
  readonly disk: SimDisk;
  readonly #parts: SimNodeParts;
  #backup: { readonly identity: NodeId; readonly disk: DiskCopy } | undefined;
  /** What a suspended process will find when it continues; undefined while it runs. */
  #held: (() => void)[] | undefined;
  #generation = 0;
  #gate: SimGate | undefined;
  /** Whether something waits for the end of the step. */
  #isWoken = false;
  /** Whether a visitor waits for the next commit. */
  #isAwaited = false;
  /** Whether the last commit preceded an answer. */
  #hasWork = false;

  constructor(parts: SimNodeParts) {
    this.#parts = parts;
    this.locality = parts.locality;
    this.islandMs = parts.constants.islandMs;
    this.identity = parts.newIdentity();
    const { time, constants, broken } = parts;
    this.disk = new SimDisk({ nowMs: () => time.nowMs, keeps: constants.neverCrashes !== true, broken });
  }

  get isRunning(): boolean {
    return this.peer !== undefined && this.#held === undefined;
  }

  get now(): Instant {
    const steadyMs = this.#parts.time.elapsedMs * this.rate;
    return { wallMs: Math.floor(this.#parts.time.nowMs + this.skewMs), steadyMs };
  }

  /** Creates or changes a room at the running process. */
  setRoom(room: Room): void {
    const rooms = this.#gate?.rooms;
    const live = rooms?.byFirstName(room.name);
    const changed = live === undefined ? rooms?.create(roomDocument(room)) : rooms?.replace(live, room);
    if (changed?.ok === false) throw new Error(JSON.stringify(changed.refusal));
  }

  deleteRoom(name: string): void {
    this.#gate?.rooms.remove(name);
  }

  /** A room as its gate has it; undefined for one that is deleted, or not known here. */
  room(id: RoomId): Room | undefined {
    return this.#gate?.rooms.all().find((live) => live.id === id)?.room;
  }

  /** Applies what was just changed here. */
  putInForce(id: RoomId, register: Register): void {
    this.#gate?.rooms.follow(id, register);
  }

  /** Whether requests here belong to a room, and not to none, as after its deletion. */
  isInForce(room: RoomId): boolean {
    return this.room(room) !== undefined;
  }

  /** A request comes to the gate, in a step (`do`); `onOutcome` hears what becomes of it, unless the process ends before. */
  serve(request: MemoryRequest, onOutcome: (outcome: ExchangeOutcome) => void): void {
    const generation = this.#generation;
    const isGone = (): boolean => generation !== this.#generation;
    this.#gate?.gate.handle(new MemoryExchange({ ...request, isGone }, onOutcome));
  }

  /** Makes the running process do something later, unless it has ended by then. */
  later(ms: number, act: () => void): void {
    const generation = this.#generation;
    this.#parts.time.after(ms, () => {
      if (generation === this.#generation) this.#step(act);
    });
  }

  start(founds = false): void {
    if (this.peer !== undefined) return;
    const restored = this.disk.open();
    const { constants, locality, random, time } = this.#parts;
    const { wallMs } = this.now;
    const generation = ++this.#generation;
    this.#gate = undefined;
    const peer = new Peer({
      ...constants,
      islandMs: this.islandMs,
      self: this.identity,
      founder: constants.founder as never,
      locality,
      incarnation: incarnationOf(restored, wallMs),
      meshId: "sim",
      bootId: `boot ${this.#boots}`,
      diskPlace: "the disk of its host",
      founds,
      hasSeeds: true,
      restored,
      signatures: SIGNATURES,
      random,
      now: this.now,
      events: {
        roomChanged: (id, register) => this.#gate?.rooms.follow(id, register),
        orderChanged: (id, register) => this.#gate?.rooms.followOrder(id, register),
        viewChanged: ({ number, members }) =>
          this.#parts.log(`${this.identity} view ${number}: ${members.map(({ node }) => node).join(" ")}`),
        over: (kind, reason) => time.after(0, () => generation === this.#generation && this.#over(kind, reason)),
        log: (_fields, message) => this.#parts.log(`${this.identity} ${message}`),
      },
    });
    this.peer = peer;
    const { roomMade, newVisitorId: newId } = this.#parts;
    this.#gate = openGate({
      peer,
      restored,
      now: () => this.now,
      minuteMs: constants.minuteMs,
      surroundings: { after: (ms, act) => this.later(ms, act), newId, steadyMs: () => this.now.steadyMs },
      commit: (batch) => this.#commit(batch),
      store: (batch) => this.disk.commit(batch),
      send: (ready) => this.#send(ready),
      made: (room) => roomMade(room, this),
      woken: () => {
        this.#isWoken = true;
      },
      awaited: () => {
        this.#isAwaited = true;
      },
    });
    this.#parts.log(`${this.identity} starts`);
    this.#parts.network.join(this.identity, {
      hello: {
        locality,
        incarnation: peer.incarnation,
        islandMs: peer.members.islands.ownMs,
        addresses: constants.neverCrashes ? [] : [this.identity],
      },
      hear: (from, frame) => this.#step((peer) => peer.published(from as NodeId, frame, this.now)),
      receive: (from, frame) => this.#step((peer) => peer.receive(from as NodeId, frame, this.now)),
      up: (other) => this.#up(other),
      down: (other) => this.#step((peer) => peer.down(other as NodeId, this.now)),
    });
    this.#flush();
    time.every(TICK_MS, () => {
      if (generation !== this.#generation || this.peer !== peer) return false;
      if (this.#held === undefined) this.#step((peer) => peer.tick(this.now));
      return true;
    });
  }

  /** Whether this gate accepts no cookie of a session, now or after a restart. */
  refuses(room: RoomId, session: string): boolean {
    if (this.peer === undefined) return this.disk.isEmpty || this.disk.has(REVOKED.at(room, session));
    return this.peer.rooms.get(room)?.admission.isRevoked(session) ?? true;
  }

  /** Does something at the process, and everything left to do after it. Lost if it does not run. */
  do(act: (peer: Peer) => void): boolean {
    if (!this.isRunning) return false;
    this.#step(act);
    return this.isRunning;
  }

  /** Calls `notify` once what was decided is on disk, unless the process ends before. */
  afterCommit(notify: () => void): void {
    this.#isAwaited = true;
    this.#gate?.commit.afterCommit((isOnDisk) => {
      if (isOnDisk && this.peer !== undefined) notify();
    });
  }

  crash(): void {
    if (this.peer === undefined) return;
    this.peer = undefined;
    this.#generation += 1;
    this.#held = undefined;
    this.crashAt = undefined;
    this.#parts.log(`${this.identity} crashes`);
    this.#parts.network.leave(this.identity);
  }

  /** The disk is lost; the next start makes a new node. */
  wipe(fate: Fate = "lost disk"): void {
    this.crash();
    this.fates.set(accountOf(this.identity), fate);
    this.disk.replace();
    this.identity = this.#parts.newIdentity();
  }

  /** A backup of the disk. */
  backUp(): void {
    this.#backup = { identity: this.identity, disk: this.disk.copy() };
    this.#hasToldSince = false;
  }

  /**
   * Restores the last backup, and starts from it: on a restarted host, unless told otherwise, or if no node can have
   * heard of what is lost. Then nothing else could show that the disk is an old one.
   */
  rollBack({ isSameBoot = false } = {}): boolean {
    if (this.#backup === undefined || this.#backup.identity !== this.identity) return false;
    this.crash();
    if (!isSameBoot || !this.#hasToldSince || this.#hasNews()) this.#boots += 1;
    this.disk.replace(this.#backup.disk);
    this.start();
    return true;
  }

  /** The host loses power: what was committed in the last `lostMs`, and not forced to disk since, is lost. */
  losePower(lostMs: number): boolean {
    if (this.peer === undefined) return false;
    this.crash();
    this.#boots += 1;
    this.disk.losePower(lostMs);
    this.start();
    return true;
  }

  /** Makes the process leave the mesh for good; its place gets a new node. Returns whether it runs. */
  leave(): boolean {
    return this.do((peer) =>
      peer.members.leave(this.now, ({ kind }) => this.#parts.log(`${this.identity} leaves: ${kind}`)),
    );
  }

  pause(): void {
    if (this.isRunning) this.#held = [];
  }

  resume(): void {
    const held = this.#held;
    this.#held = undefined;
    for (const act of held ?? []) act();
  }

  #over(kind: Parameters<PeerOptions["events"]["over"]>[0], reason: string): void {
    this.#parts.log(`${this.identity} is over: ${kind}: ${reason}`);
    this.wipe(kind === "new-identity" ? (reason.includes("removed") ? "removed" : "old disk") : kind);
    this.start();
  }

  #up(other: string): void {
    const node = this.#parts.network.helloOf(other);
    if (node !== undefined) this.#step((peer) => peer.up(other as NodeId, node, this.now));
  }

  #step(act: (peer: Peer) => void): void {
    if (this.peer === undefined) return;
    if (this.#held !== undefined) {
      this.#held.push(() => this.#step(act));
      return;
    }
    this.peer.at(this.now);
    act(this.peer);
    this.#flush();
  }

  /** What is due at the end of a step, and what comes of it. */
  #flush(): void {
    const { peer } = this;
    const commit = this.#gate?.commit;
    do {
      this.#isWoken = false;
      this.#hasWork = false;
      commit?.flush();
      if (this.crashAt === "after-send" && this.#hasWork && this.peer === peer) this.crash();
    } while (this.#isWoken && peer !== undefined && this.peer === peer);
  }

  /** The group commit's part that may fail: most steps only tick, and what matters is a crash when something is about to be told. */
  #commit(batch: Batch): void {
    if (this.peer === undefined) throw CRASHED;
    this.#hasWork =
      this.crashAt !== undefined &&
      (this.#isAwaited ||
        [...batch.writes.keys()].some((key) => TELLING_KEYS.some((prefix) => key.startsWith(prefix))));
    this.#isAwaited = false;
    if (this.crashAt === "before-commit" && this.#hasWork) {
      this.crash();
      throw CRASHED;
    }
    this.disk.commit(batch);
  }

  #send({ batch, frames, published, forgotten }: Ready): void {
    const { network } = this.#parts;
    if (this.crashAt === "before-send" && this.#hasWork) {
      this.crash();
      return;
    }
    this.#hasToldSince ||= [...batch.writes.keys()].some((key) => key.startsWith(PUBLISHED_KEYS));
    for (const { to, frame } of frames) network.send(this.identity, to, frame);
    for (const { frame, reach } of published) network.publish(this.identity, frame, reach);
    for (const node of forgotten) network.disconnect(this.identity, node);
  }

  /**
   * Whether a visitor was admitted or extended here in the last moment, or slots were given away, without any other
   * node knowing.
   */
  #hasNews(): boolean {
    return NEWS_KEYS.some((prefix) => this.disk.hasNews(prefix));
  }
}
