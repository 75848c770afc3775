/**
 * A world of whole nodes, visitors and faults, from one seed: the same seed, the same run.
 *
 * Visitors behave as browsers do, gates as the gate does. The oracle sees every cookie that was told and every clock, and
 * judges after each virtual second; no node knows what it knows.
 */

import type { Minute, NodeId, RoomId } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import { seededRandom } from "../../mesh/core/random.ts";
import type { MeshDecision } from "../../node/admission/mesh/mesh-room.ts";
import type { Room } from "../../node/config/room.ts";
import { parseRoom, roomDocument } from "../../node/config/room-document.ts";
import type { Peer } from "../../node/peer.ts";
import { Network } from "./network.ts";
import { SimNode } from "./sim-node.ts";
import { VirtualTime } from "./virtual-time.ts";
import type { SimCookie, Visitor } from "./visitor.ts";

export interface WorldOptions {
  readonly seed: number;
  /** One node per entry. */
  readonly localities: readonly string[];
  readonly minuteMs: number;
  readonly leaseMs: number;
  readonly islandMs: number;
  readonly room: Partial<Room>;
  /** Called with what happens, for people. */
  readonly log?: (atMs: number, text: string) => void;
}

export const ROOM = "room" as RoomId;
const START_MS = 1_790_000_000_000;
const OCEAN_MS = 40;
const NEAR_MS = 0.5;

/** A promise that was broken, in words. */
export class BrokenPromise extends Error {}

export class World {
  readonly time = new VirtualTime(START_MS);
  readonly random: () => number;
  readonly network: Network;
  readonly nodes: SimNode[] = [];
  readonly visitors = new Set<Visitor>();
  readonly options: WorldOptions;
  room: Room;
  /** All that the oracle has counted. */
  readonly seen = { arrived: 0, admitted: 0, thrownOut: 0, gaveUp: 0, insideMax: 0, queuedWhileFreeMs: 0 };
  /** By session id: the last minute that any cookie told is good for. */
  readonly #sessions = new Map<string, Minute>();
  readonly #admittedIn = new Map<Minute, number>();
  #limitsMax = { active: 0, arrivals: 0 };
  #identities = 0;
  #visitors = 0;
  #ids = 0;

