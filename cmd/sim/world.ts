/**
 * A world of whole nodes, visitors and faults, from one seed: the same seed, the same run.
 *
 * Visitors behave as browsers do, gates as the gate does. The oracle sees every cookie that was told; no node knows what it
 * knows.
 */

import type { Minute, NodeId } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import { seededRandom } from "../../mesh/core/random.ts";
import type { Sizes } from "../../mesh/core/tiers.ts";
import type { Place } from "../../node/admission/admission.ts";
import type { MeshDecision } from "../../node/admission/mesh/mesh-room.ts";
import { pollPauseSeconds } from "../../node/admission/poll-pause.ts";
import type { Room } from "../../node/config/room.ts";
import { parseRoom, roomDocument } from "../../node/config/room-document.ts";
import type { Peer } from "../../node/peer.ts";
import { EarlyWatch } from "./early-watch.ts";
import { foundedBefore } from "./founded.ts";
import { Network } from "./network.ts";
import { BrokenPromise, Oracle } from "./oracle.ts";
import { OriginModel, type OriginOptions } from "./origin-model.ts";
import { sharedCodec } from "./shared-codec.ts";
import { ROOM, SimNode } from "./sim-node.ts";
import { StateWatch } from "./state-watch.ts";
import { VirtualTime } from "./virtual-time.ts";
import { type Behaviour, PATIENT, type SimCookie, type Visitor } from "./visitor.ts";

export interface WorldOptions {
  readonly seed: number;
  /** One node per entry. */
  readonly localities: readonly string[];
  readonly minuteMs: number;
  readonly leaseMs: number;
  readonly islandMs: number;
  readonly room: Partial<Room>;
  /** Has the mesh founded long ago, with all nodes as members: else the first one founds it and the others join. */
  readonly isFounded?: boolean;
  /** Has one counter that knows all at once decide instead of the nodes: the yardstick for policies. */
  readonly isAllKnowing?: boolean;
  /** What visitors inside ask, by way of the nodes. */
  readonly origin?: OriginOptions;
  /** How many visitors the first gate of a locality meets for each one at any other; 1, the default, where a load balancer is fair. */
  readonly skew?: number;
  /** From which size on the mesh works in which way; as the product has it if left out. */
  readonly sizes?: Sizes;
  /** Called with what happens, for people. */
  readonly log?: (atMs: number, text: string) => void;
}

/** A time that is the beginning of a minute, whatever the minute's length. */
const START_MS = 1_790_000_400_000;
/** One way, in ms: a round trip over an ocean is then 65 ms, in a locality 1 ms. */
const OCEAN_MS = 32.5;
const NEAR_MS = 0.5;
/** Who has waited for so long is in a line that every gate of the locality has heard of. */
const LINE_MS = 3_000;
/** Characters of a libp2p peer id. */
const IDENTITY_CHARS = 52;
/** How often the states of all nodes are compared. */
const STATE_MS = 1_000;
/** The same in a large world, where looking takes longer than all else. */
const LARGE_STATE_MS = 10_000;

export class World {
  readonly time = new VirtualTime(START_MS);
  readonly random: () => number;
  readonly network: Network;
  readonly nodes: SimNode[] = [];
  readonly visitors = new Set<Visitor>();
  /** By locality: those of them who wait in line. */
  readonly lines = new Map<string, Set<Visitor>>();
  readonly options: WorldOptions;
  readonly oracle: Oracle;
  room: Room;
  readonly origin: OriginModel | undefined;
  readonly #early: EarlyWatch;
  readonly #nodesIn: ReadonlyMap<string, readonly SimNode[]>;
  #identities = 0;
  #visitors = 0;
  #ids = 0;

