/**
 * A world of nodes that come, go, crash, lose their disks, stand still and are cut off, all drawn from one seed.
 *
 * Each node is the real `Members` and the real ledger under a small application (members-app.ts), with two clocks of
 * its own. The world carries messages late, twice, out of order or not at all, sees everything, and checks after every
 * commit what no node can see: that visitors inside stay within the limit, that no unit may be used twice, that no view
 * number is decided twice differently. In the end it heals everything and expects all nodes to agree.
 */

import { seededRandom } from "../../cmd/crowd/random.ts";
import { type AccountId, accountOf, type NodeId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { RESOURCES } from "../../mesh/core/ledger/row.ts";
import { UNITS } from "../../mesh/core/ledger/shares.ts";
import { memberShapes } from "../../mesh/core/members/member-messages.ts";
import type { View } from "../../mesh/core/members/view.ts";
import { Codec } from "../../mesh/core/wire/codec.ts";
import type { Message } from "../../mesh/core/wire/outbox.ts";
import { type Batch, Outbox } from "../../mesh/core/wire/outbox.ts";
import { packed, unpacked } from "../../mesh/core/wire/packed.ts";
import { VirtualTime } from "../sim/virtual-time.ts";
import { AppNode, type Cookie, LEASE_MS, type Limits, MINUTE_MS, SKEW_MS, type Witness } from "./members-app.ts";
import { must } from "./onlooker.ts";

/** Between ticks of a node, in ms. */
const TICK_MS = 200;
const START_MS = 1_790_000_000_000;
/** Between two things that visitors or nodes do, in ms. */
const VISIT_MS = 40;
/** Longest time that a visitor stays, in ms. */
const STAY_MS = 30_000;
/** Healed, everything must be in order within so long. */
const HEALED_MS = 120_000;

/** Where in a step a process is killed. */
type CrashPoint = "before the commit" | "before sending" | "after sending";

interface Place {
  readonly index: number;
  /** Identities used up here so far. */
  generation: number;
  disk: Map<string, unknown>;
  /** What is forced to the disk of the pledges of others: a loss of power takes the rest. */
  forcedPledges: ReadonlyMap<string, unknown>;
  self: NodeId;
  outbox: Outbox;
  node: AppNode | undefined;
  /** The clocks: the steady one's rate, how far the wall clock is off, and when the process began. */
  rate: number;
  skewMs: number;
  steadyFromMs: number;
  incarnation: number;
  pausedUntilMs: number;
  /** What came while the process stood still. */
  waiting: (() => void)[];
  crashing: CrashPoint | undefined;
  isFailing: boolean;
  isReplacing: boolean;
}

interface Trouble {
  readonly loss: number;
  readonly doubling: number;
  readonly late: number;
  /** Longest delay of a message that is late. */
  readonly lateMs: number;
  /** Part of the steps with a vote, a fence or the like in them that meet with a fault just then. */
  readonly badMoments: number;
  /** Mean ms between two faults. */
  readonly faultMs: number;
}

const NO_TROUBLE: Trouble = {
  loss: 0,
  doubling: 0,
  late: 0,
  lateMs: 0,
  badMoments: 0,
  faultMs: Number.POSITIVE_INFINITY,
};

export interface Counts {
  admitted: number;
  extended: number;
  views: number;
  removals: number;
  /** Views whose heirs may use what the removed nodes had pledged not to hold. */
  ceilings: number;
  leaves: number;
  forgets: number;
  settled: number;
  crashes: number;
  /** Schedules in which the last node was leaving to one that was lost with its disk. */
  meshesLost: number;
}

export interface WorldOptions {
  /** Gets what happens, for readers of a seed. */
  readonly trace?: (text: string) => void;
  /** Messages and disks go through the codec. */
  readonly isPacked?: boolean;
  /** As seeds were drawn that are kept: no disk is known to be complete, and no node is heard by one other alone. */
  readonly isAsBefore?: boolean;
}

const codec = new Codec(memberShapes);

export class MembersWorld {
  readonly counts: Counts = {
    admitted: 0,
    extended: 0,
    views: 0,
    removals: 0,
    ceilings: 0,
    leaves: 0,
    forgets: 0,
    settled: 0,
    crashes: 0,
    meshesLost: 0,
  };
  readonly #time = new VirtualTime(START_MS);
  /** How long all machines have slept: nothing that is planned comes nearer by it. */
  #sleptMs = 0;
  readonly #random: () => number;
  readonly #places: Place[] = [];
  readonly #limits: Limits;
  #trouble: Trouble = NO_TROUBLE;
  #isHealed = false;
  /** Directions that are cut, as `from to` of places. */
  readonly #cuts = new Set<string>();
  /** The same for messages of members only: pings are lost, gifts arrive. */
  readonly #deaf = new Set<string>();
  readonly #founder: AccountId;
  /** The newest cookie of each session. */
  readonly #cookies = new Map<string, Cookie>();
  /** Until when each visitor comes back, and to which gate mostly. */
  readonly #stays = new Map<string, { readonly untilMs: number; readonly gate: Place }>();
  readonly #arrivals = new Map<number, number>();
  readonly #decided = new Map<number, string>();
  #newest: View | undefined;
  /** Identities whose disk is gone. */
  readonly #lost = new Set<NodeId>();
  /** Identities that were started at least once. */
  readonly #started = new Set<NodeId>();
  #sessions = 0;
  readonly #trace: (text: string) => void;
  readonly #isPacked: boolean;
  readonly #isAsBefore: boolean;

  constructor(seed: number, { trace = () => {}, isPacked = false, isAsBefore = false }: WorldOptions = {}) {
    this.#isPacked = isPacked;
    this.#isAsBefore = isAsBefore;
    this.#trace = (text) => trace(`${((this.nowMs - START_MS) / 1_000).toFixed(2)} ${text}`);
    this.#random = seededRandom(seed);
    const nodes = 3 + this.#below(3);
    this.#limits = { active: 3 + this.#below(4), arrivals: 3 + this.#below(6), sessionDuration: 1 + this.#below(2) };
    for (let index = 0; index < nodes; index++) this.#places.push(this.#newPlace(index));
    this.#founder = accountOf(nameOf(0, 0));
    for (const place of this.#places) this.#after(place.index === 0 ? 0 : this.#below(3_000), () => this.#start(place));
    this.#after(VISIT_MS, () => this.#visit());
  }

  /** Runs a whole schedule: a quiet beginning, `ms` of trouble, and the end in order. */
  run(ms: number): void {
    const isQuiet = this.#chance(0.7);
    if (isQuiet) this.#pass(8_000);
    // The fourth and fifth vote once they have stood ten minutes.
    if (this.#chance(0.4)) this.#sleptMs += 700_000;
    const intensity = this.#random();
    this.#trouble = {
      loss: this.#chance(0.5) ? 0.25 * this.#random() : 0.01,
      doubling: 0.1 * this.#random(),
      late: this.#chance(0.5) ? 0.3 * this.#random() : 0.02,
      lateMs: this.#chance(0.5) ? 10_000 : 1_000,
      badMoments: this.#chance(0.6) ? 0.15 * this.#random() : 0,
      faultMs: 1_500 + 10_000 * intensity,
    };
    this.#after(1_000, () => this.#fault());
    if (!this.#isAsBefore) this.#after(this.#below(ms / 2), () => this.#isolate());
    this.#pass(ms);
    this.#heal();
  }

  get nowMs(): number {
    return this.#time.nowMs + this.#sleptMs;
  }

  #pass(ms: number): void {
    this.#time.runUntil(this.#time.nowMs + ms);
  }

  // Nodes.

  #newPlace(index: number): Place {
    return {
      index,
      generation: 0,
      disk: new Map(),
      forcedPledges: new Map(),
      self: nameOf(index, 0),
      outbox: new Outbox(),
      node: undefined,
      rate: 0.995 + 0.01 * this.#random(),
      skewMs: this.#skew(),
      steadyFromMs: 0,
      incarnation: 0,
      pausedUntilMs: 0,
      waiting: [],
      crashing: undefined,
      isFailing: false,
      isReplacing: false,
    };
  }

  #skew(): number {
    return SKEW_MS * (2 * this.#random() - 1);
  }

  #clock(place: Place): Instant {
    return {
      wallMs: this.nowMs + place.skewMs,
      steadyMs: (this.nowMs - place.steadyFromMs) * place.rate,
    };
  }

  #start(place: Place): void {
    if (place.node !== undefined) return;
    place.outbox = new Outbox();
    place.steadyFromMs = this.nowMs - this.#below(100_000);
    place.incarnation = Math.max(place.incarnation + 1, Math.floor(this.nowMs));
    place.pausedUntilMs = 0;
    place.waiting = [];
    place.crashing = undefined;
    const isDiskComplete = this.#startsComplete(place);
    const witness: Witness = {
      log: (self, text) => this.#trace(`${self}: ${text}`),
      cookie: (cookie) => this.#sees(cookie),
      admitted: (minute) => this.#seesAdmission(minute),
      stopped: (node, reason) => {
        if (place.node === node) this.#after(1, () => this.#replace(place, node, reason === "left"));
      },
      usesPot: (node, accounts, isSettled) => this.#checkPot(node, accounts, isSettled),
    };
    const node = new AppNode(
      {
        self: place.self,
        founder: this.#founder,
        found: place.self === nameOf(0, 0),
        incarnation: place.incarnation,
        isFirstRun: !this.#started.has(place.self),
        isDiskComplete,
        disk: place.disk,
        outbox: place.outbox,
        random: this.#random,
        limits: this.#limits,
        witness,
      },
      this.#clock(place),
    );
    place.node = node;
    this.#started.add(place.self);
    this.#trace(`${place.self} starts, view ${node.members.view?.number}`);
    this.#step(place, () => {});
    this.#tick(place, node);
    this.#connect(place);
  }

  /** Whether the disk is known to have all that was sent. If not, the power was lost, and pledges with it. */
  #startsComplete(place: Place): boolean {
    if (this.#isAsBefore) return false;
    if (this.#chance(0.7)) return true;
    for (const [key] of pledgesOn(place.disk)) place.disk.delete(key);
    for (const [key, value] of place.forcedPledges) place.disk.set(key, value);
    return false;
  }

  #tick(place: Place, node: AppNode): void {
    if (place.node !== node) return;
    this.#step(place, (now) => node.tick(now));
    this.#after(TICK_MS * (0.9 + 0.2 * this.#random()), () => this.#tick(place, node));
  }

  /** Has the process do something, and what follows from it: commit, tell, send. It may be killed in between. */
  #step(place: Place, action: (now: Instant) => void): void {
    const { node } = place;
    if (node === undefined) return;
    if (this.nowMs < place.pausedUntilMs) {
      if (place.waiting.length < 3_000) place.waiting.push(() => this.#step(place, action));
      return;
    }
    action(this.#clock(place));
    const batch = place.outbox.take();
    const told = node.untold.splice(0);
    this.#pickMoment(place, batch);
    const crash = batch.writes.size > 0 || this.#chance(0.2) ? place.crashing : undefined;
    if (crash === "before the commit") {
      this.#kill(place);
      return;
    }
    if (place.isFailing && this.#chance(0.5)) {
      place.outbox.retry(batch);
      return;
    }
    for (const [key, value] of batch.writes) {
      if (value === undefined) place.disk.delete(key);
      else place.disk.set(key, this.#isPacked ? unpacked(packed(value), 0)?.[0] : value);
    }
    if (batch.isVote) place.forcedPledges = new Map(pledgesOn(place.disk));
    if (batch.writes.has("members/view")) this.#seesView(node);
    if (concernsUnits(batch.writes)) this.#checkUnits();
    if (crash === "before sending") {
      this.#kill(place);
      return;
    }
    for (const tell of told) tell();
    for (const { to, message } of batch.sent) this.#carry(place, to, message);
    if (crash === "after sending") this.#kill(place);
  }

  #kill(place: Place): void {
    const { self } = place;
    this.#trace(`${self} is killed, ${place.crashing ?? "for good"}`);
    place.node = undefined;
    place.crashing = undefined;
    this.counts.crashes += 1;
    for (const other of this.#places)
      if (other.node !== undefined && this.#chance(0.7)) {
        const { node } = other;
        this.#after(1 + this.#below(20), () => {
          if (other.node === node) this.#step(other, (now) => node.members.down(self, now));
        });
      }
  }

  /** The identity is over: the place continues as a new node. */
  #replace(place: Place, node: AppNode, hasLeft: boolean): void {
    if (place.node !== node || place.isReplacing) return;
    if (hasLeft) this.counts.leaves += 1;
    this.#kill(place);
    this.#loseDisk(place);
    this.#after(500 + this.#below(2_000), () => this.#start(place));
  }

  #loseDisk(place: Place): void {
    this.#lost.add(place.self);
    place.disk = new Map();
    place.forcedPledges = new Map();
    place.generation += 1;
    place.self = nameOf(place.index, place.generation);
  }

  #connect(place: Place): void {
    for (const other of this.#places) {
      if (other === place) continue;
      this.#after(5 + this.#below(100), () => this.#meet(place, other));
    }
  }

  /** Both learn that they are connected. */
  #meet(one: Place, other: Place): void {
    if (one.node === undefined || other.node === undefined) return;
    if (this.#isCut(one, other) || this.#isCut(other, one)) return;
    for (const [place, peer] of [
      [one, other],
      [other, one],
    ] as const) {
      const { self: name, incarnation } = peer;
      const { node } = place;
      if (node !== undefined) this.#step(place, (now) => node.members.up(name, now, { locality: "here", incarnation }));
    }
  }

  // The network.

  #isCut(from: Place, to: Place): boolean {
    return this.#cuts.has(`${from.index} ${to.index}`);
  }

  #carry(from: Place, to: NodeId, message: Message): void {
    const target = this.#places.find((place) => place.self === to);
    if (target === undefined || this.#isCut(from, target)) return;
    if (Object.hasOwn(memberShapes, message.kind) && this.#deaf.has(`${from.index} ${target.index}`)) return;
    const { loss, doubling, late, lateMs } = this.#trouble;
    const carried = this.#isPacked ? throughCodec(message) : message;
    const copies = this.#chance(loss) ? 0 : this.#chance(doubling) ? 2 : 1;
    const { self } = from;
    for (let copy = 0; copy < copies; copy++) {
      const delayMs = this.#chance(late) ? 50 + lateMs * this.#random() : 1 + this.#random() * 30;
      this.#after(delayMs, () => {
        const { node } = target;
        if (node === undefined || target.self !== to) return;
        if (this.#isCut(from, target) && this.#chance(0.8)) return;
        this.#step(target, (now) => node.receive(self, carried, now));
      });
    }
  }

  // Visitors.

  #visit(): void {
    this.#after(VISIT_MS * (0.5 + this.#random()), () => this.#visit());
    const place = this.#anyPlace();
    const { node } = place;
    if (node === undefined) return;
    const kind = this.#random();
    if (kind < 0.35) {
      this.#sessions += 1;
      const id = `s${this.#sessions}`;
      this.#step(place, (now) => node.visit(id, now));
    } else if (kind < 0.75) {
      const cookies = [...this.#cookies.values()].filter(({ id }) => (this.#stays.get(id)?.untilMs ?? 0) > this.nowMs);
      const cookie = cookies[this.#below(cookies.length)];
      const usual = cookie && this.#stays.get(cookie.id)?.gate;
      const gate = usual !== undefined && this.#chance(0.7) ? usual : place;
      if (cookie !== undefined) this.#step(gate, (now) => gate.node?.checkIn(cookie, now));
    } else if (kind < 0.88) this.#step(place, (now) => node.give(now));
    else this.#step(place, (now) => node.gossip(now));
  }

  #sees(cookie: Cookie): void {
    const before = this.#cookies.get(cookie.id);
    if (before !== undefined && before.lastGood >= cookie.lastGood) return;
    if (before === undefined) {
      this.counts.admitted += 1;
      const gate = this.#places.find(({ node }) => node?.account === cookie.home) ?? this.#anyPlace();
      this.#stays.set(cookie.id, { untilMs: this.nowMs + this.#random() ** 2 * STAY_MS, gate });
    } else this.counts.extended += 1;
    this.#cookies.set(cookie.id, cookie);
    // Good by the clock that is farthest behind.
    for (const [id, { lastGood }] of this.#cookies)
      if ((lastGood + 1) * MINUTE_MS + SKEW_MS < this.nowMs) this.#cookies.delete(id);
    const inside = this.#cookies.size;
    this.#trace(
      `${cookie.id} is inside at ${cookie.home} to ${cookie.lastGood - START_MS / MINUTE_MS}, one of ${inside}`,
    );
    must(inside <= this.#limits.active, `sessions stay within ${this.#limits.active}, not ${inside}`);
  }

  #seesAdmission(minute: number): void {
    const admitted = (this.#arrivals.get(minute) ?? 0) + 1;
    this.#arrivals.set(minute, admitted);
    must(
      admitted <= this.#limits.arrivals,
      `admissions of a minute stay within ${this.#limits.arrivals}, not ${admitted}`,
    );
  }

  // Faults.

  #fault(): void {
    if (this.#isHealed) return;
    this.#after(this.#trouble.faultMs * (0.2 + 1.6 * this.#random()), () => this.#fault());
    const place = this.#anyPlace();
    const kind = this.#random();
    if (kind < 0.22) this.#crash(place);
    else if (kind < 0.34) this.#pause(place);
    else if (kind < 0.66) this.#cut(place);
    else if (kind < 0.74) this.#leave(place);
    else if (kind < 0.77) for (const each of [place, this.#anyPlace()]) this.#leave(each);
    else if (kind < 0.82) place.skewMs = this.#skew();
    else if (kind < 0.85) {
      place.isFailing = true;
      this.#after(2_000 * this.#random(), () => {
        place.isFailing = false;
      });
    } else if (kind < 0.92) this.#crashForGood(place);
    else this.#forget();
  }

  #crash(place: Place): void {
    if (place.node === undefined) return;
    const points = ["before the commit", "before sending", "after sending"] as const;
    place.crashing = points[this.#below(points.length)];
    const downMs = this.#chance(0.3) ? this.#below(15_000) : this.#below(2_000);
    this.#after(1_000 + downMs, () => this.#start(place));
  }

  #crashForGood(place: Place): void {
    // Where nobody is left who knows the newest view, the mesh is lost: nothing is promised then.
    const survives = this.#places.some(({ self, disk }) => {
      const known = disk.get("members/view") as View | undefined;
      const leaving = disk.get("members/leaving") as { isStopped: boolean } | undefined;
      const isIn = known?.members.some(({ node }) => node === self) && leaving?.isStopped !== true;
      return self !== place.self && known?.number === this.#newest?.number && isIn;
    });
    if (place.node === undefined || !survives) return;
    this.#kill(place);
    this.#loseDisk(place);
    this.#after(2_000 + this.#below(6_000), () => this.#start(place));
  }

  #pause(place: Place): void {
    if (this.nowMs < place.pausedUntilMs) return;
    const pausedMs = this.#chance(0.5) ? this.#below(2_000) : this.#below(15_000);
    place.pausedUntilMs = this.nowMs + pausedMs;
    this.#trace(`${place.self} stands still for ${pausedMs} ms`);
    this.#after(pausedMs, () => this.#resume(place));
  }

  #resume(place: Place): void {
    if (this.nowMs < place.pausedUntilMs) return;
    for (const step of place.waiting.splice(0)) step();
  }

  /** A fault may come just when something has been decided upon, which chance alone would seldom hit. */
  #pickMoment(place: Place, { isVote }: Batch): void {
    if (!isVote || !this.#chance(this.#trouble.badMoments)) return;
    const kind = this.#random();
    if (kind < 0.5) this.#crash(place);
    else if (kind < 0.6) this.#after(1, () => this.#pause(place));
    else this.#after(1 + this.#below(40), () => this.#cut(place));
  }

  #cut(lonely: Place): void {
    const durationMs = this.#chance(0.6) ? this.#below(6_000) : this.#below(25_000);
    const kind = this.#random();
    const links = this.#chance(0.25) ? this.#deaf : this.#cuts;
    const cut: string[] = [];
    const side = new Set(this.#places.filter(() => this.#chance(0.5)));
    for (const from of this.#places)
      for (const to of this.#places) {
        const isCut =
          kind < 0.35
            ? from === lonely || to === lonely
            : kind < 0.5
              ? from === lonely
              : kind < 0.6
                ? to === lonely
                : kind < 0.85
                  ? side.has(from) !== side.has(to)
                  : this.#chance(0.3);
        if (isCut && from !== to) cut.push(`${from.index} ${to.index}`);
      }
    for (const link of cut) links.add(link);
    this.#trace(`${links === this.#cuts ? "cut" : "deaf"} for ${durationMs} ms: ${cut.join(", ")}`);
    this.#after(durationMs, () => {
      for (const link of cut) links.delete(link);
      for (const place of this.#places) this.#connect(place);
    });
  }

  /**
   * One other alone hears a node, and its answers are that one's lease; then it starts again, and hears it no more. The
   * others would remove the node as soon as that one agrees.
   */
  #isolate(): void {
    if (this.#isHealed) return;
    const [lonely, listener] = [this.#anyPlace(), this.#anyPlace()];
    if (lonely === listener) return;
    const links = this.#places
      .filter((other) => other !== lonely)
      .flatMap((other) => [`${lonely.index} ${other.index}`, `${other.index} ${lonely.index}`]);
    const isLast = (link: string) => link.split(" ").includes(`${listener.index}`);
    this.#trace(`${listener.self} alone hears ${lonely.self}`);
    for (const link of links) if (!isLast(link)) this.#cuts.add(link);
    this.#after(LEASE_MS + this.#below(3_000), () => {
      if (this.#isHealed) return;
      if (this.#chance(0.7)) {
        for (const link of links) this.#cuts.add(link);
        if (listener.node !== undefined) this.#kill(listener);
        this.#after(this.#below(1_000), () => this.#start(listener));
      }
      this.#after(this.#below(8_000), () => {
        for (const link of links) this.#cuts.delete(link);
        for (const place of this.#places) this.#connect(place);
      });
    });
  }

  #leave(place: Place): void {
    const { node } = place;
    if (node === undefined) return;
    this.#trace(`${place.self} is to leave`);
    this.#step(place, (now) =>
      node.members.leave(now, ({ kind }) => {
        this.#trace(`${place.self} has left: ${kind}`);
        // The process ends; it comes back as what its disk says it is.
        if (kind !== "left" && kind !== "underway" && this.#chance(0.7))
          this.#after(1, () => {
            if (place.node !== node) return;
            this.#kill(place);
            this.#after(500 + this.#below(1_500), () => this.#start(place));
          });
      }),
    );
  }

  /** The operator forgets what runs nowhere, at a node that knows as much as anybody. */
  #forget(): void {
    const numberOf = ({ node }: Place) =>
      (node?.members.isStopped === false ? node.members.view?.number : undefined) ?? 0;
    const [place] = this.#places.toSorted((one, other) => numberOf(other) - numberOf(one));
    const node = place?.node;
    const view = node?.members.view;
    if (place === undefined || node === undefined || view === undefined) return;
    const lost = view.members.map((member) => member.node).filter((member) => this.#lost.has(member));
    if (lost.length === 0) return;
    this.#step(place, (now) => {
      const outcome = node.members.forget(lost, now);
      this.#trace(`${place.self} is to forget ${lost.join(", ")}: ${"ok" in outcome ? "ok" : outcome.problem}`);
      if ("ok" in outcome) this.counts.forgets += 1;
    });
  }

  // What nobody else sees.

  #seesView(node: AppNode): void {
    const { view } = node.members;
    if (view === undefined) return;
    const text = JSON.stringify(view);
    const known = this.#decided.get(view.number);
    must(known === undefined || known === text, `view ${view.number} is decided once, not ${known} and ${text}`);
    if (known === undefined) this.counts.views += 1;
    this.#decided.set(view.number, text);
    if (this.#newest !== undefined && view.number <= this.#newest.number) return;
    const before = this.#newest;
    this.#newest = view;
    const gone = before?.members.filter(({ node }) => !view.members.some((member) => member.node === node)) ?? [];
    this.counts.removals += gone.length;
    if (view.ceilings !== undefined) this.counts.ceilings += 1;
    this.#trace(`view ${text}`);
  }

  #checkUnits(): void {
    const writers = new Map<AccountId, NodeId>();
    for (const resource of RESOURCES) {
      let usable = 0;
      let owned = 0;
      for (const place of this.#places) {
        const { node } = place;
        if (node === undefined) continue;
        const now = this.#clock(place);
        const { members } = node;
        if (members.mayAct(now)) usable += Math.max(0, node.usableUnits(resource, now));
        if (members.view?.number !== this.#newest?.number) continue;
        owned += Math.max(0, node.units(resource, members.writes(), now));
        for (const account of members.writes()) {
          const other = writers.get(account);
          must(other === undefined || other === node.self, `${account} has one writer, not ${other} and ${node.self}`);
          writers.set(account, node.self);
        }
      }
      must(usable <= UNITS, `usable units of ${resource} stay within the whole, not ${usable / UNITS}`);
      must(owned <= UNITS, `units of ${resource} stay within the whole, not ${owned / UNITS}`);
    }
  }

  #checkPot(heir: AppNode, accounts: readonly AccountId[], isSettled: boolean): void {
    if (isSettled) this.counts.settled += 1;
    for (const place of this.#places) {
      const { node } = place;
      if (node === undefined || node === heir || !accounts.includes(node.account)) continue;
      const lease = node.members.lease(this.#clock(place));
      const isOver = isSettled ? lease === "none" : lease !== "held";
      must(isOver, `${node.self} has no lease when ${heir.self} uses its pot, not ${lease}`);
    }
  }

  // The end.

  #heal(): void {
    this.#trace("all is healed");
    this.#isHealed = true;
    this.#trouble = NO_TROUBLE;
    this.#cuts.clear();
    this.#deaf.clear();
    for (const place of this.#places) {
      place.crashing = undefined;
      place.isFailing = false;
      place.pausedUntilMs = Math.min(place.pausedUntilMs, this.nowMs);
      this.#resume(place);
    }
    const endMs = this.nowMs + HEALED_MS;
    let round = 0;
    while (this.#disorder() !== undefined) {
      must(this.nowMs < endMs, `all agree in the end, not ${this.#disorder()}`);
      if (round % 5 === 0)
        for (const place of this.#places) {
          this.#start(place);
          this.#connect(place);
        }
      if (round >= 25 && this.#isLost()) {
        this.counts.meshesLost += 1;
        return;
      }
      if (round >= 25 && round % 5 === 0) this.#operate();
      round += 1;
      this.#pass(1_000);
    }
  }

  /** Whether all who know a view are leaving, to heirs that are lost: then nobody is left who could go on. */
  #isLost(): boolean {
    return this.#places.every(({ node }) => node?.members.view === undefined || node.members.isStopped);
  }

  /** What the operator is asked to do: end a node whose heir is lost with its offer, and forget what runs nowhere. */
  #operate(): void {
    for (const place of this.#places) if (place.node?.members.isStopped) this.#crashForGood(place);
    this.#forget();
  }

  /** What is not in order, in words. */
  #disorder(): string | undefined {
    const running = this.#places.map(({ self }) => self).sort();
    const written = new Set<AccountId>();
    for (const place of this.#places) {
      const { node } = place;
      if (node === undefined) return `${place.self} does not run`;
      const { members } = node;
      const { view } = members;
      const now = this.#clock(place);
      if (view === undefined) return `${place.self} is not taken in`;
      if (view.number !== this.#newest?.number) return `${place.self} knows view ${view.number} only`;
      const nodes = view.members.map((member) => member.node).sort();
      if (nodes.join() !== running.join()) return `members are ${nodes}, running are ${running}`;
      if (members.isUndecided) return `${place.self} has voted or fenced`;
      if (members.isStopped) return `${place.self} is leaving`;
      if (members.lease(now) !== "held") return `${place.self} has no lease`;
      for (const account of members.writes()) written.add(account);
    }
    const accounts = [...running.map(accountOf), ...(this.#newest?.heirs ?? []).map(([account]) => account)];
    const orphan = accounts.find((account) => !written.has(account));
    return orphan && `${orphan} has no writer`;
  }

  // Chance and time.

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #anyPlace(): Place {
    const place = this.#places[this.#below(this.#places.length)];
    if (place === undefined) throw new Error("unreachable");
    return place;
  }

  #after(ms: number, run: () => void): void {
    this.#time.after(ms, run);
  }
}

/** What a voter's disk has of the pledges of others. */
function pledgesOn(disk: ReadonlyMap<string, unknown>): [string, unknown][] {
  return [...disk].filter(([key]) => key.startsWith("members/pledge"));
}

function concernsUnits(writes: ReadonlyMap<string, unknown>): boolean {
  for (const key of writes.keys()) if (key !== "app/tables") return true;
  return false;
}

/** Messages of members as they arrive in the product: packed, unpacked and checked. */
function throughCodec(message: Message): Message {
  if (!Object.hasOwn(memberShapes, message.kind)) return message;
  const decoded = codec.decode(codec.encode([message]));
  must(decoded.ok, `a ${message.kind} passes its shape, not ${decoded.ok || decoded.detail}`);
  return decoded.ok ? (decoded.messages[0] ?? message) : message;
}

function nameOf(index: number, generation: number): NodeId {
  return `n${index}.${generation}` as NodeId;
}
