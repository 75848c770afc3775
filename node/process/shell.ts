/**
 * A node without its process: its part in the mesh, its rooms, group commit and gate over one disk, and the life that
 * they lead together.
 *
 *     starting ──► up ──► leaving ──► draining ──► ended
 *         └─────────┴──────────────────► draining
 *
 * Starting: it speaks with the mesh, and the gate stays shut until the clock can be trusted. Leaving: an operator has
 * ordered it, and the heir is asked. Draining: its end is decided, and what runs is finished. Scheduler, disk, link,
 * chance and sealing come from outside, so that the simulator runs the same node as the binary. Sockets, files, signals
 * and the admin API are the process's (`node.ts`).
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { type Left, LINGER_MS } from "../../mesh/core/members/leaver.ts";
import { FILES_KEY } from "../../mesh/core/replica/register-keys.ts";
import type { Puts } from "../../mesh/core/wire/outbox.ts";
import { problemText } from "../config/problem.ts";
import type { Room } from "../config/room.ts";
import { Gate } from "../gate/gate.ts";
import { LEVELS, Pressure } from "../gate/pressure.ts";
import { PaceLog } from "../operator/logs/pace-log.ts";
import { ClockWatch } from "../peer/clock-watch.ts";
import { incarnationOf, Peer } from "../peer/peer.ts";
import type { Ready } from "../peer/peer-options.ts";
import { FILE_SEEN } from "../rooms/applied-files.ts";
import type { Changed } from "../rooms/changed.ts";
import type { Applied } from "../rooms/declared-changes.ts";
import { DeclaredRooms } from "../rooms/declared-rooms.ts";
import { MinuteKeeper } from "../rooms/minute-keeper.ts";
import type { RoomRegisters } from "../rooms/room-registers.ts";
import { Rooms } from "../rooms/rooms.ts";
import { DiskWatch, unlessRefused } from "../storage/disk-watch.ts";
import { GroupCommit } from "../storage/group-commit.ts";
import { ALIVE } from "../storage/stored-node.ts";
import { StoredRooms } from "../storage/stored-rooms.ts";
import { END_TEXTS, type LeaveAnswer, leftBy, type NodeEnd } from "./node-end.ts";
import { peerEvents } from "./peer-events.ts";
import { carry, type Link, type ShellParts } from "./shell-parts.ts";

export type LifeState = "starting" | "up" | "leaving" | "draining" | "ended";

/** How often heartbeats, deadlines and housekeeping are checked; each has its own, longer pace. */
export const TICK_MS = 100;

/** Between two times at which long work goes on, in ms. Halved, requests wait for it more often. */
const WORK_MS = 25;

/** How often the time at which the process was last alive goes to disk. */
const ALIVE_MS = 500;

/** Said by a node that has joined, until it was so once. */
const WRONG_CLOCK = "the clock of this node is wrong by those of most members, so it admits nobody";
const NOT_SAFE = "too few voters of the mesh answer for it to survive the loss of one more node";

export class NodeShell {
  readonly peer: Peer;
  readonly rooms: Rooms;
  readonly gate: Gate;
  readonly commit: GroupCommit<Ready>;
  readonly declared: DeclaredRooms;
  readonly disk: DiskWatch;
  readonly clockWatch: ClockWatch;
  readonly pressure: Pressure;
  readonly #parts: ShellParts;
  readonly #paceLog: PaceLog;
  readonly #minutes: MinuteKeeper | undefined;
  readonly #chores: (() => void)[] = [];
  #onTick = (_lateMs: number): void => undefined;
  #state: LifeState = "starting";
  #changes = 0;
  #link: Link | undefined;
  /** Whether it is decided if the file of rooms is applied. */
  #isDecided: boolean;
  #wasBehind = false;
  #aliveMs = 0;
  #tickedMs = 0;
  /** Until when this node, which has left or gave up leaving, answers others that have offered it what they have. */
  #lingersUntilMs = 0;
  #stopTicking: (() => void) | undefined;
  #stopWork: (() => void) | undefined;

