/**
 * A node of the simulated world: the real `Peer` and its rooms, with a disk, clocks and a process that can fail.
 *
 * Each step ends as in the binary: writes go to the disk, then messages leave, then visitors are told. A crash may come
 * before, between or after. A paused process hears everything later; its disk and its steady clock go on.
 */

import { type AccountId, accountOf, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Sizes } from "../../mesh/core/members/tiers.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { packed, unpacked } from "../../mesh/core/wire/packed.ts";
import { ADMISSION_KEY, MeshRoom, REVOKED_KEY } from "../../node/admission/mesh/mesh-room.ts";
import { parseRoom } from "../../node/config/room-document.ts";
import { incarnationOf, Peer, type PeerCodec, type PeerOptions } from "../../node/peer/peer.ts";
import { StoredRooms } from "../../node/storage/stored-rooms.ts";
import type { Network } from "./network.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface MeshConstants {
  /** From which size on the mesh works in which way; as the product has it if left out. */
  readonly sizes?: Sizes;
  readonly codec: PeerCodec;
  /** Leaves out what only starts after a crash need: disks keep values instead of bytes, and nobody says where it can be dialled. */
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
  /** Draws an identity that no node has had. */
  readonly newIdentity: () => NodeId;
  /** A process began or ended. */
  readonly log: (text: string) => void;
}

/** The first room of a simulated world. */
export const ROOM = "room" as RoomId;

/** What became of an identity that is over. */
export type Fate = "lost disk" | "forgotten" | "left" | "removed" | "old disk" | "replaced";

type CrashPoint = "before-commit" | "before-send" | "after-send";

const TICK_MS = 100;
/** Entries that are written because of what is told next: admissions, gifts, votes. */
const TELLING_KEYS = ["admission/", "ledger/cell/", "members/"];
/** So old at most are commits that a loss of power undoes: the host writes them to its disk by then. */
const UNFORCED_MS = 500;