  constructor(options: WorldOptions) {
    this.options = options;
    this.random = seededRandom(options.seed);
    const parsed = parseRoom({ name: "room", host: "*", total_active_users: 1, new_users_per_minute: 1 });
    if (!parsed.ok) throw new Error("unreachable");
    this.room = { ...parsed.value, ...options.room };
    this.#noteLimits();
    const localityOf = new Map<string, string>();
    this.network = new Network(this.time, this.random, (from, to) =>
      localityOf.get(from) === localityOf.get(to) ? NEAR_MS : OCEAN_MS,
    );
    const { minuteMs, leaseMs, islandMs } = options;
    const constants = { founder: "n1" as NodeId, minuteMs, leaseMs, islandMs };
    for (const locality of options.localities) {
      this.nodes.push(
        new SimNode({
          time: this.time,
          network: this.network,
          random: this.random,
          constants,
          locality,
          newIdentity: () => {
            const identity = `n${++this.#identities}` as NodeId;
            localityOf.set(identity, locality);
            return identity;
          },
          log: (text) => this.log(text),
        }),
      );
    }
    for (const [index, node] of this.nodes.entries()) node.start(index === 0);
    this.nodes[0]?.do((peer) => this.#configure(peer));
    this.time.every(1_000, () => {
      this.check();
      return true;
    });
  }

  log(text: string): void {
    this.options.log?.(this.time.nowMs - START_MS, text);
  }

  get elapsedMs(): number {
    return this.time.elapsedMs;
  }

  pass(ms: number): void {
    this.time.runUntil(this.time.nowMs + ms);
  }

  /** Changes the room at a node. */
  configure(change: Partial<Room>, at: SimNode): void {
    this.room = { ...this.room, ...change };
    this.#noteLimits();
    at.do((peer) => this.#configure(peer));
  }

  /** A visitor comes, and goes on by itself. */
  arrive(visitor: { locality: string; staysMs: number }): void {
    this.seen.arrived += 1;
    const { nowMs } = this.time;
    const fresh: Visitor = {
      ...visitor,
      number: ++this.#visitors,
      arrivedMs: nowMs,
      cookie: undefined,
      admittedMs: undefined,
      positions: [],
      thrownOut: 0,
    };
    this.visitors.add(fresh);
    this.#request(fresh);
  }

  /** Sessions inside by the cookies that were told, at this instant. */
  inside(): number {
    const minute = minuteOf(this.time.nowMs, this.options.minuteMs);
    let inside = 0;
    for (const lastGood of this.#sessions.values()) if (lastGood >= minute) inside += 1;
    return inside;
  }

  /** Judges the present moment. */
  check(): void {
    const inside = this.inside();
    this.seen.insideMax = Math.max(this.seen.insideMax, inside);
    if (inside > this.#limitsMax.active) this.#broken(`${inside} sessions inside, ${this.#limitsMax.active} allowed`);
    const minute = minuteOf(this.time.nowMs, this.options.minuteMs);
    for (const [id, lastGood] of this.#sessions) if (lastGood < minute - 2) this.#sessions.delete(id);
  }

  /** What is not in order a while after all faults are healed; empty if all is. */
  unrest(): string[] {
    const running = this.nodes.filter(({ isRunning }) => isRunning);
    const peers = running.map(({ peer }) => peer).filter((peer) => peer !== undefined);
    const views = new Set(peers.map(({ members }) => members.view?.number));
    const problems: string[] = [];
    if (views.size > 1) problems.push(`views ${[...views].join(", ")}`);
    for (const [index, peer] of peers.entries()) {
      const node = running[index];
      if (node === undefined) continue;
      if (!peer.members.mayAct(node.now)) problems.push(`${node.identity} may not act`);
    }
    const digests = new Set(
      peers.map(({ replica }) => {
        const { known, registers } = replica.digest();
        return JSON.stringify([known.map((row) => JSON.stringify(row)).sort(), registers]);
      }),
    );
    if (digests.size > 1) problems.push("states differ");
    return problems;
  }

  /**
   * The operator's word on nodes whose disks are lost, given where the newest view is known; needed where too few voters are
   * left to remove them.
   */
  forgetLost(): void {
    const byView = this.nodes
      .filter(({ isRunning, peer }) => isRunning && peer?.members.view !== undefined)
      .sort((one, other) => (other.peer?.members.view?.number ?? 0) - (one.peer?.members.view?.number ?? 0));
    const [node] = byView;
    node?.do((peer) => {
      const members = peer.members.view?.members.map((member) => member.node) ?? [];
      const lost = members.filter((member) => !this.nodes.some(({ identity }) => identity === member));
      if (lost.length === 0) return;
      const told = peer.members.forget(lost, node.now);
      this.log(`${node.identity} is told to forget ${lost.join(" ")}: ${JSON.stringify(told)}`);
    });
  }

  #configure(peer: Peer): void {
    const nowMs = Math.floor(this.time.nowMs);
    const document = JSON.stringify(roomDocument(this.room));
    const register = peer.replica.setRegister(ROOM, { firstName: "room", document, createdMs: START_MS }, nowMs);
    this.nodes.find((node) => node.peer === peer)?.putInForce(ROOM, register);
  }

  #noteLimits(): void {
    const { totalActiveUsers, newUsersPerMinute } = this.room;
    this.#limitsMax = {
      active: Math.max(this.#limitsMax.active, totalActiveUsers),
      arrivals: Math.max(this.#limitsMax.arrivals, newUsersPerMinute),
    };
  }

  /** A gate of the visitor's locality that runs. */
  #gateFor({ locality }: Visitor): SimNode | undefined {
    const gates = this.nodes.filter((node) => node.isRunning && node.locality === locality);
    return gates[Math.floor(this.random() * gates.length)];
  }

  #request(visitor: Visitor): void {
    const { minuteMs } = this.options;
    const gate = this.#gateFor(visitor);
    const { cookie } = visitor;
    const { nowMs } = this.time;
    if (cookie?.kind === "inside") {
      if (nowMs - (visitor.admittedMs ?? nowMs) >= visitor.staysMs) {
        this.visitors.delete(visitor);
        return;
      }
    } else if (nowMs - visitor.arrivedMs > 30 * minuteMs) {
      this.seen.gaveUp += 1;
      this.visitors.delete(visitor);
      return;
    }
    gate?.do((peer) => this.#atGate(gate, peer, visitor));
    const pollMs = this.room.refreshIntervalSeconds * 1_000;
    const pauseMs =
      visitor.cookie?.kind === "inside" ? minuteMs * (0.1 + 0.3 * this.random()) : pollMs * (0.8 + 0.4 * this.random());
    this.time.after(pauseMs, () => this.#request(visitor));
  }

  /** What the gate does with a request. */
  #atGate(gate: SimNode, peer: Peer, visitor: Visitor): void {
    const room = peer.rooms.get(ROOM);
    if (room === undefined) return;
    const wallMs = peer.roomMs;
    const { cookie } = visitor;
    const minute = room.admission.minuteAt(wallMs);
    if (cookie?.kind === "inside" && cookie.lastGood >= minute) {
      if (cookie.written >= minute) return;
      const { id, home, lastGood } = cookie;
      room.checkIn({ id, home, lastGood }, wallMs, (stay) => {
        if (stay.kind === "acknowledged")
          gate.afterCommit(() =>
            this.#tell(visitor, cookie, { ...cookie, home: stay.home, lastGood: stay.lastGood, written: minute }),
          );
        else if (stay.kind !== "unchanged") this.#broken(`${id} was refused as ${stay.kind}`);
      });
      return;
    }
    if (cookie?.kind === "inside") {
      visitor.thrownOut += 1;
      this.seen.thrownOut += 1;
      visitor.cookie = undefined;
    }
    if (visitor.cookie?.kind === "waiting") {
      const { id, key } = visitor.cookie;
      room.poll(id, key, wallMs, (decision) => this.#decided({ gate, visitor, id, before: cookie }, decision, minute));
    } else {
      const id = `v${++this.#ids}`;
      room.arrive(id, wallMs, (decision) => this.#decided({ gate, visitor, id, before: cookie }, decision, minute));
    }
  }

  #decided(
    { gate, visitor, id, before }: { gate: SimNode; visitor: Visitor; id: string; before: SimCookie | undefined },
    decision: MeshDecision,
    minute: Minute,
  ): void {
    if (decision.kind === "admitted") {
      const stamped = (decision.lastGood - this.room.sessionDuration) as Minute;
      gate.afterCommit(() => {
        if (!this.#sessions.has(id)) this.#countAdmission(stamped);
        visitor.admittedMs ??= this.time.nowMs;
        this.seen.admitted += 1;
        this.#tell(visitor, before, {
          kind: "inside",
          id,
          home: decision.home,
          lastGood: decision.lastGood,
          written: minute,
        });
      });
    } else if (decision.kind === "waiting") {
      visitor.positions.push(decision.place.position);
      if (visitor.cookie?.kind !== "waiting") visitor.cookie = { kind: "waiting", id, key: decision.place.key };
    } else if (decision.kind === "used") visitor.cookie = undefined;
  }

  /** A browser keeps what it was told last; an answer to an older request does not undo a newer one's. */
  #tell(visitor: Visitor, before: SimCookie | undefined, cookie: Extract<SimCookie, { kind: "inside" }>): void {
    this.#hold(cookie.id, cookie.lastGood);
    if (visitor.cookie === before || visitor.cookie?.kind !== "inside") visitor.cookie = cookie;
  }

  #hold(id: string, lastGood: Minute): void {
    const before = this.#sessions.get(id);
    if (before === undefined || before < lastGood) this.#sessions.set(id, lastGood);
  }

  #countAdmission(minute: Minute): void {
    const admitted = (this.#admittedIn.get(minute) ?? 0) + 1;
    this.#admittedIn.set(minute, admitted);
    if (admitted > this.#limitsMax.arrivals)
      this.#broken(`${admitted} admitted in minute ${minute}, ${this.#limitsMax.arrivals} allowed`);
  }

  #broken(text: string): never {
    throw new BrokenPromise(`seed ${this.options.seed}, ${(this.elapsedMs / 1_000).toFixed(1)} s: ${text}`);
  }
}
