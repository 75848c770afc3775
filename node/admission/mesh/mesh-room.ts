/**
 * One room at one node of the mesh: what the gate asks, and what other nodes ask.
 *
 * A new visitor is let in on an own slot when the locality's line is known to be empty; else the ticket counter is asked,
 * which is this node or a hop away. Sessions are extended by their home. Every second, slots that lie here without need
 * drift to where they are needed. With a mesh of one all of it comes down to `Admission`.
 *
 * Pure: time comes in, messages go out by the outbox, and nothing is told before what it rests on is on its way to the disk
 * (the shell commits before it sends).
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../../mesh/core/ids.ts";
import type { Resource, RowData } from "../../../mesh/core/ledger/row.ts";
import { slotsOf } from "../../../mesh/core/ledger/shares.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
import { minutePlus } from "../../../mesh/core/minute.ts";
import type { Question } from "../../../mesh/core/wire/calls.ts";
import type { Message } from "../../../mesh/core/wire/outbox.ts";
import { tellAll } from "../../../mesh/core/wire/tell-all.ts";
import type { Room } from "../../config/room.ts";
import { Admission, type AdmissionRecord, type Decision, type Restored } from "../admission.ts";
import type { LineSummary } from "../line.ts";
import { Pace } from "../pace/pace.ts";
import type { Revoked } from "../sessions.ts";
import {
  type CheckedData,
  type CheckInData,
  type CheckInMode,
  CheckIns,
  type Session,
  type Stay,
} from "./check-ins.ts";
import { type Answer, type Asked, Desk } from "./desk.ts";
import { waitingByMinute } from "./elsewhere.ts";
import { LineView } from "./line-view.ts";
import { type Both, NOTHING, OwnSlots } from "./own-slots.ts";
import { Partakers } from "./partakers.ts";
import { PendingEntries } from "./pending-entries.ts";
import { evenTarget, gateTarget, localityTarget, ON_THEIR_WAY_MS, type Place, type Scene } from "./placement.ts";
import { Revocations } from "./revocations.ts";
import { MeshRoomAccount } from "./room-account.ts";
import { everyNode, type Gauge, type RoomMesh } from "./room-mesh.ts";
import type { Site, Waiting } from "./sites.ts";
import { Spread } from "./spread.ts";
import { Window } from "./window.ts";

/** A decision, with the account at which the session is. */
export type MeshDecision =
  | Exclude<Decision, { kind: "admitted" }>
  /** `isKnown`: let in before, by another request of the same visitor. */
  | { readonly kind: "admitted"; readonly lastGood: Minute; readonly home: AccountId; readonly isKnown?: true }
  | { readonly kind: "used" };

type Told = (decision: MeshDecision, nowMs: number) => void;

/** How often the ticket counter tells its siblings of the line. Views older than 2 s count for nothing (line-view.ts). */
const LINE_MS = 500;
/** The same for an empty line. */
const EMPTY_LINE_MS = 1_000;
/** Polled keys collected before they are told at once; else they go with the next tick. */
const POLLS_MAX = 2_000;
/** How often slots drift. */
const DRIFT_MS = 1_000;
/** Below its target times this a node is topped up: moving slots to and fro costs gossip and gains nothing. */
const SHORT_PART = 0.7;
/** Above its target times this a gate gives back. */
const OVER_PART = 1.3;
const KEEP_NOTHING = { pairs: 0, each: NOTHING };
/** Answers remembered, so that a question that arrives twice is answered once. */
const ANSWERED_MAX = 2_000;
/** Attempts of a visitor who was told to go but whose slot had not come. */
const TRIES_MAX = 3;

/** Where a room's durable entries lie, followed by its id (and for revoked sessions, by theirs). */
export const ADMISSION_KEY = "admission";
export const LINE_KEY = "line";
export const REVOKED_KEY = "revoked";
export const RAMP_KEY = "ramp";

/** A visitor for whom the ticket counter is being asked. */
interface Asking {
  readonly id: string;
  readonly key: number;
  /** Times that they were told to go and found no slot. */
  readonly tries: number;
  readonly how: Asked[2];
}

export interface MeshRoomParts {
  readonly id: RoomId;
  readonly room: Room;
  readonly mesh: RoomMesh;
  readonly nowMs: number;
  /** When the room was made; now, if left out. */
  readonly createdMs?: number;
  /** What was on disk for this room. */
  readonly restored: Restored | undefined;
}

export class MeshRoom {
  readonly id: RoomId;
  readonly admission: Admission;
  /** How fast new visitors may come in; it is told how the origin does. */
  readonly pace: Pace;
  readonly #mesh: RoomMesh;
  readonly #account: MeshRoomAccount;
  readonly #slots: OwnSlots;
  readonly #partakers: Partakers;
  readonly #view = new LineView();
  readonly #desk: Desk;
  readonly #spreading: Spread;
  readonly #window: Window;
  readonly #checkIns: CheckIns;
  readonly #revocations: Revocations;
  readonly #pending: PendingEntries;
  readonly #answered = new Map<string, Message | undefined>();
  /** By queue key: visitors who polled here, and in how many seconds they were told to ask again. */
  readonly #polled = new Map<number, number>();
  /** By session id: those waiting for what the ticket counter says. */
  readonly #asking = new Map<string, Told[]>();
  #isCounter = false;
  #isLineSaved = true;
  #rampSaved: number;
  #saidMs = Number.NEGATIVE_INFINITY;
  #driftedMs = Number.NEGATIVE_INFINITY;
  #banks: { readonly of: ReadonlyMap<string, readonly NodeId[]>; readonly node: NodeId | undefined } | undefined;
  #counters: { readonly of: ReadonlyMap<string, readonly NodeId[]>; readonly ranked: readonly NodeId[] } | undefined;
  #waiting: { atMs: number; waiting: Waiting } = { atMs: Number.NEGATIVE_INFINITY, waiting: [] };

