/**
 * Visitors of a simulated world: they come, ask at gates as browsers do, and are told what the gate tells them.
 *
 * Gates answer as the product's do. Whatever a visitor is told goes to the oracle in the same moment.
 */

import type { Minute, RoomId } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { Place } from "../../node/admission/admission.ts";
import type { MeshDecision } from "../../node/admission/mesh/entrance.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import { pollPauseSeconds } from "../../node/admission/poll-pause.ts";
import type { Peer } from "../../node/peer/peer.ts";
import type { Oracle } from "./oracle.ts";
import type { OriginModel } from "./origin-model.ts";
import { Overtakes } from "./overtakes.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";
import { whyNotExtended } from "./thrown-out.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { type Behaviour, type InsideCookie, PATIENT, type SimCookie, type Visitor } from "./visitor.ts";

/** Who has waited for so long is in a line that every gate of the locality has heard of. */
const LINE_MS = 3_000;

/** So many of those whose session was revoked go on with another cookie of it, as of a second browser. */
const SHOWS_REVOKED = 0.5;

/** One visitor in so many comes by a load balancer that does not ask gates whether they are ready. */
const BLIND_EVERY = 4;

export interface Coming {
  readonly locality: string;
  readonly staysMs: number;
  readonly behaviour?: Behaviour;
  /** The first one, if left out. */
  readonly room?: SimRoom;
}

/** What visitors know of their world. */
interface VisitedWorld {
  readonly options: {
    readonly localities: readonly string[];
    readonly minuteMs: number;
    readonly isAllKnowing?: boolean;
    readonly skew?: number;
  };
  readonly time: VirtualTime;
  readonly elapsedMs: number;
  readonly minute: Minute;
  readonly random: () => number;
  readonly oracle: Oracle;
  readonly origin: OriginModel | undefined;
  readonly nodes: readonly SimNode[];
  readonly rooms: readonly SimRoom[];
  nodesIn(locality: string): readonly SimNode[];
  roomOf(id: RoomId): SimRoom;
  broken(text: string): never;
}

/** Where a request is handled, and when by the clock there. */
interface AtGate {
  readonly gate: SimNode;
  readonly room: MeshRoom;
  readonly minute: Minute;
  readonly wallMs: number;
}

/** Who asks, as which id, the cookie that was shown, and when. */
interface Asker {
  readonly visitor: Visitor;
  readonly id: string;
  readonly before: SimCookie | undefined;
  readonly askedMs: number;
}

export class Visits {
  readonly all = new Set<Visitor>();
  readonly overtakes = new Overtakes<Visitor>();
  readonly #world: VisitedWorld;
  #visitors = 0;
  #ids = 0;

  constructor(world: VisitedWorld) {
    this.#world = world;
  }