  constructor(options: WorldOptions) {
    this.options = options;
    this.random = seededRandom(options.seed);
    const parsed = parseRoom({ name: "room", host: "*", total_active_users: 1, new_users_per_minute: 1 });
    if (!parsed.ok) throw new Error("unreachable");
    this.room = { ...parsed.value, ...options.room };
    this.oracle = new Oracle({
      isStrict: this.room.slotPolicy === "counter",
      fail: (text) => this.broken(text),
    });
    this.origin = options.origin && new OriginModel(this.time, options.origin);
    this.#noteLimits();
    this.network = new Network(this.time, this.random, (from, to) =>
      from.hello.locality === to.hello.locality ? NEAR_MS : OCEAN_MS,
    );
    const { minuteMs, leaseMs, islandMs, sizes } = options;
    const constants = {
      founder: (options.isFounded ? "n1".padEnd(IDENTITY_CHARS, "-") : "n1") as NodeId,
      neverCrashes: options.isFounded === true,
      minuteMs,
      leaseMs,
      islandMs,
      codec: sharedCodec(),
      ...(sizes && { sizes }),
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
          log: (text) => this.log(text),
        }),
      );
    }
    this.#nodesIn = Map.groupBy(this.nodes, ({ locality }) => locality);
    this.#early = new EarlyWatch(this);
    if (options.isFounded) foundedBefore(this.nodes, START_MS);
    for (const [index, node] of this.nodes.entries()) node.start(index === 0 && !options.isFounded);
    this.nodes[0]?.do((peer) => this.#configure(peer));
    const states = new StateWatch(this.nodes);
    this.time.every(options.isFounded ? LARGE_STATE_MS : STATE_MS, () => {
      const problem = states.look();
      if (problem !== undefined) this.broken(problem);
      return true;
    });
    this.time.every(1_000, () => {
      const waiting = this.waiting();
      const look = waiting === 0 ? { early: 0, taken: 0, idle: 0 } : this.#early.look();
      this.oracle.sample(this.elapsedMs, this.minute, { waiting, ...look });
      return true;
    });
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

  /** Visitors who wait in line. */
  waiting(): number {
    let waiting = 0;
    for (const line of this.lines.values()) for (const { behaviour } of line) if (behaviour.keepsCookies) waiting += 1;
    return waiting;
  }

  /** Those who wait in a locality's line. */
  lineIn(locality: string): Iterable<Visitor> {
    return this.lines.get(locality) ?? [];
  }

  nodesIn(locality: string): readonly SimNode[] {
    return this.#nodesIn.get(locality) ?? [];
  }

  /** Changes the room at a node. */
  configure(change: Partial<Room>, at: SimNode): void {
    this.room = { ...this.room, ...change };
    this.#noteLimits();
    at.do((peer) => this.#configure(peer));
  }

  /** A visitor comes, and goes on by itself. */
  arrive(visitor: { locality: string; staysMs: number; behaviour?: Behaviour }): void {
    this.oracle.counts.arrived += 1;
    const fresh: Visitor = {
      behaviour: PATIENT,
      ...visitor,
      number: ++this.#visitors,
      arrivedMs: this.time.nowMs,
      cookie: undefined,
      admittedMs: undefined,
      hasWaited: false,
      position: undefined,
      pollSeconds: this.room.refreshIntervalSeconds,
      lineAt: undefined,
    };
    this.visitors.add(fresh);
    this.#request(fresh);
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

  /** In a large world as long as real ones are, as bytes are measured there. */
  #newIdentity(): NodeId {
    const name = `n${++this.#identities}`;
    return (this.options.isFounded ? name.padEnd(IDENTITY_CHARS, "-") : name) as NodeId;
  }

  #configure(peer: Peer): void {
    const nowMs = Math.floor(this.time.nowMs);
    const document = JSON.stringify(roomDocument(this.room));
    const register = peer.replica.setRegister(ROOM, { firstName: "room", document, createdMs: START_MS }, nowMs);
    this.nodes.find((node) => node.peer === peer)?.putInForce(ROOM, register);
  }

  #noteLimits(): void {
    this.oracle.limit({ active: this.room.totalActiveUsers, arrivals: this.room.newUsersPerMinute });
  }

  #request(visitor: Visitor): void {
    const { minuteMs } = this.options;
    const { cookie, behaviour } = visitor;
    const { nowMs } = this.time;
    const isInside = cookie?.kind === "inside" || visitor.admittedMs !== undefined;
    if (isInside && nowMs - (visitor.admittedMs ?? nowMs) >= visitor.staysMs) {
      this.#goes(visitor);
      return;
    }
    if (!isInside && nowMs - visitor.arrivedMs > behaviour.patienceMinutes * minuteMs) {
      this.oracle.counts.gaveUp += 1;
      this.#goes(visitor);
      return;
    }
    if (this.random() < behaviour.moves) {
      visitor.locality = this.#one(this.options.localities);
      this.#linesUp(visitor);
    }
    for (let request = 0; request < (cookie === undefined ? 1 : behaviour.parallel); request++) {
      const gate = this.#gateFor(visitor);
      this.oracle.counts.requests += 1;
      if (this.options.isAllKnowing) this.#decideKnowingAll(visitor);
      else gate?.do((peer) => this.#atGate(gate, peer, visitor));
    }
    const pollMs = visitor.pollSeconds * 1_000 * behaviour.pollPart;
    const [least, most] = behaviour.browses;
    const pauseMs =
      visitor.cookie?.kind === "inside"
        ? minuteMs * (least + (most - least) * this.random())
        : pollMs * (0.8 + 0.4 * this.random());
    this.time.after(pauseMs, () => this.#request(visitor));
  }

  #goes(visitor: Visitor): void {
    this.visitors.delete(visitor);
    this.#setCookie(visitor, undefined);
  }

  #setCookie(visitor: Visitor, cookie: SimCookie | undefined): void {
    visitor.cookie = cookie;
    this.#linesUp(visitor);
  }

  /** Has a visitor stand in the line where it is, if it waits. */
  #linesUp(visitor: Visitor): void {
    const isWaiting = visitor.cookie?.kind === "waiting" && this.visitors.has(visitor);
    const lineAt = isWaiting ? visitor.locality : undefined;
    if (lineAt === visitor.lineAt) return;
    if (visitor.lineAt !== undefined) this.lines.get(visitor.lineAt)?.delete(visitor);
    if (lineAt !== undefined) this.lines.getOrInsertComputed(lineAt, () => new Set()).add(visitor);
    visitor.lineAt = lineAt;
  }

  /** A gate of the visitor's locality that runs; of any, if none there does. */
  #gateFor({ locality }: Visitor): SimNode | undefined {
    const isOpen = ({ isRunning, peer }: SimNode): boolean => isRunning && peer?.isClockTrusted === true;
    const near = this.nodesIn(locality).filter(isOpen);
    const gates = near.length > 0 ? near : this.nodes.filter(isOpen);
    const { skew = 1 } = this.options;
    return gates[Math.max(0, Math.floor(this.random() * (gates.length - 1 + skew) - (skew - 1)))];
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item;
  }

  /** What the gate does with a request. */
  #atGate(gate: SimNode, peer: Peer, visitor: Visitor): void {
    const room = peer.rooms.get(ROOM);
    if (room === undefined) return;
    const wallMs = peer.roomMs;
    const cookie = visitor.behaviour.keepsCookies ? visitor.cookie : undefined;
    const minute = room.admission.minuteAt(wallMs);
    if (cookie?.kind === "inside" && cookie.lastGood >= minute) {
      this.origin?.request(room.pace);
      if (cookie.written >= minute) return;
      const { id, home, lastGood } = cookie;
      room.checkIn({ id, home, lastGood }, wallMs, (stay) => {
        if (stay.kind === "acknowledged")
          gate.afterCommit(() =>
            this.#tell(visitor, cookie, { ...cookie, home: stay.home, lastGood: stay.lastGood, written: minute }),
          );
        else if (stay.kind !== "unchanged") this.broken(`never lost: ${id} was inside and was refused as ${stay.kind}`);
      });
      return;
    }
    if (cookie?.kind === "inside") {
      this.oracle.counts.thrownOut += 1;
      this.#setCookie(visitor, undefined);
    }
    const askedMs = this.time.nowMs;
    const decided = (id: string) => (decision: MeshDecision) => {
      if (cookie === undefined) this.oracle.decisions.push(this.time.nowMs - askedMs);
      this.#decided({ gate, visitor, id, before: cookie }, decision, minute);
    };
    if (cookie?.kind === "waiting") room.poll(cookie.id, cookie.key, wallMs, decided(cookie.id));
    else {
      const id = `v${++this.#ids}`;
      room.arrive(id, wallMs, decided(id));
    }
  }

  #decided(
    { gate, visitor, id, before }: { gate: SimNode; visitor: Visitor; id: string; before: SimCookie | undefined },
    decision: MeshDecision,
    minute: Minute,
  ): void {
    if (decision.kind === "admitted") {
      const stamped = (decision.lastGood - this.room.sessionDuration) as Minute;
      const { lastGood, home } = decision;
      gate.afterCommit(() => {
        this.oracle.admitted(id, stamped, visitor.locality);
        if (before?.kind === "waiting") this.#early.used(before.key, gate.locality);
        this.#enters(visitor);
        this.#tell(visitor, before, { kind: "inside", id, home, lastGood, written: minute });
        this.origin?.enter();
        const pace = gate.peer?.rooms.get(ROOM)?.pace;
        if (pace !== undefined) this.origin?.request(pace);
      });
    } else if (decision.kind === "waiting") {
      this.#early.told(decision.place.key, gate.locality);
      this.#waits(visitor, { id, ...decision.place });
    } else if (decision.kind === "used") this.#setCookie(visitor, undefined);
  }

  #enters(visitor: Visitor): void {
    if (visitor.admittedMs !== undefined) return;
    if (!visitor.hasWaited && this.#early.isLine(visitor.locality, { nowMs: this.time.nowMs, ms: LINE_MS }))
      this.oracle.counts.overtook += 1;
    visitor.admittedMs = this.time.nowMs;
    this.oracle.counts.admitted += 1;
    this.oracle.waited(visitor, this.elapsedMs);
  }

  #waits(visitor: Visitor, { id, key, position, wait }: Place & { readonly id: string }): void {
    if (visitor.cookie?.kind === "inside") return;
    const waitSeconds = wait?.seconds ?? null;
    visitor.pollSeconds = pollPauseSeconds({ position, waitSeconds }, this.room.refreshIntervalSeconds);
    this.oracle.queued(this.minute);
    visitor.hasWaited = true;
    if (visitor.cookie?.kind !== "waiting") {
      this.#setCookie(visitor, { kind: "waiting", id, key });
      visitor.position = position;
      return;
    }
    if (position > (visitor.position ?? position)) this.oracle.counts.positionsBack += 1;
    visitor.position = position;
  }

  /** A browser keeps what it was told last; an answer to an older request does not undo a newer one's. */
  #tell(visitor: Visitor, before: SimCookie | undefined, cookie: Extract<SimCookie, { kind: "inside" }>): void {
    this.oracle.told(cookie.id, cookie.lastGood, this.minute);
    if (visitor.cookie === before || visitor.cookie?.kind !== "inside") this.#setCookie(visitor, cookie);
  }

  /** The yardstick: one counter that knows all in the moment it happens, and costs no time. */
  #decideKnowingAll(visitor: Visitor): void {
    const { minute, oracle, room } = this;
    const { cookie } = visitor;
    const lastGood = (minute + room.sessionDuration) as Minute;
    if (cookie?.kind === "inside" && cookie.lastGood >= minute) {
      this.#tell(visitor, cookie, { ...cookie, lastGood, written: minute });
      return;
    }
    const id = cookie?.id ?? `v${++this.#ids}`;
    if (cookie === undefined) oracle.decisions.push(0);
    if (oracle.hasRoom(minute)) {
      oracle.admitted(id, minute, visitor.locality);
      this.#enters(visitor);
      const home = "all" as never;
      this.#tell(visitor, cookie, { kind: "inside", id, home, lastGood, written: minute });
    } else this.#waits(visitor, { id, key: visitor.number, position: 1, wait: undefined });
  }
}
