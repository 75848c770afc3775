/**
 * A node of the simulated world: the shell of the binary (`sim-shell.ts`), with a host (`sim-host.ts`), clocks and a
 * process that can fail.
 *
 * Each step is a turn of the process's event loop, and ends with a commit: writes go to the disk, then messages leave,
 * then visitors are told (`commit-faults.ts` has what goes wrong there). A paused process hears everything later; its
 * disk and its steady clock go on.
 */

import { type AccountId, accountOf, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Batch } from "../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import { REVOKED } from "../../node/admission/mesh/stored-room.ts";
import type { Room } from "../../node/config/room.ts";
import type { Peer } from "../../node/peer/peer.ts";
import type { PeerCodec } from "../../node/peer/peer-codec.ts";
import type { PeerOptions } from "../../node/peer/peer-options.ts";
import type { NodeEnd } from "../../node/process/node-end.ts";
import type { NodeShell } from "../../node/process/shell.ts";
import type { Link } from "../../node/process/shell-parts.ts";
import { roomIdOf } from "../../node/rooms/stored-room.ts";
import { sha256Hex } from "../../node/sha256.ts";
import { HistoryStore } from "../../node/storage/history-store.ts";
import { CommitFaults, type CrashPoint, type ThrowingPlace } from "./commit-faults.ts";
import { type ExchangeOutcome, MemoryExchange, type MemoryRequest } from "./memory-exchange.ts";
import type { Network } from "./network.ts";
import { NodeRooms } from "./node-rooms.ts";
import type { SimDisk } from "./sim-disk.ts";
import { SimHost } from "./sim-host.ts";
import { openShell } from "./sim-shell.ts";
import { steadyMsAt } from "./steady-clock.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface MeshConstants {
  readonly codec: PeerCodec;
  /** Whether nodes have names, as operators give them. */
  readonly hasNames?: boolean;
  /** Whether nodes count minutes, and tell each other. */
  readonly hasHistory?: boolean;
  readonly founder: NodeId;
  readonly minuteMs: number;
  readonly leaseMs: number;
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
  /** Starts a process again after it ended by itself. */
  readonly restart: (node: SimNode) => void;
  /** A process began or ended. */
  readonly log: (text: string) => void;
}

/** The first room of a simulated world. */
export const ROOM_NAME = "room";
export const ROOM = roomIdOf(ROOM_NAME);

/** What happened to an identity that is over. */
export type Fate = "lost disk" | "forgotten" | "left" | "removed" | "old disk" | "replaced";

/** Plain signatures: what they are for is tested elsewhere. */
const SIGNATURES: PeerOptions["signatures"] = { sign: () => new Uint8Array(1), verify: () => true };

export class SimNode {
  identity: NodeId;
  readonly locality: string;
  /** How far the wall clock is off, and how fast both clocks run. */
  skewMs = 0;
  rate = 1;
  /** The rooms of its file, which it applies from the next start on. */
  fileRooms: readonly Room[] = [];
  /** When the last process began, in ms of the world's time. */
  startedMs = 0;
  /** Identities that this place had before, by account. */
  readonly fates = new Map<AccountId, Fate>();
  readonly disk: SimDisk;
  readonly rooms: NodeRooms;
  /** On a disk of its own, which keeps what it has when others lose something. */
  history: HistoryStore | undefined;
  readonly #parts: SimNodeParts;
  readonly #host: SimHost;
  /** What a suspended process will find when it continues; undefined while it runs. */
  #held: (() => void)[] | undefined;
  #generation = 0;
  /** Whether the identity has not been started yet. */
  #isFirstRun = true;
  #shell: NodeShell | undefined;
  readonly #faults: CommitFaults;
  /** What is due at the end of this step. */
  readonly #due: (() => void)[] = [];

