/**
 * A world of whole nodes, visitors and faults, from one seed: the same seed, the same run.
 *
 * Visitors behave like browsers, gates like the gate. The oracle sees every cookie that was issued; no node has its
 * knowledge.
 */

import type { OvertakeCounts } from "../../cmd/crowd/overtakes.ts";
import { seededRandom } from "../../cmd/crowd/random.ts";
import type { Minute, NodeId, RoomId } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { Room } from "../../node/config/room.ts";
import { DoorWatch } from "./door-watch.ts";
import { Network } from "./network.ts";
import { BrokenPromise, Oracle } from "./oracle.ts";
import { sharedCodec } from "./shared-codec.ts";
import { SimCipher } from "./sim-cipher.ts";
import { ROOM_NAME, SimNode } from "./sim-node.ts";
import { SimRoom } from "./sim-room.ts";
import { lostMembers, placesToForget, unrestOf } from "./unrest.ts";
import { VirtualTime } from "./virtual-time.ts";
import type { Visitor } from "./visitor.ts";
import { type Coming, Visits } from "./visits.ts";
import { watch } from "./watches.ts";

export interface WorldOptions {
  readonly seed: number;
  /** One node per entry. */
  readonly localities: readonly string[];
  readonly minuteMs: number;
  readonly leaseMs: number;
  readonly room: Partial<Room>;
  /** Rooms beside that one. */
  readonly more?: readonly Partial<Room>[];
  /** Rooms that an operator creates later. */
  readonly late?: readonly Partial<Room>[];
  /** Whether nodes have names, and ids as long as real ones, as in a mesh of long ago: where bytes are measured. */
  readonly hasLongIds?: boolean;
  /** Whether the load balancer sends each request to a gate of any locality. */
  readonly sprays?: boolean;
  /** Whether lines are compared with those who wait: where nothing fails, and nobody leaves. */
  readonly hasOnlyPatient?: boolean;
  /**
   * How many visitors the first gate of a locality meets for each one at any other; 1, the default, for a fair load
   * balancer.
   */
  readonly skew?: number;
  /** Whether visitors bring passes and proofs; `calm`: in a world where nothing fails. */
  readonly doors?: "calm" | "faulty" | undefined;
  /** Whether nodes count minutes, and tell each other. */
  readonly hasHistory?: boolean;
  /** Called with each event, for people. */
  readonly log?: (atMs: number, text: string) => void;
}

/** A minute before midnight, when the key of cookies changes; the beginning of a minute, whatever its length. */
export const START_MS = 1_790_035_140_000;
/** From the start until visitors come: nodes find each other. */
export const JOINING_MS = 5_000;
/** One way, in ms: a round trip over an ocean is then 65 ms, in a locality 1 ms. */
const OCEAN_MS = 32.5;
const NEAR_MS = 0.5;
/** Characters of a libp2p peer id. */
const IDENTITY_CHARS = 52;

export class World {
  readonly time = new VirtualTime(START_MS);
  readonly random: () => number;
  readonly network: Network;
  readonly nodes: SimNode[] = [];
  /** The first one is there from the start. */
  readonly rooms: readonly SimRoom[];
  readonly options: WorldOptions;
  /** Reads the cookies of all nodes. */
  readonly cipher = new SimCipher();
  readonly oracle: Oracle;
  readonly doors: DoorWatch | undefined;
  /** How badly all origins do; undefined where they answer at once. */
  badOrigin: { readonly slowMs: number; readonly failing: number } | undefined;
  /** Starts a process again after it ended by itself. */
  restart = (node: SimNode): void => node.start();
  readonly #visits: Visits;
  readonly #nodesIn: ReadonlyMap<string, readonly SimNode[]>;
  readonly #roomById: ReadonlyMap<RoomId, SimRoom>;
  #identities = 0;