  constructor({ id, room, mesh, nowMs, createdMs = nowMs, restored }: MeshRoomParts) {
    this.id = id;
    this.#mesh = mesh;
    this.#account = new MeshRoomAccount({
      id,
      mesh,
      room: () => this.#slots?.room ?? room,
      admittedInMinute: () => this.admission.record.admittedInMinute,
    });
    const { minuteMs } = mesh;
    const startMs = restored?.rampStartMs ?? createdMs;
    const activeMs = restored?.record === undefined ? nowMs : restored.record.minute * minuteMs;
    this.pace = new Pace(room, { startMs, activeMs, nowMs, minuteMs });
    this.#rampSaved = restored?.rampStartMs ?? 0;
    const admission = new Admission(room, {
      account: this.#account,
      minuteMs,
      nowMs,
      restored,
      brake: this.pace,
      sessionMinutesMost: () => mesh.sessionMinutesMost,
    });
    this.admission = admission;
    this.#pending = new PendingEntries(admission);
    this.#slots = new OwnSlots(id, room, { mesh, admission });
    const waiting = (): Waiting => this.#waiting.waiting;
    this.#desk = new Desk({ id, mesh, admission, slots: this.#slots, waiting, bank: () => this.#bank() });
    this.#partakers = new Partakers(id, mesh);
    this.#spreading = new Spread({
      ...{ id, mesh, partakers: this.#partakers, elsewhere: this.#desk.elsewhere },
      bank: () => this.#bank(),
    });
    this.#window = new Window({ id, mesh, slots: this.#slots, desk: this.#desk, partakers: this.#partakers });
    const release = (session: string, home: AccountId, atMs: number): void => {
      this.#revokeHere(session, home, atMs);
    };
    this.#revocations = new Revocations({ id, mesh, release });
    this.#checkIns = new CheckIns({
      id,
      mesh,
      sessionDuration: () => this.room.sessionDuration,
      here: (session, mode, nowMs) => this.#checkInHere(session, mode, nowMs),
    });
  }

  get room(): Room {
    return this.#slots.room;
  }

  /** Puts a changed room in force here; `atMs` is when it was changed. */
  configure(room: Room, atMs = 0): void {
    this.pace.configure(room, isHeld(this.room) && !isHeld(room), atMs);
    this.#slots.room = room;
    this.#account.reset();
    this.admission.configure(room);
  }

  /** The ticket counter of this room in this locality, then its stand-ins. */
  counters(): readonly NodeId[] {
    const nodes = this.#partakers.nodes();
    if (this.#counters?.of !== nodes) this.#counters = { of: nodes, ranked: this.#window.counters() };
    return this.#counters.ranked;
  }

  /** The ticket counter of this room in any locality, then its stand-ins. */
  countersIn(locality: string): readonly NodeId[] {
    return this.#window.counters(locality);
  }

  /** The time of a group of pots is over: its units are own ones from now on, and its sessions rest on them. */
  settlePot(group: string): void {
    if (this.admission.settlePot(group)) this.#touch();
  }

  /** Whether no number bounds what is held here: slots decide nothing. */
  get isUnbounded(): boolean {
    return this.#decidesAlone || this.room.queueingMethod === "passthrough";
  }

  /** Visitors who have a slot and wait until one session more may be held here. */
  get pending(): number {
    return this.#pending.size;
  }

  /** More may be held, or some time has passed: lets in those who wait for that. */
  workPending(nowMs: number): void {
    this.#pending.work(nowMs);
  }

  /** A removed node has returned and says what it held: its accounts, which were in a group of pots, are own ones from now on. */
  hearOut(group: string, said: Parameters<Admission["hearOut"]>[1], nowMs: number): void {
    this.admission.hearOut(group, said, nowMs);
    for (const { id, lastGood } of said.revoked) this.#mesh.outbox.put(`${REVOKED_KEY}/${this.id}/${id}`, lastGood);
    this.#touch();
  }

  /** The disk has lost admissions: all own slots count as held, and that many unknown sessions are acknowledged. */
  holdAll(nowMs: number): void {
    this.admission.holdAll(slotsOf(this.room.totalActiveUsers, this.#slots.units(nowMs).active), nowMs);
    this.#touch();
  }

  /** Takes over the sessions of a node that left. */
  takeOver({ record, revoked }: { record: AdmissionRecord; revoked: readonly Revoked[] }, nowMs: number): void {
    this.admission.takeOver(record, revoked, nowMs);
    for (const { id, lastGood } of revoked) this.#mesh.outbox.put(`${REVOKED_KEY}/${this.id}/${id}`, lastGood);
    this.#touch();
  }

  /** Visitors waiting in this locality's line, as far as known here. */
  get waitingHere(): number {
    return this.#isLocal() || this.#decidesAlone ? this.admission.waiting : this.#view.size;
  }

  /** Whether a request that takes neither slot nor place may pass: while nobody would have to wait. */
  isOpen(nowMs: number): boolean {
    if (this.#decidesAlone || this.room.queueAll || this.#isSpecial()) return this.admission.isOpen(nowMs);
    return this.waitingHere < this.#desk.elsewhere.pairs(nowMs);
  }

  /** A visitor without a good cookie. */
  arrive(id: string, nowMs: number, told: Told): void {
    this.admission.countSeen(nowMs);
    this.pace.noteVisitor(nowMs);
    this.#enter({ id, key: 0, tries: 0, how: "first" }, nowMs, told);
  }

  /** A visitor with a place in line. */
  poll(id: string, key: number, nowMs: number, told: Told): void {
    const known = this.admission.knownAs(id, nowMs);
    if (known !== undefined) {
      told(known.kind === "used" ? known : { ...known, home: accountOf(this.#mesh.self), isKnown: true }, nowMs);
      return;
    }
    const counter = this.counters()[0] ?? this.#mesh.self;
    const answersHere = counter === this.#mesh.self || this.#decidesAlone || this.#isSpecial();
    if (answersHere || !this.#view.isFresh(counter, nowMs) || this.#view.isCalled(key) || this.#view.size === 0) {
      this.#enter({ id, key, tries: 0, how: "first" }, nowMs, told);
      return;
    }
    const place = this.admission.placeAt(key, this.#view.positionOf(key), nowMs);
    this.#polled.set(key, this.admission.pauseSeconds(place));
    if (this.#polled.size >= POLLS_MAX) this.#tellPolls();
    told({ kind: "waiting", place }, nowMs);
  }

  /** A session's first request in a minute. */
  checkIn(session: Session, nowMs: number, told: (stay: Stay, nowMs: number) => void): void {
    if (this.admission.isRevoked(session.id)) {
      told({ kind: "revoked" }, nowMs);
      return;
    }
    this.#checkIns.ask(session, { minute: this.admission.minuteAt(nowMs), nowMs }, told);
  }

  /** Whether nobody can speak for an account's sessions now: its writer does not answer. */
  isSilent(home: AccountId): boolean {
    const writer = this.#mesh.writerOf(home);
    return writer === undefined || !this.#mesh.isAlive(writer);
  }

  /** Takes back an admission by this gate that could not be stored, and of which the visitor was not told. */
  withdraw(id: string): void {
    if (this.admission.withdraw(id)) this.#touch();
  }

  /** The origin ended a session, whose home may be another node. Returns whether that is news here. */
  revoke(id: string, home: AccountId, nowMs: number): boolean {
    if (this.#mesh.others.length === 0 && !this.#mesh.mayOthersRunOn) return this.#revokeHere(id, home, nowMs);
    if (!this.#refuse(id, nowMs)) return false;
    this.#revocations.begin(id, home, nowMs);
    return true;
  }

  /** A message of another member about this room, of a checked shape. */
  receive(from: NodeId, message: RoomMessage, nowMs: number): void {
    switch (message.kind) {
      case "ask":
        this.#standIn(nowMs);
        this.#answerOnce(from, message, (reply) =>
          this.#desk.ask({ ...message, from }, nowMs, ({ answers, row }) =>
            reply({ kind: "told", answers, ...(row && { row }) } as Message),
          ),
        );
        break;
      case "recall":
        this.#answerOnce(from, message, (reply) => {
          const locality = this.#mesh.localityOf(from);
          const to = { node: from, locality: locality ?? "", joined: message.joined };
          const lent = locality === undefined ? undefined : this.#desk.lend(to, message, nowMs);
          reply({ kind: "lent", ...(lent?.row && { row: lent.row }), free: lent?.free ?? NOTHING } as Message);
        });
        break;
      case "check-in":
        this.#answerOnce(from, message, (reply) => {
          const checked = message.sessions.map(([id, home, lastGood, mode]) =>
            this.#checkInHere({ id, home, lastGood }, mode, nowMs),
          );
          reply({ kind: "checked", checked } as Message);
        });
        break;
      case "gift":
        this.#mesh.receive(from, message.row);
        break;
      case "line":
        this.#hearLine(from, message, nowMs);
        break;
      case "polls":
        this.#standIn(nowMs);
        this.admission.notePolls(message.keys, nowMs, message.pauses);
        break;
      case "revoke":
        this.#refuse(message.id, nowMs);
        this.#mesh.outbox.send(from, { kind: "noted", call: message.call } as Message);
        break;
      case "release":
        this.#revokeHere(message.id, message.home, nowMs);
    }
  }

  /** What this node has free, and the line if it is the counter: told to all others when it changes. */
  gauge(nowMs: number): Gauge {
    const { active, arrivals } = this.#slots.free(nowMs);
    const { admission } = this;
    return {
      active,
      arrivals,
      mayAct: this.#mesh.mayAct(this.id),
      waiting: this.#isCounter ? this.#waiting.waiting : [],
      inside: admission.inside(nowMs) + admission.insidePots(nowMs),
      admitted: admission.admittedInMinute(nowMs),
      minute: admission.minuteAt(nowMs),
      rampStartMs: this.pace.startMs,
    };
  }

  /** Housekeeping, twice a second. */
  tick(nowMs: number): void {
    for (const id of this.admission.tick(nowMs)) this.#mesh.outbox.put(`${REVOKED_KEY}/${this.id}/${id}`, undefined);
    this.#revocations.tick(nowMs);
    this.#saveLine();
    this.#keepPace(nowMs);
    if (this.#decidesAlone) return;
    this.#partakers.refresh();
    this.#turnCounter(nowMs);
    const summary = this.#isCounter ? this.admission.lineSummary : this.#view.summary;
    this.#waiting = { atMs: nowMs, waiting: waitingByMinute(summary, this.#mesh.minuteMs) };
    if (this.#isCounter) {
      this.#desk.tick(nowMs);
      this.#sayLine(nowMs);
    } else {
      this.#desk.tick(nowMs);
      this.#tellPolls();
    }
    if (nowMs - this.#driftedMs < DRIFT_MS && nowMs >= this.#driftedMs) return;
    this.#driftedMs = nowMs;
    this.#drift(nowMs);
  }

  /** Looks at how fast new visitors may come in, by what all nodes say of the room. */
  #keepPace(nowMs: number): void {
    const { pace, admission } = this;
    if (!pace.isInUse) return;
    const minute = admission.minuteAt(nowMs);
    let inside = admission.inside(nowMs) + admission.insidePots(nowMs);
    let admitted = admission.admittedInMinute(nowMs);
    for (const told of this.#toldByOthers()) {
      inside += told.inside;
      if (told.minute === minute) admitted += told.admitted;
      pace.hear(told.rampStartMs, nowMs);
    }
    const isLine = this.waitingHere > 0 || this.#desk.elsewhere.isLineElsewhere();
    const seen = Math.max(this.#seen(minute), this.#seen(minutePlus(minute, -1)));
    pace.tick({ inside, admitted, seen, isLine }, nowMs);
    if (pace.startMs === this.#rampSaved) return;
    this.#rampSaved = pace.startMs;
    this.#mesh.outbox.put(`${RAMP_KEY}/${this.id}`, pace.startMs);
  }

  /** What the others that answer say of this room: each for itself, or in a large mesh one digest for all of another locality. */
  #toldByOthers(): (Gauge | Site)[] {
    const { self } = this.#mesh;
    const sites = this.#mesh.sites(this.id);
    return [...this.#mesh.alive()].flatMap(([locality, nodes]): (Gauge | Site)[] => {
      const site = sites?.get(locality);
      if (site !== undefined) return [site];
      return nodes.flatMap((node) => (node === self ? [] : (this.#mesh.gauge(node, this.id) ?? [])));
    });
  }

  /** New visitors that all nodes saw in a minute. */
  #seen(minute: Minute): number {
    return [...this.#mesh.seen(this.id, minute).values()].reduce((sum, seen) => sum + seen, 0);
  }

  /** The line as it was may lag on disk by a tick: that costs a position its exactness, never a place. */
  #saveLine(): void {
    if (this.admission.waiting === 0 && !this.#isLineSaved) return;
    this.#isLineSaved = this.admission.waiting > 0;
    this.#mesh.outbox.putLater(`${LINE_KEY}/${this.id}`, () => this.admission.lineSummary);
  }

  /** Before a stop: everything free goes to who can use it. */
  giveAway(nowMs: number): void {
    const { self } = this.#mesh;
    const heir = [...this.counters(), ...everyNode(this.#mesh.alive())].find((node) => node !== self);
    if (heir !== undefined && !this.#decidesAlone) this.#gift(heir, this.#slots.giveSurplus(heir, KEEP_NOTHING, nowMs));
  }

  get #decidesAlone(): boolean {
    return this.room.slotPolicy !== "counter";
  }

  /** A room that takes nobody, or everybody: no slot decides. */
  #isSpecial(): boolean {
    return !this.room.queueAll && this.room.queueingMethod !== "fifo";
  }

  /** Whether this node keeps the line itself. */
  #isLocal(): boolean {
    return (this.counters()[0] ?? this.#mesh.self) === this.#mesh.self;
  }

  #enter(visitor: Asking, nowMs: number, told: Told): void {
    const { id, key, how } = visitor;
    if (this.#decidesAlone || this.#isSpecial()) {
      const entry = this.admission.enter(key === 0 ? undefined : key, nowMs, this.admission.free(nowMs));
      if (entry.kind === "go") this.#admit(id, nowMs, told);
      else told(entry, nowMs);
      return;
    }
    if (key === 0 && how !== "place" && this.#maySkipCounter(nowMs)) {
      this.#admit(id, nowMs, told);
      return;
    }
    // Two polls of one visitor at once are one question: two would take two slots, or leave a place that nobody polls for.
    const asking = this.#asking.get(id);
    if (asking !== undefined) {
      asking.push(told);
      return;
    }
    const tellers = [told];
    this.#asking.set(id, tellers);
    // Of a counter that is gone the line is known here: who comes first must not find an empty one.
    if (this.#isLocal()) this.#standIn(nowMs);
    // Who cannot let them in takes no slot for them.
    const mayAdmit = this.#mesh.mayAct(this.id) && this.pace.holding?.perMinute !== 0;
    const asked: Asked = [id, key, mayAdmit ? how : "place"];
    this.#window.ask(asked, nowMs, (answer, thenMs) => {
      this.#asking.delete(id);
      this.#hearAnswer(visitor, answer, thenMs, (decision, atMs) => {
        tellAll(tellers, (tell) => tell(decision, atMs));
      });
    });
  }

  /** New visitors don't overtake a line that this gate has heard of, nor one it may not have heard of. */
  #maySkipCounter(nowMs: number): boolean {
    const counter = this.counters()[0] ?? this.#mesh.self;
    if (counter === this.#mesh.self || this.room.queueAll) return false;
    if (this.#view.size > 0 || !this.#view.isFresh(counter, nowMs)) return false;
    if (this.#pending.size > 0 || !this.admission.mayHoldMore(nowMs)) return false;
    return this.#slots.pairs(nowMs) > 0 && !this.#desk.elsewhere.isLineElsewhere();
  }

  #hearAnswer(visitor: Asking, answer: Answer | undefined, nowMs: number, told: Told): void {
    const { id } = visitor;
    if (answer === undefined) told({ kind: "full" }, nowMs);
    else if (answer.kind === "inside" && answer.home !== accountOf(this.#mesh.self))
      this.#insideElsewhere(visitor, answer.home, nowMs, told);
    else if (answer.kind === "go" || answer.kind === "inside") {
      const known = this.admission.knownAs(id, nowMs);
      if (known !== undefined) this.#admit(id, nowMs, told);
      else if (this.admission.free(nowMs) > 0) this.#admitSoon(visitor, nowMs, told);
      // The slot was used meanwhile, or has not come: asks again, in the end for a place in line.
      else this.#again(visitor, visitor.how, nowMs, told);
    } else if (answer.kind === "waiting") {
      const { key, position } = answer;
      // The ticket counter knows best what it has free, and by when it expects the next poll.
      const place =
        answer.wait === undefined
          ? this.admission.placeAt(key, position, nowMs)
          : { key, position, wait: answer.wait ?? undefined };
      told({ kind: "waiting", place }, nowMs);
    } else told(answer, nowMs);
  }

  /**
   * Let in at another gate, by another poll under way: the same session. Or sent there, and lost with that gate: then anew,
   * as a session that nobody admitted has no claim to anybody's slot.
   */
  #insideElsewhere(visitor: Asking, home: AccountId, nowMs: number, told: Told): void {
    const { id } = visitor;
    const lastGood = this.admission.minuteAt(nowMs);
    this.#checkIns.askKnown({ id, home, lastGood }, nowMs, (known, thenMs) => {
      if (known === "used") told({ kind: "used" }, thenMs);
      else if (known !== undefined) told({ kind: "admitted", lastGood: known, home }, thenMs);
      else this.#again(visitor, "anew", thenMs, told);
    });
  }

  /** Asks once more; in the end for a place in line, which is always to be had unless the line is full. */
  #again(visitor: Asking, how: Asked[2], nowMs: number, told: Told): void {
    const tries = visitor.tries + 1;
    if (visitor.how === "place" || !this.#mesh.mayAct(this.id)) told({ kind: "full" }, nowMs);
    else this.#enter({ ...visitor, tries, how: tries < TRIES_MAX ? how : "place" }, nowMs, told);
  }

  /** Lets a visitor in on a free slot, at once or as soon as one session more may be held here. */
  #admitSoon(visitor: Asking, nowMs: number, told: Told): void {
    const { id, how } = visitor;
    const admit = (atMs: number): void => {
      const isFree = this.admission.free(atMs) > 0 || this.admission.knownAs(id, atMs) !== undefined;
      if (isFree) this.#admit(id, atMs, told);
      else this.#again(visitor, how, atMs, told);
    };
    const giveUp = (atMs: number): void => this.#again({ ...visitor, tries: TRIES_MAX }, how, atMs, told);
    this.#pending.add({ admit, giveUp }, nowMs);
    if (this.#pending.size > 0) this.#mesh.touched(this.id);
  }

  #admit(id: string, nowMs: number, told: Told): void {
    const known = this.admission.knownAs(id, nowMs);
    if (known?.kind === "used") {
      told(known, nowMs);
      return;
    }
    const { lastGood } = known ?? this.admission.admit(id, nowMs);
    this.#touch();
    told({ kind: "admitted", lastGood, home: accountOf(this.#mesh.self) }, nowMs);
  }

  #checkInHere({ id, home, lastGood }: Session, mode: CheckInMode, nowMs: number): CheckedData {
    if (mode === "known") {
      const known = this.admission.knownAs(id, nowMs);
      return known === undefined ? "not-mine" : known.kind === "used" ? "used" : known.lastGood;
    }
    const adopt = mode === "adopt";
    if (!(adopt ? this.#mesh.mayAct(this.id) : this.#mesh.mayExtend())) return "later";
    const isMine = this.#mesh.writerOf(home) === this.#mesh.self;
    const group = this.#mesh.potOf(home);
    const { admission } = this;
    const isHereOrAdopted = adopt || (isMine && group === undefined);
    const checked = adopt
      ? admission.adopt(id, lastGood, nowMs)
      : !isMine
        ? ({ kind: "not-mine" } as const)
        : group === undefined
          ? admission.checkIn(id, lastGood, nowMs)
          : admission.checkInPot(group, { id, home, lastGood }, nowMs);
    // It may be for want of a ceiling alone: that is raised, and it is asked again.
    if (checked.kind === "not-mine" && isHereOrAdopted && !admission.mayHoldMore(nowMs) && admission.free(nowMs) > 0) {
      this.#mesh.touched(this.id);
      return "later";
    }
    if (checked.kind !== "acknowledged") return checked.kind;
    this.#touch();
    return checked.lastGood;
  }

  /** Returns whether it was not refused before. */
  #refuse(id: string, nowMs: number): boolean {
    const lastGood = minutePlus(this.admission.minuteAt(nowMs), this.#mesh.refusedMinutes);
    if (!this.admission.refuse({ id, lastGood })) return false;
    this.#mesh.outbox.put(`${REVOKED_KEY}/${this.id}/${id}`, lastGood);
    return true;
  }

  /** On disk before its slot is free, so that no restart lets its cookie take another one's. */
  #revokeHere(id: string, home: AccountId, nowMs: number): boolean {
    const isRefused = this.admission.isRevoked(id);
    const revoked = this.admission.revoke(id, nowMs, this.#mesh.potOf(home));
    if (revoked === undefined) return false;
    if (!isRefused) this.#mesh.outbox.put(`${REVOKED_KEY}/${this.id}/${id}`, revoked.lastGood);
    this.#touch();
    return true;
  }

  #touch(): void {
    this.#mesh.touched(this.id);
    this.#mesh.outbox.putLater(`${ADMISSION_KEY}/${this.id}`, () => this.admission.record);
  }

  #hearLine(from: NodeId, { line, letIn, isParting }: LineMessage, nowMs: number): void {
    if (this.#isLocal()) {
      if (isParting) this.#succeed(line, nowMs);
      return;
    }
    // Of one that wrongly took itself for the counter, as at a start, nothing is believed while the counter is heard.
    const [counter = from] = this.counters();
    if (from !== counter && this.#view.isFresh(counter, nowMs)) return;
    this.#view.hear(from, line, nowMs);
    // What this node kept as a stand-in, or before a restart, is the counter's: two lines would pull the slots to and fro.
    const isRightful = from === this.counters()[0] && !this.#isCounter && !this.#decidesAlone;
    if (isRightful && this.admission.waiting > 0) this.admission.followLine(undefined, nowMs);
    this.admission.followLetIn(letIn);
  }

  /** The counter before this one hands over its line; visitors who have polled here meanwhile keep their places in it. */
  #succeed(line: LineSummary, nowMs: number): void {
    const own = this.admission.heardKeys(POLLS_MAX);
    this.admission.followLine(line, nowMs);
    this.admission.notePolls(own, nowMs);
  }

  /** Who becomes the counter goes on with the newest line it has heard of; who is it no more drops its own. */
  #turnCounter(nowMs: number): void {
    const isCounter = this.#isLocal();
    if (isCounter) this.#standIn(nowMs);
    // Some have polled here before, by gates that knew of it sooner: they are a part of the line, not all of it.
    if (isCounter && !this.#isCounter && this.#view.size > this.admission.waiting)
      this.#succeed(this.#view.summary, nowMs);
    if (!isCounter && this.#isCounter) {
      this.#view.hear(this.#mesh.self, this.admission.lineSummary, nowMs);
      this.#saidMs = Number.NEGATIVE_INFINITY;
      this.#sayLine(nowMs, true);
      this.admission.followLine(undefined, nowMs);
    }
    this.#isCounter = isCounter;
  }

  /** Asked as ticket counter, which this node may not know itself to be: it goes on with the line that it has heard of. */
  #standIn(nowMs: number): void {
    if (!this.#isCounter && this.admission.waiting === 0 && this.#view.size > 0)
      this.admission.followLine(this.#view.summary, nowMs);
  }

  #sayLine(nowMs: number, isParting = false): void {
    const ageMs = nowMs - this.#saidMs;
    if (ageMs >= 0 && ageMs < (this.admission.waiting > 0 ? LINE_MS : EMPTY_LINE_MS) - LINE_MS / 2) return;
    this.#saidMs = nowMs;
    const { lineSummary: line, letIn } = this.admission;
    const message = { kind: "line", room: this.id, line, letIn, isParting } as Message;
    for (const sibling of this.#siblings()) this.#mesh.outbox.send(sibling, message);
  }

  #tellPolls(): void {
    const counter = this.counters()[0];
    if (this.#polled.size === 0) return;
    if (counter !== undefined && counter !== this.#mesh.self)
      this.#mesh.outbox.send(counter, {
        kind: "polls",
        room: this.id,
        keys: [...this.#polled.keys()],
        pauses: [...this.#polled.values()],
      } as Message);
    this.#polled.clear();
  }

  #siblings(): readonly NodeId[] {
    return (this.#mesh.alive().get(this.#mesh.locality) ?? []).filter((node) => node !== this.#mesh.self);
  }

  /** Moves slots that lie here without need: to the counter, from it to gates, from it to other localities' counters. */
  #drift(nowMs: number): void {
    if (!this.#mesh.mayAct(this.id)) return;
    const { self } = this.#mesh;
    const kept = this.#spreadUnpaired(nowMs);
    const [counter = self] = this.counters();
    if (counter !== self) {
      const isLine = this.#view.size > 0 || this.#desk.elsewhere.isLineElsewhere();
      const scene = this.#scene(nowMs);
      const target = isLine ? 0 : gateTarget(scene, this.#seenAt(self, nowMs));
      const isOver = this.#slots.pairs(nowMs) > target * OVER_PART;
      const pairs = isOver ? Math.floor(target) : this.#slots.pairs(nowMs);
      // A line is called by what its counter has: what is scarce goes there, what there is plenty of is sent for.
      const even = isLine ? NOTHING : evenTarget(scene);
      const each = {
        active: Math.max(even.active, kept.active && pairs + kept.active),
        arrivals: Math.max(even.arrivals, kept.arrivals && pairs + kept.arrivals),
      };
      this.#gift(counter, this.#slots.giveSurplus(counter, { pairs, each }, nowMs));
      return;
    }
    this.#giveFraction(nowMs);
    if (this.waitingHere > 0) return;
    const scene = this.#scene(nowMs);
    for (const sibling of this.#siblings()) if (this.#partakers.mayReceive(sibling)) this.#topUp(sibling, scene, nowMs);
    const bank = this.#bank();
    if (bank !== undefined && bank !== self) {
      this.#toBank(bank, scene, kept, nowMs);
      return;
    }
    if (this.#desk.elsewhere.isLineElsewhere()) return;
    for (const locality of this.#mesh.alive().keys())
      if (locality !== this.#mesh.locality) this.#spread(scene, locality, nowMs);
  }

  /** What cannot be used now lies evenly. Returns how much of each resource this node keeps beyond its pairs. */
  #spreadUnpaired(nowMs: number): Both {
    const limits = { active: this.room.totalActiveUsers, arrivals: this.admission.arrivalsLimit(nowMs) };
    const { sendings, kept } = this.#spreading.look(this.#slots.free(nowMs), limits, nowMs);
    for (const { to, slots } of sendings) this.#gift(to, this.#slots.give(to, { slots, units: NOTHING }, nowMs));
    return kept;
  }

  /** Where there are many localities, the node by which slots pass between them: the ticket counter of the first one on the ring. */
  #bank(): NodeId | undefined {
    if (!this.#mesh.hasBanks) return undefined;
    const nodes = this.#partakers.nodes();
    if (this.#banks?.of !== nodes) {
      const [locality = this.#mesh.locality] = ranked(`bank ${this.id}`, nodes.keys() as Iterable<never>) as string[];
      this.#banks = { of: nodes, node: this.#window.counters(locality)[0] };
    }
    return this.#banks.node;
  }

  /** What this locality has beyond its need goes to the bank: while somebody waits elsewhere, all but its reserve. */
  #toBank(bank: NodeId, scene: Scene, unpaired: Both, nowMs: number): void {
    if (!this.#partakers.mayReceive(bank)) return;
    const { locality } = this.#mesh;
    const { elsewhere } = this.#desk;
    const here = elsewhere.freeIn(locality, nowMs);
    const own = this.#slots.free(nowMs);
    const isLine = elsewhere.isLineElsewhere();
    const joined = this.admission.minuteAt(nowMs);
    const place = this.#placeOf(locality, nowMs);
    const kept = isLine
      ? elsewhere.keptBack(locality, this.room, { joined, here: [], nowMs })
      : localityTarget(scene, place) * OVER_PART;
    const even = isLine ? NOTHING : evenTarget(scene);
    const spare = (resource: Resource): number => {
      const each = Math.max(even[resource] * OVER_PART, unpaired[resource]) * place.nodes;
      return Math.max(0, Math.min(own[resource], Math.floor(here[resource] - Math.max(kept, each))));
    };
    this.#giveUpTo(bank, { free: NOTHING, target: { active: spare("active"), arrivals: spare("arrivals") } }, nowMs);
  }

  /** Fractions of a slot, which no locality can use, come together at one counter of the room. */
  #giveFraction(nowMs: number): void {
    const { self } = this.#mesh;
    const [root = self] = this.#mesh.hasBanks ? [this.#bank()] : ranked(this.id, everyNode(this.#partakers.nodes()));
    if (root !== self && this.#partakers.mayReceive(root)) this.#gift(root, this.#slots.giveFractions(root, nowMs));
  }

  /** Brings a gate that is short of its target up to it. */
  #topUp(node: NodeId, scene: Scene, nowMs: number): void {
    const free = this.#desk.elsewhere.freeAt(node, nowMs);
    const target = gateTarget(scene, this.#seenAt(node, nowMs));
    if (Math.min(free.active, free.arrivals) >= target * SHORT_PART) return;
    const pairs = Math.floor(target);
    this.#giveUpTo(node, { free, target: { active: pairs, arrivals: pairs } }, nowMs);
  }

  #spread(scene: Scene, locality: string, nowMs: number): void {
    const free = this.#desk.elsewhere.freeIn(locality, nowMs);
    const target = localityTarget(scene, this.#placeOf(locality, nowMs));
    const nodes = (this.#partakers.nodes().get(locality) ?? []).filter((node) => this.#partakers.mayReceive(node));
    const [first] = nodes;
    if (first === undefined) return;
    if (Math.min(free.active, free.arrivals) >= target * SHORT_PART) return;
    // What this locality is to have itself is not given away.
    const here = localityTarget(scene, this.#placeOf(this.#mesh.locality, nowMs));
    const own = this.#desk.elsewhere.freeIn(this.#mesh.locality, nowMs);
    const spare = Math.floor(Math.min(own.active, own.arrivals) - here);
    const needed = Math.floor(target) - Math.min(free.active, free.arrivals);
    if (spare <= 0 || needed <= 0) return;
    const pairs = Math.min(free.active, free.arrivals) + Math.min(spare, needed);
    this.#giveUpTo(first, { free, target: { active: pairs, arrivals: pairs } }, nowMs);
  }

  #giveUpTo(node: NodeId, { free, target }: { free: Both; target: Both }, nowMs: number): void {
    const slots = {
      active: Math.max(0, target.active - free.active),
      arrivals: Math.max(0, target.arrivals - free.arrivals),
    };
    if (slots.active + slots.arrivals === 0) return;
    const row = this.#slots.give(node, { slots, units: { active: 0, arrivals: 0 } }, nowMs);
    if (row !== undefined) this.#desk.elsewhere.noteSent(node, slots, nowMs);
    this.#gift(node, row);
  }

  #gift(to: NodeId, row: RowData | undefined): void {
    if (row !== undefined) this.#mesh.outbox.send(to, { kind: "gift", room: this.id, row } as Message);
  }

  #scene(nowMs: number): Scene {
    const free = this.#desk.elsewhere.free(nowMs);
    const freePairs = Math.min(free.active, free.arrivals);
    const { totalActiveUsers, curveFactor } = this.room;
    let seen = this.#mesh.sites(this.id)?.seen ?? 0;
    for (const locality of [this.#mesh.locality, ...this.#desk.elsewhere.unheard()])
      seen += this.#placeOf(locality, nowMs).seen;
    const utilization = 1 - Math.min(1, freePairs / totalActiveUsers);
    const needed = seen * Math.min(1, ON_THEIR_WAY_MS / this.#mesh.minuteMs);
    return { freePairs, free, utilization, curveFactor, nodes: this.#partakers.count, seen, needed };
  }

  /** The nodes of a locality that take part, and the new visitors they saw last minute. */
  #placeOf(locality: string, nowMs: number): Place {
    const minute = minutePlus(this.admission.minuteAt(nowMs), -1);
    const nodes = this.#partakers.nodes().get(locality) ?? [];
    const site = this.#mesh.sites(this.id)?.get(locality);
    const seen = site?.seen ?? nodes.reduce((sum, node) => sum + this.#mesh.seenAt(this.id, node, minute), 0);
    return { nodes: nodes.length, seen };
  }

  /** New visitors that a node of this locality saw last minute; none where it takes no part yet. */
  #seenAt(node: NodeId, nowMs: number): number {
    if (this.#partakers.nodes().get(this.#mesh.locality)?.includes(node) !== true) return 0;
    return this.#mesh.seenAt(this.id, node, minutePlus(this.admission.minuteAt(nowMs), -1));
  }

  /** A question that arrives twice gets the same answer twice, and does what it asks for once. */
  #answerOnce(from: NodeId, { call }: Question, act: (reply: (answer: Message) => void) => void): void {
    const key = `${from} ${call}`;
    if (this.#answered.has(key)) {
      const answer = this.#answered.get(key);
      if (answer !== undefined) this.#mesh.outbox.send(from, answer);
      return;
    }
    this.#answered.set(key, undefined);
    if (this.#answered.size > ANSWERED_MAX) this.#answered.delete(this.#answered.keys().next().value ?? "");
    act((answer) => {
      const numbered = { ...answer, call } as Question;
      this.#answered.set(key, numbered);
      this.#mesh.outbox.send(from, numbered);
    });
  }
}

/** Whether a room lets nobody in, or is out of force: when that ends, its origin is cold. */
function isHeld({ queueAll, suspended, queueingMethod }: Room): boolean {
  return queueAll || suspended || queueingMethod === "reject";
}

interface LineMessage {
  readonly kind: "line";
  readonly line: LineSummary;
  readonly letIn: readonly number[];
  /** From a ticket counter that is it no more. */
  readonly isParting: boolean;
}

/** Messages between the rooms of two nodes. Their shapes are checked on arrival (room-messages.ts). */
export type RoomMessage =
  | (Question & { kind: "ask"; asked: readonly Asked[]; free: Both; units: Both })
  | (Question & { kind: "recall"; slots: Both; units: Both; joined: Minute })
  | (Question & { kind: "check-in"; sessions: readonly CheckInData[] })
  | { readonly kind: "gift"; readonly row: RowData }
  | LineMessage
  | { readonly kind: "polls"; readonly keys: readonly number[]; readonly pauses?: readonly number[] }
  | (Question & { kind: "revoke"; id: string })
  | { readonly kind: "release"; readonly id: string; readonly home: AccountId };