  constructor(parts: SimNodeParts) {
    this.#parts = parts;
    this.locality = parts.locality;
    this.identity = parts.newIdentity();
    const { time, constants, broken } = parts;
    this.#faults = new CommitFaults({ crash: () => this.crash(), broken });
    this.history = constants.hasHistory ? newHistory(constants.minuteMs) : undefined;
    this.#host = new SimHost({ nowMs: () => time.nowMs, broken });
    this.disk = this.#host.disk;
    this.rooms = new NodeRooms({
      shell: () => this.#shell,
      disk: this.disk,
      identity: () => this.identity,
      now: () => this.now,
      trueMs: () => time.nowMs,
      broken,
    });
  }

  /** Its part in the mesh; undefined while no process runs. */
  get peer(): Peer | undefined {
    return this.#shell?.peer;
  }

  /** The crash that its next commit with something to tell brings. */
  get crashAt(): CrashPoint | undefined {
    return this.#faults.crashAt;
  }

  set crashAt(point: CrashPoint | undefined) {
    this.#faults.crashAt = point;
  }

  /** How often what was due was committed here. */
  get commits(): number {
    return this.#faults.commits;
  }

  get isRunning(): boolean {
    return this.#shell !== undefined && this.#held === undefined;
  }

  /** Whether an operator's order reaches it: the admin API opens with the gate, once the clock can be trusted. */
  get takesOrders(): boolean {
    return this.isRunning && this.#shell?.state !== "starting";
  }

  /** Whether a load balancer may send new visitors here. */
  get isReady(): boolean {
    return this.isRunning && this.#shell !== undefined && this.#shell.notReady === undefined;
  }

  get now(): Instant {
    const { nowMs, elapsedMs } = this.#parts.time;
    return { wallMs: Math.floor(nowMs + this.skewMs), steadyMs: steadyMsAt(elapsedMs, this.rate) };
  }

  /** Sessions that began at the gate of the process that runs. */
  get admissions(): number {
    return this.#shell?.rooms.kept().reduce((sum, { counts }) => sum + counts.admissions, 0) ?? 0;
  }

  /** Which process this is: another one after each end. */
  get process(): number {
    return this.#generation;
  }

  /** Has something throw in the next commit that a visitor waits for. Returns whether the process runs. */
  throwAt(place: ThrowingPlace): boolean {
    if (this.isRunning) this.#faults.throwsAt = place;
    return this.isRunning;
  }

  /** A request comes to the gate, in a step (`do`). `onOutcome` gets its outcome, unless the process ends before. */
  serve(request: MemoryRequest, onOutcome: (outcome: ExchangeOutcome) => void): void {
    const generation = this.#generation;
    const isGone = (): boolean => generation !== this.#generation;
    if (this.#shell === undefined) return;
    this.#faults.visited(this.#shell.commit);
    this.#shell.gate.handle(new MemoryExchange({ ...request, isGone }, onOutcome));
  }

  /** Makes the running process do something later, unless it has ended by then. */
  later(ms: number, act: () => void): void {
    const generation = this.#generation;
    this.#parts.time.after(ms, () => {
      if (generation === this.#generation) this.#step(act);
    });
  }