  /** A visitor comes, and goes on by itself. */
  arrive({ room = this.#world.rooms[0] as SimRoom, ...coming }: Coming): void {
    this.#world.oracle.counts.arrived += 1;
    const fresh: Visitor = {
      behaviour: PATIENT,
      ...coming,
      room: room.id,
      number: ++this.#visitors,
      arrivedMs: this.#world.time.nowMs,
      cookie: undefined,
      admittedMs: undefined,
      hasWaited: false,
      refusal: undefined,
      position: undefined,
      pollSeconds: room.settings.refreshIntervalSeconds,
      lineAt: undefined,
      passes: false,
      jitter: 0,
      plans: 0,
    };
    this.all.add(fresh);
    this.#request(fresh);
  }

  /** Ends some sessions at the origin's word, in the answers to their visitors at a gate. */
  revoke({ id: room, judge }: SimRoom, sessions: number, gate: SimNode): void {
    const { minute } = this.#world;
    const inside = [...this.all].flatMap((visitor) => {
      const { cookie } = visitor;
      return visitor.room === room && cookie?.kind === "inside" && cookie.lastGood >= minute ? { visitor, cookie } : [];
    });
    gate.do((peer) => {
      for (const { visitor, cookie } of inside.slice(0, sessions)) {
        judge.revoking(cookie.id);
        peer.rooms.get(room)?.revoke(cookie.id, cookie.home, peer.roomMs);
        gate.afterCommit(() => {
          judge.revoked(cookie.id, this.#earliestMinute());
          this.#world.oracle.counts.endedByOrder += 1;
          if (this.#world.random() >= SHOWS_REVOKED) this.#goes(visitor);
        });
      }
    });
  }

  #request(visitor: Visitor): void {
    const { options, time, oracle, random } = this.#world;
    const { minuteMs } = options;
    const { cookie, behaviour } = visitor;
    const { nowMs } = time;
    if (!this.all.has(visitor)) return;
    const isInside = cookie?.kind === "inside" || visitor.admittedMs !== undefined;
    if (isInside && nowMs - (visitor.admittedMs ?? nowMs) >= visitor.staysMs) {
      this.#goes(visitor);
      return;
    }
    if (!isInside && nowMs - visitor.arrivedMs > behaviour.patienceMinutes * minuteMs) {
      oracle.counts.gaveUp += 1;
      this.#goes(visitor);
      return;
    }
    if (random() < behaviour.moves) {
      visitor.locality = this.#one(options.localities);
      this.#linesUp(visitor);
    }
    for (let request = 0; request < (cookie === undefined ? 1 : behaviour.parallel); request++) {
      const gate = this.#gateFor(visitor);
      oracle.counts.requests += 1;
      if (options.isAllKnowing) this.#decideKnowingAll(visitor);
      else gate?.do((peer) => this.#atGate(gate, peer, visitor));
    }
    visitor.jitter = random();
    this.#plan(visitor);
  }

  /** Has a visitor ask again: as told last, which may be by an answer to come. */
  #plan(visitor: Visitor): void {
    const { options, time } = this.#world;
    const { behaviour, jitter } = visitor;
    const [least, most] = behaviour.browses;
    const pollMs = visitor.pollSeconds * 1_000 * behaviour.pollPart;
    const pauseMs =
      visitor.cookie?.kind === "inside"
        ? options.minuteMs * (least + (most - least) * jitter)
        : pollMs * (0.8 + 0.4 * jitter);
    const plan = ++visitor.plans;
    time.after(pauseMs, () => plan === visitor.plans && this.#request(visitor));
  }

  #roomOf({ room }: Visitor): SimRoom {
    return this.#world.roomOf(room);
  }

  #goes(visitor: Visitor): void {
    this.all.delete(visitor);
    this.#setCookie(visitor, undefined);
  }

  #setCookie(visitor: Visitor, cookie: SimCookie | undefined): void {
    visitor.cookie = cookie;
    this.#linesUp(visitor);
  }