  /** Reads what was stored, and makes the rooms apply. Nothing is said to anybody before `connect`. */
  constructor(parts: ShellParts) {
    this.#parts = parts;
    const { now, disk, log } = parts;
    const { restored } = parts.peer;
    const { wallMs } = now();
    const clock = (): number => now().wallMs;
    const lastAliveMs = ALIVE.read(restored);
    this.disk = new DiskWatch({ log, clock, place: parts.diskName, isThere: () => disk.isThere });
    this.clockWatch = new ClockWatch(lastAliveMs);
    this.pressure = new Pressure(wallMs);
    this.#paceLog = new PaceLog(log);
    let rooms: Rooms | undefined;
    let peer: Peer | undefined;
    this.peer = new Peer({
      ...parts.peer,
      ...(parts.history && { history: { shelf: parts.history, isCalm: () => this.pressure.level === LEVELS.none } }),
      incarnation: incarnationOf(restored, wallMs),
      now: now(),
      events: peerEvents({
        rooms: () => rooms,
        peer: () => peer,
        changed: () => {
          this.#changes += 1;
        },
        over: (kind, message) => this.#end({ kind, message }),
        log,
      }),
    });
    peer = this.peer;
    this.commit = this.#openCommit();
    rooms = this.#openRooms();
    this.rooms = rooms;
    this.declared = this.#openDeclared();
    this.gate = this.#openGate(lastAliveMs);
    this.#minutes = this.#openMinutes();
    this.#isDecided = this.peer.knowsRegisters;
  }