/** Counts are published twice a second, and are on their way for a while. */
const TOLD_MS = 900;
/** Entries that are written as rows are published. */
const PUBLISHED_KEYS = "ledger/part/";
/** Plain signatures: what they are for is tested elsewhere. */
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
  readonly #parts: SimNodeParts;
  #disk = new Map<string, Uint8Array>();
  /** What is on it besides, as values: of a node that never crashes. */
  readonly #values = new Map<string, unknown>();
  #backup: { readonly identity: NodeId; readonly disk: ReadonlyMap<string, Uint8Array> } | undefined;
  #told: (() => void)[] = [];
  /** What a stopped process will find when it goes on; undefined while it runs. */
  #held: (() => void)[] | undefined;
  #generation = 0;
  #stored = new StoredRooms(new Map(), 1);
  /** Rooms that its gate knows, the deleted ones left out. */
  readonly #inForce = new Set<RoomId>();
  /** Writes that a loss of power may undo, in their order. */
  #unforced: { readonly atMs: number; readonly key: string; readonly before: Uint8Array | undefined }[] = [];

  constructor(parts: SimNodeParts) {
    this.#parts = parts;
    this.locality = parts.locality;
    this.islandMs = parts.constants.islandMs;
    this.identity = parts.newIdentity();
  }

  /** Puts an entry on the disk, as an earlier run would have. */
  put(key: string, value: unknown): void {
    this.#values.set(key, value);
  }

  get isRunning(): boolean {
    return this.peer !== undefined && this.#held === undefined;
  }

  get now(): Instant {
    const steadyMs = this.#parts.time.elapsedMs * this.rate;
    return { wallMs: Math.floor(this.#parts.time.nowMs + this.skewMs), steadyMs };
  }

  /** Writes a room's register at the process that runs, and puts it in force: without a document the room is deleted. */
  writeRoom(id: RoomId, room: Pick<Register, "document" | "createdMs">): void {
    const nowMs = Math.floor(this.#parts.time.nowMs);
    const register = this.peer?.replica.setRegister(id, { firstName: id, ...room }, nowMs);
    if (register !== undefined) this.#makeRoom(id, register, this.#stored);
  }

  /** Puts in force what was just changed here. */
  putInForce(id: RoomId, register: Register): void {
    this.#makeRoom(id, register, this.#stored);
  }

  /** Whether requests here are those of a room, and not of none, as they are once it is deleted. */
  isInForce(room: RoomId): boolean {
    return this.#inForce.has(room);
  }

  start(founds = false): void {
    if (this.peer !== undefined) return;
    this.#inForce.clear();
    const restored = new Map(this.#values);
    for (const [key, bytes] of this.#disk) restored.set(key, unpacked(bytes)?.[0]);
    const { constants, locality, random, time } = this.#parts;
    const { wallMs } = this.now;
    const generation = ++this.#generation;
    this.#stored = new StoredRooms(restored, constants.minuteMs);
    const make = (id: RoomId, register: Register): void => this.#makeRoom(id, register, this.#stored);
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
        roomChanged: make,
        viewChanged: ({ number, members }) =>
          this.#parts.log(`${this.identity} view ${number}: ${members.map(({ node }) => node).join(" ")}`),
        over: (kind, reason) => time.after(0, () => generation === this.#generation && this.#over(kind, reason)),
        log: (_fields, message) => this.#parts.log(`${this.identity} ${message}`),
      },
    });
    this.peer = peer;
    for (const [id, register] of peer.replica.registers()) make(id, register);
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

  /** Whether this gate lets nobody in by a cookie of a session, now or when it starts again. */
  refuses(room: RoomId, session: string): boolean {
    if (this.peer === undefined) return this.#disk.size === 0 || this.#disk.has(`${REVOKED_KEY}/${room}/${session}`);
    return this.peer.rooms.get(room)?.admission.isRevoked(session) ?? true;
  }

  /** Does something at the process, and what is left to do after it. Lost if it does not run. */
  do(act: (peer: Peer) => void): boolean {
    if (!this.isRunning) return false;
    this.#step(act);
    return this.isRunning;
  }

  /** Calls `told` once what was decided is on disk, unless the process ends before. */
  afterCommit(told: () => void): void {
    this.#told.push(told);
  }

  crash(): void {
    if (this.peer === undefined) return;
    this.peer = undefined;
    this.#generation += 1;
    this.#told = [];
    this.#held = undefined;
    this.crashAt = undefined;
    this.#parts.log(`${this.identity} crashes`);
    this.#parts.network.leave(this.identity);
  }

  /** The disk is lost; the next start makes a new node. */
  wipe(fate: Fate = "lost disk"): void {
    this.crash();
    this.fates.set(accountOf(this.identity), fate);
    this.#disk = new Map();
    this.identity = this.#parts.newIdentity();
  }

  /** A backup of the disk. */
  backUp(): void {
    this.#backup = { identity: this.identity, disk: new Map(this.#disk) };
    this.#hasToldSince = false;
  }

  /**
   * Puts the last backup in the place of the disk, and starts from it: on a host that was started again, if that is not said, or if nobody can
   * have heard of what is lost. Then nothing else could show that the disk is an old one.
   */
  rollBack({ isSameBoot = false } = {}): boolean {
    if (this.#backup === undefined || this.#backup.identity !== this.identity) return false;
    this.crash();
    if (!isSameBoot || !this.#hasToldSince || this.#hasNews()) this.#boots += 1;
    this.#disk = new Map(this.#backup.disk);
    this.start();
    return true;
  }

  /** The host loses its power: what was committed in the last `lostMs`, and not forced to the disk since, is lost. */
  losePower(lostMs: number): boolean {
    if (this.peer === undefined) return false;
    this.crash();
    this.#boots += 1;
    const { nowMs } = this.#parts.time;
    for (const { atMs, key, before } of this.#unforced.reverse()) {
      if (nowMs - atMs > lostMs) break;
      if (before === undefined) this.#disk.delete(key);
      else this.#disk.set(key, before);
    }
    this.#unforced = [];
    this.start();
    return true;
  }

  /** Has the process leave the mesh for good; what starts in its place is a new node. Returns whether it runs. */
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

  #flush(): void {
    const { peer, crashAt } = this;
    if (peer === undefined) return;
    if (peer.isIdle && this.#told.length === 0) return;
    const { batch, frames, published, forgotten } = peer.take();
    const told = this.#told;
    this.#told = [];
    // Most steps only tick: what matters is a crash when something is about to be told.
    const hasWork =
      crashAt !== undefined &&
      (told.length > 0 ||
        [...batch.writes.keys()].some((key) => TELLING_KEYS.some((prefix) => key.startsWith(prefix))));
    if (crashAt === "before-commit" && hasWork) {
      this.crash();
      return;
    }
    if (batch.isVote || (this.#unforced[0]?.atMs ?? 0) < this.#parts.time.nowMs - 2 * UNFORCED_MS)
      this.#forget(batch.isVote);
    for (const [key, value] of batch.writes) {
      if (!batch.isVote) this.#unforced.push({ atMs: this.#parts.time.nowMs, key, before: this.#disk.get(key) });
      if (value === undefined) this.#disk.delete(key);
      else if (!this.#parts.constants.neverCrashes) this.#disk.set(key, packed(value));
    }
    if (crashAt === "before-send" && hasWork) {
      this.crash();
      return;
    }
    this.#hasToldSince ||= [...batch.writes.keys()].some((key) => key.startsWith(PUBLISHED_KEYS));
    for (const { to, frame } of frames) this.#parts.network.send(this.identity, to, frame);
    for (const { frame, reach } of published) this.#parts.network.publish(this.identity, frame, reach);
    for (const node of forgotten) this.#parts.network.disconnect(this.identity, node);
    for (const tell of told) tell();
    if (crashAt === "after-send" && hasWork) this.crash();
  }

  /** Whether somebody was let in or extended here in the last moment, of which nobody else may have heard. */
  #hasNews(): boolean {
    const sinceMs = this.#parts.time.nowMs - TOLD_MS;
    return this.#unforced.some(({ atMs, key }) => atMs > sinceMs && key.startsWith(`${ADMISSION_KEY}/`));
  }

  /** What a loss of power could undo: nothing once all is forced, else what is not old. */
  #forget(isForced: boolean): void {
    const sinceMs = this.#parts.time.nowMs - TOLD_MS;
    this.#unforced = isForced ? [] : this.#unforced.filter(({ atMs }) => atMs >= sinceMs);
  }

  #makeRoom(id: RoomId, register: Register, stored: StoredRooms): void {
    const { peer } = this;
    if (peer === undefined) return;
    if (register.document === undefined) {
      this.#inForce.delete(id);
      return;
    }
    this.#inForce.add(id);
    const room = parseRoom(JSON.parse(register.document));
    if (!room.ok) throw new Error(JSON.stringify(room.problems));
    const known = peer.rooms.get(id);
    if (known !== undefined) known.configure(room.value, register.stamp.wallMs);
    else {
      const nowMs = this.now.wallMs;
      const { createdMs } = register;
      const restored = stored.restored(id, nowMs);
      peer.add(new MeshRoom({ id, room: room.value, mesh: peer.mesh, nowMs, createdMs, restored }));
    }
  }
}