  /** Has a visitor stand in the line where it is, if it waits. */
  #linesUp(visitor: Visitor): void {
    const { lines } = this.#roomOf(visitor);
    const isWaiting = visitor.cookie?.kind === "waiting" && !visitor.passes && this.all.has(visitor);
    const lineAt = isWaiting ? visitor.locality : undefined;
    if (lineAt === visitor.lineAt) return;
    if (visitor.lineAt !== undefined) lines.get(visitor.lineAt)?.delete(visitor);
    if (lineAt === undefined) this.overtakes.left(visitor);
    if (lineAt !== undefined) lines.getOrInsertComputed(lineAt, () => new Set()).add(visitor);
    visitor.lineAt = lineAt;
  }

  /** A gate of the visitor's locality, as a load balancer chooses: one that says it is ready, or one that runs; of any locality, if none there does. */
  #gateFor({ locality, number }: Visitor): SimNode | undefined {
    const { nodes, options, random } = this.#world;
    const places = [this.#world.nodesIn(locality), nodes];
    const looks = number % BLIND_EVERY === 0 ? [isOpen] : [isReady, isOpen];
    const choices = looks.flatMap((look) => places.map((place) => place.filter(look)));
    const gates = choices.find(({ length }) => length > 0) ?? [];
    const { skew = 1 } = options;
    return gates[Math.max(0, Math.floor(random() * (gates.length - 1 + skew) - (skew - 1)))];
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#world.random() * items.length)] as Item;
  }

  /** What the gate does with a request. */
  #atGate(gate: SimNode, peer: Peer, visitor: Visitor): void {
    const room = peer.rooms.get(visitor.room);
    if (room === undefined) return;
    const isDeleted = !gate.isInForce(room.id);
    const { passes } = visitor;
    visitor.passes = isDeleted;
    if (isDeleted !== passes) this.#linesUp(visitor);
    if (isDeleted) return;
    const wallMs = peer.roomMs;
    const cookie = visitor.behaviour.keepsCookies ? visitor.cookie : undefined;
    const minute = room.admission.minuteAt(wallMs);
    if (cookie?.kind === "inside" && cookie.lastGood >= minute) {
      this.#isInside(visitor, cookie, { gate, room, minute, wallMs });
      return;
    }
    const { oracle } = this.#world;
    const { counts, decisions } = oracle;
    if (cookie?.kind === "inside") {
      // The visitors of a deleted room pass as those of none: nobody extends their stays.
      if (passes) counts.endedByOrder += 1;
      else oracle.thrownOut(visitor.refusal);
      this.#setCookie(visitor, undefined);
    }
    const { time } = this.#world;
    const askedMs = time.nowMs;
    const decided = (id: string) => (decision: MeshDecision, decidedMs: number) => {
      if (cookie === undefined) decisions.push(time.nowMs - askedMs);
      const stamped = room.admission.minuteAt(decidedMs);
      this.#decided({ gate, room, visitor, id, before: cookie, askedMs }, decision, { minute, stamped });
    };
    if (cookie?.kind === "waiting") room.poll(cookie.id, cookie.key, wallMs, decided(cookie.id));
    else {
      const id = `v${++this.#ids}`;
      room.arrive(id, wallMs, decided(id));
    }
  }

  /** A request by the cookie of a session. */
  #isInside(visitor: Visitor, cookie: InsideCookie, { gate, room, minute, wallMs }: AtGate): void {
    const { judge } = this.#roomOf(visitor);
    const { id, home, lastGood } = cookie;
    this.#world.origin?.request(room.pace);
    if (cookie.written >= minute) {
      this.#isServed(visitor, id, minute);
      return;
    }
    room.checkIn({ id, home, lastGood }, wallMs, (stay) => {
      if (stay.kind === "acknowledged")
        gate.afterCommit(() => {
          this.#isServed(visitor, id, minute);
          visitor.refusal = undefined;
          this.#tell(visitor, cookie, { ...cookie, home: stay.home, lastGood: stay.lastGood, written: minute });
        });
      else if (stay.kind === "unchanged" || stay.kind === "unsure") {
        // Who is unsure does not serve it: the visitor keeps the cookie, and tries again.
        if (stay.kind === "unchanged") this.#isServed(visitor, id, minute);
        visitor.refusal = whyNotExtended(this.#world.nodes, { gate, room: room.id, home });
      } else if (judge.mayBeRevoked(id)) this.#setCookie(visitor, undefined);
      else this.#world.broken(`never lost: ${id} was inside and was refused as ${stay.kind}`);
    });
  }

  /** By the clock that is furthest behind: to its end, and the grace of clocks longer, the slot of a session that ends now is held at its home. */
  #earliestMinute(): Minute {
    const { nodes, options } = this.#world;
    const minutes = nodes.flatMap(({ peer }) => (peer === undefined ? [] : minuteOf(peer.roomMs, options.minuteMs)));
    return Math.min(this.#world.minute, ...minutes) as Minute;
  }

  /** In the minute of the gate: its slot is held for the grace of clocks longer. */
  #isServed(visitor: Visitor, id: string, minute: Minute): void {
    const { judge } = this.#roomOf(visitor);
    if (judge.isRevoked(id)) judge.served(id, minute);
  }

  #decided(
    { gate, room, visitor, id, before, askedMs }: Pick<AtGate, "gate" | "room"> & Asker,
    decision: MeshDecision,
    { minute, stamped }: { readonly minute: Minute; readonly stamped: Minute },
  ): void {
    const { early, judge } = this.#roomOf(visitor);
    const { oracle, origin } = this.#world;
    if (decision.kind === "admitted") {
      const { lastGood, home } = decision;
      gate.afterCommit(() => {
        oracle.admitted(judge, { id, stamped }, visitor.locality);
        if (before?.kind === "waiting") early.used(before.key, gate.locality);
        this.#enters(visitor);
        this.#tell(visitor, before, { kind: "inside", id, home, lastGood, written: minute });
        origin?.enter();
        origin?.request(room.pace);
      });
    } else if (decision.kind === "waiting") {
      early.told(decision.place.key, gate.locality);
      this.#waits(visitor, { id, ...decision.place }, askedMs);
    } else if (decision.kind === "used") this.#setCookie(visitor, undefined);
  }

  #enters(visitor: Visitor): void {
    if (visitor.admittedMs !== undefined) return;
    const { oracle, elapsedMs } = this.#world;
    const { early, judge } = this.#roomOf(visitor);
    const { nowMs } = this.#world.time;
    if (!visitor.hasWaited && early.isLine(visitor.locality, { nowMs, ms: LINE_MS })) oracle.counts.overtook += 1;
    visitor.admittedMs = nowMs;
    if (visitor.behaviour.moves === 0)
      this.overtakes.letIn(visitor, { line: lineOf(visitor), arrivedMs: visitor.arrivedMs, nowMs });
    oracle.counts.admitted += 1;
    oracle.waited(judge, visitor, elapsedMs);
  }

  #waits(visitor: Visitor, { id, key, position, wait }: Place & { readonly id: string }, askedMs: number): void {
    if (visitor.cookie?.kind === "inside") return;
    const { behaviour, pollSeconds } = visitor;
    if (behaviour.moves === 0 && behaviour.keepsCookies) {
      const { nowMs } = this.#world.time;
      this.overtakes.waits(visitor, { line: lineOf(visitor), key, askedMs, intervalMs: 1_000 * pollSeconds, nowMs });
    }
    const { settings, judge } = this.#roomOf(visitor);
    const { oracle, minute } = this.#world;
    const waitSeconds = wait?.seconds ?? null;
    visitor.pollSeconds = pollPauseSeconds({ position, waitSeconds }, settings.refreshIntervalSeconds);
    this.#plan(visitor);
    oracle.queued(judge, minute);
    visitor.hasWaited = true;
    if (visitor.cookie?.kind !== "waiting") {
      this.#setCookie(visitor, { kind: "waiting", id, key });
      visitor.position = position;
      return;
    }
    if (position > (visitor.position ?? position)) oracle.counts.positionsBack += 1;
    visitor.position = position;
  }

  /** A browser keeps what it was told last; an answer to an older request does not undo a newer one's. */
  #tell(visitor: Visitor, before: SimCookie | undefined, cookie: InsideCookie): void {
    const { judge, use } = this.#roomOf(visitor);
    this.#world.oracle.told(judge, cookie, this.#world.minute);
    use.told(cookie.id, cookie);
    if (visitor.cookie === before || visitor.cookie?.kind !== "inside") this.#setCookie(visitor, cookie);
  }

  /** The yardstick: one counter that knows all in the moment it happens, and costs no time. */
  #decideKnowingAll(visitor: Visitor): void {
    const { minute, oracle } = this.#world;
    const { cookie } = visitor;
    const room = this.#roomOf(visitor);
    const lastGood = (minute + room.settings.sessionDuration) as Minute;
    if (cookie?.kind === "inside" && cookie.lastGood >= minute) {
      this.#tell(visitor, cookie, { ...cookie, lastGood, written: minute });
      return;
    }
    const id = cookie?.id ?? `v${++this.#ids}`;
    if (cookie === undefined) oracle.decisions.push(0);
    if (room.judge.hasRoom(minute)) {
      oracle.admitted(room.judge, { id, stamped: minute }, visitor.locality);
      this.#enters(visitor);
      const home = "all" as never;
      this.#tell(visitor, cookie, { kind: "inside", id, home, lastGood, written: minute });
    } else this.#waits(visitor, { id, key: visitor.number, position: 1, wait: undefined }, this.#world.time.nowMs);
  }
}

function isOpen({ isRunning, peer }: SimNode): boolean {
  return isRunning && peer?.isClockTrusted === true;
}

/** As a gate answers who asks whether it is ready. */
function isReady(node: SimNode): boolean {
  return isOpen(node) && node.peer?.isReady === true && !node.peer.members.isStopped;
}

/** The line that a visitor stands in, or would: one room's, in one locality. */
function lineOf({ room, locality }: Visitor): string {
  return `${room} ${locality}`;
}