  get #puts(): Puts {
    return this.peer.outbox;
  }

  get state(): LifeState {
    return this.#state;
  }

  /** Rises with each change of rooms or orders that is made or heard here. */
  get changes(): number {
    return this.#changes;
  }

  get now(): Instant {
    return this.#parts.now();
  }

  /**
   * Decides on the file of rooms, as far as that can be done alone: before the gate opens nobody else may know more.
   */
  declare(): Changed<readonly Applied[]> | undefined {
    if (this.#isDecided) return this.declared.decide();
    if (this.peer.members.view === undefined) this.rooms.expect(this.#parts.declared.rooms);
    return undefined;
  }

  /** Whether the rooms of this node are those that its file and the mesh have. */
  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** Why no new visitors should be sent here; undefined while they should. */
  get notReady(): string | undefined {
    if (this.#state === "draining" || this.#state === "ended") return "draining";
    if (!this.peer.isReady) return "joining the mesh";
    if (this.peer.members.clocks.isOutvoted(this.now)) return WRONG_CLOCK;
    return this.disk.trouble ?? (this.peer.isSafe ? undefined : NOT_SAFE);
  }

  /** The others can be heard and spoken to by `link` from now on: life begins. */
  connect(link: Link): void {
    this.#link = link;
    // What is wrong with the clock at the start is said already.
    this.#wasBehind = this.clockWatch.look(this.now.wallMs) !== undefined;
    this.#tickedMs = this.now.steadyMs;
    this.#stopTicking = this.#parts.scheduler.every(TICK_MS, () => this.#tick());
    this.#mayOpen();
  }

  /** Has something done at each tick, even at rest; it hears how late the tick comes. */
  everyTick(act: (lateMs: number) => void): void {
    this.#onTick = act;
  }

  /** Has something done at each tick that is not left out, beside what the shell does itself. */
  withHousekeeping(chore: () => void): void {
    this.#chores.push(chore);
  }

  /** Has something that came from another node done, and what is left to do after it. */
  hear(act: (now: Instant) => void): void {
    try {
      this.#turnRooms();
      act(this.now);
    } catch (error) {
      // Not the link's affair: it would take it for a fault of the connection. What the node was told is lost as by the
      // network.
      this.#parts.onFault(error, "a message from another node could not be used");
    }
    this.commit.wake();
  }

  /** Declares rooms, as an order to apply a file does. */
  applyRooms(rooms: readonly Room[]): Changed<readonly Applied[]> {
    this.peer.at(this.now);
    const changed = this.declared.order(rooms);
    this.commit.wake();
    return changed;
  }

  /** Hands everything over to another member, and ends. `onAnswer` hears once what became of the order. */
  leave(onAnswer: (answer: LeaveAnswer) => void): void {
    const { members } = this.peer;
    if (this.#state === "draining" || this.#state === "ended") {
      onAnswer({ isRefused: true, problem: "Cannot leave the mesh as this node is stopping already" });
      return;
    }
    if (!members.isMember()) {
      const message = "this node was no member of the mesh: it just stops";
      this.#end({ kind: "stopped", message });
      onAnswer({ left: false, heir: undefined, message });
      return;
    }
    if (members.view?.members.length === 1) {
      this.#left({ kind: "restart" }, onAnswer);
      return;
    }
    this.#state = "leaving";
    this.peer.at(this.now);
    members.leave(this.now, (left) => this.#left(left, onAnswer));
    this.commit.wake();
  }

  /** Takes no new visitors any more: what runs is to be finished. */
  drain(): void {
    this.#state = "draining";
  }

  /** Ms for which this node goes on answering others, which have offered it what they have. */
  get lingersMs(): number {
    return Math.max(0, this.#lingersUntilMs - this.now.steadyMs);
  }

  /** Ends the clockwork. */
  halt(): void {
    this.#stopTicking?.();
    this.#stopWork?.();
  }

  /** Puts on the disk, and tells the others, what is left to say. */
  settle(): void {
    this.peer.at(this.now);
    for (const room of this.peer.rooms.values()) room.giveAway(this.peer.roomMs);
    this.#minutes?.end();
    this.#puts.put(ALIVE.at(), this.now.wallMs);
    this.commit.flush();
  }

  /** Nobody is told anything after this, and nothing is committed. */
  close(): void {
    this.peer.end();
    this.commit.flush();
    this.#state = "ended";
  }

  #openCommit(): GroupCommit<Ready> {
    const { peer } = this;
    const { disk, scheduler, onFault, sourceOf } = this.#parts;
    return new GroupCommit<Ready>({
      source: sourceOf?.(peer) ?? { isIdle: false, take: () => peer.take(), retry: (ready) => peer.retry(ready) },
      commit: ({ batch }) => {
        if (batch.writes.size === 0) return;
        disk.commit(batch);
        this.disk.succeeded();
      },
      send: (ready) => {
        if (this.#link !== undefined) carry(ready, this.#link);
      },
      onRefused: (error) => this.disk.failed(error),
      onFault: (error) => onFault(error, "a step failed with an internal error: its messages and answers are lost"),
      atTurnEnd: scheduler.atTurnEnd,
    });
  }

  #openRooms(): Rooms {
    const { peer } = this;
    const { defaultOrigin, attached } = this.#parts;
    const clock = (): number => this.#stampMs();
    const { restored, minuteMs } = this.#parts.peer;
    const stored = new StoredRooms(restored, minuteMs);
    return new Rooms({
      roomNode: peer.roomNode,
      defaultOrigin,
      clock,
      roomMs: () => peer.roomMs,
      attach: (room) => {
        peer.add(room);
        attached?.(room);
      },
      holdAtSite: (left) => peer.holdAtSite(left),
      restored: (id) => stored.restored(id, peer.roomMs),
      registers: this.registers,
      newRoomKey: this.#parts.newRoomKey,
    });
  }

  #openMinutes(): MinuteKeeper | undefined {
    const { rooms, peer } = this;
    const { minuteMs } = this.#parts.peer;
    const mayAct = (room: RoomId): boolean => peer.roomNode.mayAct(room);
    return peer.history && new MinuteKeeper({ rooms: () => rooms.kept(), minuteMs, mayAct, history: peer.history });
  }

  /** The registers of the mesh; what is written is on the disk before anybody hears of it. */
  get registers(): RoomRegisters {
    const { replica } = this.peer;
    const { disk } = this.#parts;
    return {
      all: () => replica.registers(),
      get: (key) => replica.register(key),
      set: (values) => {
        const registers = replica.setRegisters(values, this.#stampMs(), (writes) =>
          this.disk.store(() => disk.commit({ writes, isVote: true })),
        );
        this.#changes += 1;
        this.commit.wake();
        return registers;
      },
    };
  }

  /** Unix ms by which what is decided about rooms here is stamped. */
  #stampMs(): number {
    this.peer.at(this.now);
    return this.peer.stampMs;
  }

  #openDeclared(): DeclaredRooms {
    const { peer, rooms } = this;
    const { declared, log } = this.#parts;
    return new DeclaredRooms({
      rooms,
      declared: declared.rooms,
      mayApply: declared.mayApply,
      seen: FILE_SEEN.read(this.#parts.peer.restored),
      files: () => peer.replica.register(FILES_KEY),
      remember: (seen) => this.#puts.put(FILE_SEEN.at(), seen),
      clock: () => this.#stampMs(),
      log,
    });
  }

  #openGate(lastAliveMs: number | undefined): Gate {
    const { peer, rooms } = this;
    const { gate, log } = this.#parts;
    return new Gate({
      ...gate,
      rooms,
      commit: this.commit,
      isReady: () => peer.isReady,
      isHealthy: () => this.notReady === undefined,
      clock: () => {
        peer.visit(this.now);
        return peer.roomMs;
      },
      minuteMs: this.#parts.peer.minuteMs,
      log,
      pressure: () => this.pressure.level,
      lastAliveMs,
    });
  }

  /** Begins and ends events that are due, before anything else happens. */
  #turnRooms(): void {
    this.peer.at(this.now);
    this.rooms.turn(this.peer.roomMs);
  }

  #tick(): void {
    const { steadyMs } = this.now;
    const lateMs = Math.max(0, steadyMs - this.#tickedMs - TICK_MS);
    this.#tickedMs = steadyMs;
    try {
      if (this.#state !== "starting") {
        this.#onTick(lateMs);
        if (this.peer.rests(this.now)) return;
      }
      this.#turnRooms();
      if (this.#state === "starting") {
        this.peer.tick(this.now);
        this.commit.flush();
        this.#mayOpen();
      } else this.#keepHouse();
    } catch (error) {
      // Saves the gate; what was to be saved is tried again at the next tick.
      this.#parts.onFault(error, "housekeeping failed");
    }
  }

  /** A gate by a wrong clock would end stays that are good, or let in those that are over. */
  #mayOpen(): void {
    if (this.#state !== "starting" || !this.peer.isClockTrusted) return;
    this.#state = "up";
    this.#parts.events.up();
  }

  #keepHouse(): void {
    const { peer, commit } = this;
    const { wallMs } = this.now;
    this.#lookAtClock(wallMs);
    if (wallMs - this.#aliveMs >= ALIVE_MS || wallMs < this.#aliveMs) {
      this.#aliveMs = wallMs;
      this.#puts.put(ALIVE.at(), wallMs);
    }
    this.disk.tick();
    peer.tick(this.now);
    if (!this.#isDecided && peer.knowsRegisters) this.#isDecided = unlessRefused(() => this.#decideLate());
    this.#paceLog.tick(this.rooms.all(), wallMs);
    this.#minutes?.tick(peer.roomMs, this.now.steadyMs);
    for (const chore of this.#chores) chore();
    commit.flush();
    if (peer.isBusy) this.#startWork();
  }

  /** What takes longer than a step is done in parts, between which requests are answered. */
  #startWork(): void {
    this.#stopWork ??= this.#parts.scheduler.every(WORK_MS, () => {
      this.hear((now) => this.peer.work(now, () => this.now.steadyMs));
      if (this.peer.isBusy) return;
      this.#stopWork?.();
      this.#stopWork = undefined;
    });
  }

  #lookAtClock(wallMs: number): void {
    const behind = this.clockWatch.look(wallMs);
    if (behind !== undefined && !this.#wasBehind) this.#parts.log.warn({}, behind);
    this.#wasBehind = behind !== undefined;
  }

  /** The mesh is heard now: the file is applied, if it is news. */
  #decideLate(): void {
    const applied = this.declared.decide();
    if (applied.ok) return;
    const problems = applied.refusal.problems.map(problemText);
    this.#parts.log.error({ problems }, "rooms file refused, the rooms stay as they were");
  }

  #left(left: Left, onAnswer: (answer: LeaveAnswer) => void): void {
    const { answer, end } = leftBy(left);
    if (end !== undefined) this.#end(end);
    onAnswer(answer);
  }

  #end(end: NodeEnd): void {
    if (this.#state === "draining" || this.#state === "ended") return;
    this.#state = "draining";
    const isLeaver = end.kind === "left" || end.kind === "stopped";
    const hasOthers = (this.peer.members.view?.members.length ?? 0) > 1;
    if (hasOthers && isLeaver) this.#lingersUntilMs = this.now.steadyMs + LINGER_MS;
    this.#parts.log[isLeaver ? "info" : "error"]({ reason: end.message }, END_TEXTS[end.kind]);
    this.#parts.events.end(end);
  }
}