  start(founds = false): void {
    if (this.#shell !== undefined) return;
    this.startedMs = this.#parts.time.elapsedMs;
    const restored = this.disk.open();
    this.#generation += 1;
    const shell = this.#open(restored, founds);
    this.#isFirstRun = false;
    this.#shell = shell;
    this.#parts.log(`${this.identity} starts`);
    shell.declare();
    this.#join(shell.peer);
    this.#step(() => shell.connect(this.#faults.linkOf(this.#link())));
  }

  /** Whether this gate accepts no cookie of a session, now or after a restart. */
  refuses(room: RoomId, session: string): boolean {
    if (this.peer === undefined) return this.disk.isEmpty || this.hasStoredEnd(room, session);
    return this.peer.rooms.get(room)?.admission.sessions.isRevoked(session) ?? true;
  }

  /** Whether it is on the disk that a session was ended. */
  hasStoredEnd(room: RoomId, session: string): boolean {
    return this.disk.has(REVOKED.at(room, session));
  }

  /** Does something at the process, and everything left to do after it. Lost if it does not run. */
  do(act: (peer: Peer) => void): boolean {
    if (!this.isRunning) return false;
    this.#step(({ peer }) => act(peer));
    return this.isRunning;
  }

  /** Calls `onStored` once what was decided is on disk, unless the process ends before. */
  afterCommit(onStored: () => void): void {
    this.#shell?.commit.afterCommit((isOnDisk) => {
      if (isOnDisk && this.peer !== undefined) onStored();
    });
  }

  crash(): void {
    if (this.#shell !== undefined) this.#ends("crashes");
  }

  /** A service manager stops the process: nothing leaves it after it has settled. */
  stop(): void {
    const shell = this.#shell;
    if (shell === undefined || !this.isRunning) return;
    shell.drain();
    shell.halt();
    shell.settle();
    // It may have crashed in that commit.
    if (this.#shell !== shell) return;
    this.#ends("stops");
    shell.close();
  }

  #ends(how: "crashes" | "stops"): void {
    this.#shell = undefined;
    this.#generation += 1;
    this.#held = undefined;
    this.#due.length = 0;
    this.crashAt = undefined;
    this.#faults.throwsAt = undefined;
    this.#parts.log(`${this.identity} ${how}`);
    this.#parts.network.leave(this.identity);
  }

  /** The disk is lost; the next start makes a new node. */
  wipe(fate: Fate = "lost disk"): void {
    this.crash();
    this.fates.set(accountOf(this.identity), fate);
    this.disk.replace();
    if (fate === "lost disk" && this.history !== undefined) this.history = newHistory(this.#parts.constants.minuteMs);
    this.identity = this.#parts.newIdentity();
    this.#isFirstRun = true;
  }

  /** A backup of the disk. */
  backUp(): void {
    this.#host.backUp(this.identity);
  }

  /** Restores the last backup, if it is of this identity, and starts from it. Returns whether it is. */
  rollBack({ isSameBoot = false } = {}): boolean {
    if (!this.#host.rollBack(this.identity, { isSameBoot, stop: () => this.crash() })) return false;
    this.start();
    return true;
  }

  /** The host loses power: what was committed in the last `lostMs`, and not forced to disk since, is lost. */
  losePower(lostMs: number): boolean {
    if (this.peer === undefined) return false;
    this.crash();
    this.#host.losePower(lostMs);
    this.start();
    return true;
  }

  /** Makes the process leave the mesh for good; its place gets a new node. Returns whether it runs. */
  leave(): boolean {
    return this.do(() =>
      this.#shell?.leave((answer) => this.#parts.log(`${this.identity} leaves: ${JSON.stringify(answer)}`)),
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

  #open(restored: ReadonlyMap<string, unknown>, founds: boolean): NodeShell {
    const { constants, locality, random, time, roomMade, newVisitorId: newId } = this.#parts;
    const generation = this.#generation;
    const isCurrent = (): boolean => generation === this.#generation;
    return openShell({
      peer: {
        ...constants,
        self: this.identity,
        ...this.#name,
        isFirstRun: this.#isFirstRun,
        founder: constants.founder as never,
        locality,
        meshId: "sim",
        bootId: this.#host.bootId,
        diskPlace: "the disk of its host",
        founds,
        hasSeeds: true,
        restored,
        signatures: SIGNATURES,
        random,
      },
      // Of its own: what is drawn must not change what else happens in a seed.
      newRoomKey: () => sha256Hex(`room key ${this.identity} ${this.#generation}`),
      history: this.history,
      declared: { rooms: this.fileRooms, mayApply: true },
      disk: { commit: (batch) => this.#store(batch), isThere: true },
      now: () => this.now,
      scheduler: {
        every: (ms, act) => {
          let isOn = true;
          time.every(ms, () => {
            if (isOn && isCurrent() && this.#held === undefined) this.#step(act);
            return isOn && isCurrent();
          });
          return () => {
            isOn = false;
          };
        },
        atTurnEnd: (act) => this.#due.push(act),
      },
      surroundings: { after: (ms, act) => this.later(ms, act), newId, steadyMs: () => this.now.steadyMs },
      sourceOf: (peer) => this.#faults.sourceOf(peer),
      events: {
        up: () => {},
        // One that has left goes on answering those that have offered it what they have.
        end: ({ kind, message }) =>
          time.after(this.#shell?.lingersMs ?? 0, () => isCurrent() && this.#over(kind, message)),
      },
      onFault: (error) => {
        if (!this.#faults.isDrawn(error)) throw error;
      },
      log: (text) => this.#parts.log(`${this.identity} ${text}`),
      attached: (room) => roomMade(room, this),
    });
  }

  #join({ incarnation }: Peer): void {
    const { network, locality } = this.#parts;
    network.join(this.identity, {
      hello: {
        locality,
        incarnation,
        ...this.#name,
        addresses: [this.identity],
      },
      hear: (from, frame) => this.#hear((peer, now) => peer.published(from as NodeId, frame, now)),
      receive: (from, frame) => this.#hear((peer, now) => peer.receive(from as NodeId, frame, now)),
      up: (other) => this.#up(other),
      down: (other) => this.#hear((peer, now) => peer.down(other as NodeId, now)),
    });
  }

  get #name(): { readonly name?: string } {
    return this.#parts.constants.hasNames ? { name: `gate-${this.identity.replaceAll("-", "")}` } : {};
  }

  #over(kind: NodeEnd["kind"], reason: string): void {
    this.#parts.log(`${this.identity} is over: ${kind}: ${reason}`);
    if (kind === "stopped") {
      // Its disk is kept.
      this.crash();
    } else {
      this.wipe(kind === "new-identity" ? (reason.includes("removed") ? "removed" : "old disk") : kind);
    }
    this.#parts.restart(this);
  }

  #up(other: string): void {
    const node = this.#parts.network.helloOf(other);
    if (node !== undefined) this.#hear((peer, now) => peer.up(other as NodeId, node, now));
  }

  #hear(act: (peer: Peer, now: Instant) => void): void {
    this.#step((shell) => shell.hear((now) => act(shell.peer, now)));
  }

  /** One turn of the process's event loop. Kept for later while it is stopped. */
  #step(act: (shell: NodeShell) => void): void {
    const shell = this.#shell;
    if (shell === undefined) return;
    if (this.#held !== undefined) {
      this.#held.push(() => this.#step(act));
      return;
    }
    shell.peer.visit(this.now);
    act(shell);
    shell.commit.wake();
    if (this.#due.length === 0)
      this.#parts.broken(`never slow: ${this.identity} leaves a step's commit to a later one`);
    for (let due = this.#due.shift(); due !== undefined; due = this.#due.shift()) {
      due();
      this.#faults.flushed();
    }
  }

  #store(batch: Pick<Batch, "writes" | "isVote">): void {
    this.disk.commit(batch);
    this.#faults.committed(batch);
    this.#host.tells(batch);
  }

  #link(): Link {
    const { network } = this.#parts;
    return {
      send: (to, _purpose, frame) => {
        network.send(this.identity, to, frame);
        return true;
      },
      publish: (frame) => network.publish(this.identity, frame),
      know: () => {},
      forget: (node) => network.disconnect(this.identity, node),
      punish: () => {},
    };
  }
}

/** Where it keeps minutes: in memory, and not on the disk whose faults are drawn. */
function newHistory(minuteMs: number): HistoryStore {
  return new HistoryStore({ path: ":memory:", meshId: "sim", minuteMs, onTrouble: () => {} });
}