  constructor(options: WorldOptions) {
    this.options = options;
    this.random = seededRandom(options.seed);
    const { slotPolicy = "counter" } = options.room;
    this.oracle = new Oracle({ isStrict: slotPolicy === "counter", fail: (text) => this.broken(text) });
    const { more = [], late = [] } = options;
    const all = [options.room, ...more, ...late];
    this.rooms = all.map((room, index) => {
      const name = index === 0 ? ROOM_NAME : `${ROOM_NAME}-${index + 1}`;
      return new SimRoom({ name, isNamed: all.length > 1, room, oracle: this.oracle, watched: this });
    });
    for (const room of this.rooms) {
      const site = this.rooms.find(({ name }) => name === room.settings.site);
      if (site !== undefined) room.join(site);
    }
    this.#roomById = new Map(this.rooms.map((room) => [room.id, room]));
    this.doors = options.doors && new DoorWatch(this, options.doors === "calm");
    this.#visits = new Visits(this);
    this.network = new Network(this.time, this.random, (from, to) =>
      from.hello.locality === to.hello.locality ? NEAR_MS : OCEAN_MS,
    );
    const { minuteMs, leaseMs } = options;
    const constants = {
      founder: this.#idOf(1),
      minuteMs,
      leaseMs,
      codec: sharedCodec(),
      hasHistory: options.hasHistory === true,
      hasNames: options.hasLongIds === true,
    };
    for (const locality of options.localities) {
      this.nodes.push(
        new SimNode({
          time: this.time,
          network: this.network,
          random: this.random,
          constants,
          locality,
          newIdentity: () => this.#newIdentity(),
          newVisitorId: () => this.#visits.newId(),
          roomMade: (room, node) => this.#visits.listen(room, node),
          broken: (text) => this.broken(text),
          restart: (node) => this.restart(node),
          log: (text) => this.log(text),
        }),
      );
    }
    this.#nodesIn = Map.groupBy(this.nodes, ({ locality }) => locality);
    for (const [index, node] of this.nodes.entries()) node.start(index === 0);
    for (const room of this.rooms.slice(0, 1 + more.length))
      for (const node of this.nodes.slice(0, 1)) this.order(room, {}, node);
    watch(this, { visits: this.#visits, hasGifts: slotPolicy === "counter" });
  }

  /** Ends the run: a promise was broken. */
  broken(text: string): never {
    throw new BrokenPromise(`seed ${this.options.seed}, ${(this.elapsedMs / 1_000).toFixed(1)} s: ${text}`);
  }

  log(text: string): void {
    this.options.log?.(this.elapsedMs, text);
  }

  get elapsedMs(): number {
    return this.time.elapsedMs;
  }

  /** The minute by a clock that is right. */
  get minute(): Minute {
    return minuteOf(this.time.nowMs, this.options.minuteMs);
  }

  pass(ms: number): void {
    this.time.runUntil(this.time.nowMs + ms);
  }

  get visitors(): Set<Visitor> {
    return this.#visits.all;
  }

  /** The first room, as last ordered. */
  get room(): Room {
    return this.#first.settings;
  }

  nodesIn(locality: string): readonly SimNode[] {
    return this.#nodesIn.get(locality) ?? [];
  }

  roomOf(id: RoomId): SimRoom {
    const room = this.#roomById.get(id);
    if (room === undefined) throw new RangeError(`Cannot find room ${id} in this world`);
    return room;
  }

  /** Cuts the links between a node and some others, both ways; all others if left out. */
  cut(node: SimNode, others: readonly SimNode[] = this.nodes): void {
    for (const other of others) {
      if (other === node) continue;
      this.network.cut(node.identity, other.identity);
      this.network.cut(other.identity, node.identity);
    }
  }

  /** Changes the first room at a node. */
  configure(change: Partial<Room>, at: SimNode): void {
    this.order(this.#first, change, at);
  }

  /**
   * Defines a room from now on, at a node and soon on all: the operator creates it, or changes what is known of it
   * there.
   */
  order(room: SimRoom, change: Partial<Room>, at: SimNode): void {
    const before = room.settings;
    room.change(change);
    at.do(() => {
      if (!at.rooms.set(room, { ...(at.rooms.declared(room.id) ?? room.settings), ...change })) room.change(before);
    });
  }

  /** Deletes a room, at a node and soon on all. */
  deleteRoom(room: SimRoom, at: SimNode): void {
    at.do(() => at.rooms.delete(room.id));
  }

  /** The operator has a room admit nobody, or go on, at a node and soon on all. */
  hold(room: SimRoom, at: SimNode, isHeld: boolean): void {
    room.heldMs = isHeld ? this.time.nowMs : Number.POSITIVE_INFINITY;
    at.do(() => at.rooms.hold(room.id, isHeld));
  }

  /** The origin ends sessions of a room, in its answers to visitors of a node. */
  revoke(room: SimRoom, sessions: number, at: SimNode): void {
    this.#visits.revoke(room, sessions, at);
  }

  /**
   * The operator orders at a node that others run nowhere. Returns whether it accepted the order. `forMs`: the order
   * waits for other members.
   */
  forget(lost: readonly NodeId[], at: SimNode, forMs?: number): boolean {
    let isTaken = false;
    at.do((peer) => {
      const told = peer.members.forget(lost, at.now, { forMs });
      isTaken = "ok" in told;
      this.log(`${at.identity} is told to forget ${lost.join(" ")}: ${JSON.stringify(told)}`);
    });
    return isTaken;
  }

  /** Visitors who were overtaken. */
  get overtakes(): OvertakeCounts {
    return this.#visits.overtakes;
  }

  /** A visitor comes, and continues by itself. */
  arrive(coming: Coming): void {
    this.#visits.arrive(coming);
  }

  /** What is not in order a while after all faults are healed; empty if everything is. */
  unrest(): string[] {
    return unrestOf(this.nodes);
  }

  /** The operator's order about nodes whose disks are lost, where it is needed. */
  forgetLost(): void {
    for (const node of placesToForget(this.nodes)) {
      const lost = lostMembers(node, this.nodes);
      if (lost.length > 0) this.forget(lost, node);
    }
  }

  #newIdentity(): NodeId {
    return this.#idOf(++this.#identities);
  }

  #idOf(number: number): NodeId {
    return `n${number}`.padEnd(this.options.hasLongIds ? IDENTITY_CHARS : 0, "-") as NodeId;
  }

  get #first(): SimRoom {
    const [first] = this.rooms;
    if (first === undefined) throw new Error("Broken: a world has a room");
    return first;
  }
}
