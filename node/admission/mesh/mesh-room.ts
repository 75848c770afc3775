/**
 * One room at one node of the mesh: what the gate asks, and what other nodes ask.
 *
 * A visitor gets in by the entrance (entrance.ts), whose ticket client (ticket-client.ts) asks the ticket counter
 * (ticket-counter.ts). The line is kept by line-keeper.ts. Sessions are extended (check-ins.ts) and ended
 * (revocations.ts) by their home (session-home.ts). Every second, slots that lie here without need drift to where they
 * are needed (drift.ts). With a mesh of one all of it comes down to `Admission`.
 *
 * Pure: time comes in, messages go out through the outbox, and no answer leaves before what it depends on is on disk
 * (the shell commits before it sends).
 */

import type { AccountId, Minute, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { slotsOf } from "../../../mesh/core/ledger/shares.ts";
import type { Room } from "../../config/room.ts";
import { Admission } from "../admission.ts";
import { type AdmissionRecord, potsIn, type Restored } from "../admission-record.ts";
import { DrawnPlaces } from "../draw/drawn-places.ts";
import { Pace } from "../pace/pace.ts";
import { orderOfRoom, type QueueOrder } from "../queue-order.ts";
import { decidesAlone, eventStartMs, isHeld, isHeldByOperator, isNewEvent, type RoomConfig } from "../room-config.ts";
import type { RoomSessions } from "../room-sessions.ts";
import type { Revoked } from "../sessions.ts";
import type { Member, Site } from "../site.ts";
import { AnswerOnce } from "./answer-once.ts";
import { type CheckInOutcome, CheckIns, type Session } from "./check-ins.ts";
import { Contacts } from "./contacts.ts";
import { Counters, Participants } from "./counters.ts";
import { Drift } from "./drift.ts";
import { type Coming, Entrance, type OnDecision } from "./entrance.ts";
import { HelpDesk } from "./help-desk.ts";
import { LeftPlaces } from "./left-places.ts";
import { LineKeeper } from "./line-keeper.ts";
import { keyOffsetOf } from "./line-places.ts";
import { MeshRoomAccount, NOTHING, OwnSlots } from "./own-slots.ts";
import { PaceKeeper } from "./pace-keeper.ts";
import { type Claim, PassClaims } from "./pass-claims.ts";
import { PendingEntries } from "./pending-entries.ts";
import { Revocations } from "./revocations.ts";
import type { RoomRequest } from "./room-messages.ts";
import type { Gauge, RoomNode } from "./room-node.ts";
import { AdmissionWriter, isSilent, SessionHome } from "./session-home.ts";
import { memberOf, siteOf } from "./site-share.ts";
import { TicketClient } from "./ticket-client.ts";
import { TicketCounter } from "./ticket-counter.ts";

export interface MeshRoomParts {
  readonly id: RoomId;
  readonly room: Room;
  readonly roomNode: RoomNode;
  readonly nowMs: number;
  /** When the room was created; now, if left out. */
  readonly createdMs?: number;
  /** What was on disk for this room. */
  readonly restored: Restored | undefined;
}

/** A visitor's place, as the cookie has it. */
export interface PlaceInLine {
  readonly id: string;
  readonly key: number;
  /** The locality whose line it is in; this one if left out. */
  readonly line?: string;
}

interface MutableConfig extends RoomConfig {
  room: Room;
  order: QueueOrder;
  siteId: RoomId | undefined;
  members: readonly Member[];
}

/**
 * How often a room without visitors is looked at while its node is at rest. Doubled, slots that others could use lie here
 * for longer, until somebody asks for them.
 */
const EMPTY_LOOK_MS = 10_000;

/** A hold that lasted longer leaves a line, and an origin that is cold (CT-9). */
const LONG_HOLD_MINUTES = 3;

export class MeshRoom {
  readonly id: RoomId;
  readonly admission: Admission;
  /** How fast new visitors may come in; it sees how the origin does. */
  readonly pace: Pace;
  readonly helpDesk: HelpDesk;
  /** Of visitors who are told when it is their turn. */
  readonly contacts: Contacts;
  readonly ticketTimes: TicketClient["times"];
  /** As its site counts it. */
  readonly asMember: Member;
  /** As its members find it now. */
  readonly asSite: () => Site | undefined;
  readonly #config: MutableConfig;
  readonly #roomNode: RoomNode;
  readonly #account: MeshRoomAccount;
  readonly #writer: AdmissionWriter;
  readonly #home: SessionHome;
  readonly #drawn: DrawnPlaces;
  readonly #slots: OwnSlots;
  readonly #participants: Participants;
  readonly #counters: Counters;
  readonly #line: LineKeeper;
  readonly #ticketCounter: TicketCounter;
  readonly #entrance: Entrance;
  readonly #drift: Drift;
  readonly #paceKeeper: PaceKeeper;
  readonly #checkIns: CheckIns;
  readonly #revocations: Revocations;
  readonly #pending: PendingEntries;
  readonly #claims: PassClaims;
  readonly #left: LeftPlaces;
  readonly #once: AnswerOnce;
  #site: MeshRoom["asSite"] | undefined;
  /** When an operator last held the room, as far as this node saw it, in Unix ms. */
  #heldMs: number;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor({ id, room, roomNode, nowMs, createdMs = nowMs, restored }: MeshRoomParts) {
    this.id = id;
    this.#roomNode = roomNode;
    const siteNow = (): Site | undefined => this.#site?.();
    this.#config = {
      room,
      order: orderOfRoom(room, id),
      siteId: restored?.record?.site,
      members: [],
      get site() {
        return siteNow();
      },
    };
    const config = this.#config;
    const { minuteMs } = roomNode;
    const admittedInMinute = (): number => this.admission.sessions.minute.record.admittedInMinute;
    this.#account = new MeshRoomAccount({ id, roomNode, config, admittedInMinute });
    const startMs = Math.max(restored?.rampStartMs ?? createdMs, eventStartMs(room));
    const activeMs = restored?.record === undefined ? nowMs : restored.record.minute * minuteMs;
    this.#heldMs = nowMs;
    this.pace = new Pace(config, { startMs, activeMs, nowMs, minuteMs });
    this.#drawn = new DrawnPlaces(config, roomNode.draws);
    const admission = new Admission(config, {
      account: this.#account,
      minuteMs,
      nowMs,
      restored,
      brake: this.pace,
      view: {
        entered: (minute) => roomNode.counted(id, "in", minute),
        moved: (minute) => roomNode.counted(id, "out", minute),
        free: (atMs) => this.#ticketCounter.elsewhere.free(atMs),
        due: (atMs) => this.#due(atMs),
        mayAdmit: () => roomNode.mayAct(id),
      },
      sessionMinutesMost: () => roomNode.sessionMinutesMost,
      moves: (before, after) => this.#drawn.moves(before, after),
      keyOffset: keyOffsetOf(roomNode.locality),
    });
    this.admission = admission;
    const writer = new AdmissionWriter(id, roomNode, admission);
    this.#writer = writer;
    const home = new SessionHome({ id, roomNode, admission, writer });
    this.#home = home;
    this.#claims = new PassClaims(id, roomNode);
    this.#pending = new PendingEntries(admission);
    this.#participants = new Participants(id, roomNode);
    const slots = new OwnSlots(id, config, { roomNode, admission });
    const counters = new Counters({ id, roomNode, participants: this.#participants });
    const line = new LineKeeper({ id, roomNode, config, admission, counters });
    const ticketCounter = new TicketCounter({
      id,
      roomNode,
      config,
      admission,
      slots,
      waiting: () => line.waiting,
    });
    this.#slots = slots;
    this.#counters = counters;
    this.#line = line;
    this.#ticketCounter = ticketCounter;
    const { elsewhere } = ticketCounter;
    const release = (session: string, account: AccountId, atMs: number): void => {
      home.end(session, account, atMs);
    };
    this.#revocations = new Revocations({ id, roomNode, release, refused: () => admission.sessions.revoked });
    this.#checkIns = new CheckIns({
      id,
      roomNode,
      sessionDuration: () => this.room.sessionDuration,
      here: (session, mode, atMs) => home.checkIn(session, mode, atMs),
      free: (atMs) => slots.usable(atMs).active,
      extendHere: (session, minutes, atMs) => home.extend(session, minutes, atMs),
    });
    const participants = this.#participants;
    const parts = { id, roomNode, config, admission, slots, participants, counters, line, elsewhere };
    this.helpDesk = new HelpDesk({ id, roomNode, refreshMs: () => this.room.refreshIntervalSeconds * 1_000 });
    this.contacts = new Contacts({
      id,
      roomNode,
      room: () => this.room,
      slots: (atMs) => slotsOf(this.room.totalActiveUsers, slots.units(atMs).active),
      poll: (...asked) => this.poll(...asked),
      pauseMs: ({ place }, atMs) => admission.pauseMs(place, atMs),
      lastGoodOf: (session, atMs) => {
        const known = admission.sessions.knownAs(session, atMs);
        return known?.kind === "admitted" ? known.lastGood : undefined;
      },
      restored: restored?.contacts ?? [],
    });
    this.#left = new LeftPlaces({ id, roomNode, admission, counters });
    const ticketClient = new TicketClient({ id, roomNode, slots, ticketCounter, counters });
    this.ticketTimes = ticketClient.times;
    this.#entrance = new Entrance({
      ...parts,
      left: this.#left,
      pace: this.pace,
      ticketCounter,
      ticketClient,
      checkIns: this.#checkIns,
      pending: this.#pending,
      admitted: () => writer.changed(),
    });
    this.#drift = new Drift(parts);
    this.#paceKeeper = new PaceKeeper({ ...parts, pace: this.pace, storedMs: restored?.rampStartMs ?? 0 });
    this.#once = new AnswerOnce(roomNode.outbox);
    this.asMember = memberOf({ ...parts, isUnbounded: () => this.isUnbounded });
    this.asSite = siteOf({ ...parts, ticketCounter, asMember: this.asMember });
  }

  get room(): Room {
    return this.#config.room;
  }

  /** The order of its line. */
  get order(): QueueOrder {
    return this.#config.order;
  }

  /** Applies a changed room here; `atMs` is when it was changed. */
  configure(room: Room, atMs = 0): void {
    const before = this.room;
    this.#config.room = room;
    this.#config.order = orderOfRoom(room, this.id);
    // Its origin has not had so many visitors before.
    const isCold = (isHeld(before) && !isHeld(room)) || isNewEvent(before, room);
    const wasLong = isHeldByOperator(before) && atMs - this.#heldMs >= LONG_HOLD_MINUTES * this.#roomNode.minuteMs;
    if (isHeldByOperator(room) && !isHeldByOperator(before)) this.#heldMs = atMs;
    // A change that is heard late, as after a partition, may be from before the start.
    this.pace.roomChanged(before, { isCold, wasLong, atMs: Math.max(atMs, eventStartMs(room)) });
    this.#account.reset();
    this.admission.roomChanged();
    this.#lookedMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Takes slots of `site` beside its own from now on, and has `members` take slots of this room beside theirs. `siteId`:
   * the site that counts its sessions. Returns what it holds, if another one has counted that so far.
   */
  link({
    site,
    siteId,
    members,
  }: {
    readonly site: MeshRoom["asSite"] | undefined;
    readonly siteId: RoomId | undefined;
    readonly members: readonly Member[];
  }): AdmissionRecord | undefined {
    const isSame = this.siteId === siteId;
    // With the site of before: that is the one which has counted what is held here.
    const left = isSame ? undefined : this.admission.sessions.record;
    this.#site = site;
    this.#config.members = members;
    this.#config.siteId = siteId;
    if (left === undefined || (left.slots.length === 0 && potsIn(left).length === 0)) return undefined;
    this.#writer.changed();
    return left;
  }

  /** The site that counts its sessions; undefined without one, and where that is not known here. */
  get siteId(): RoomId | undefined {
    return this.#config.siteId;
  }

  /** What its site means to it now; `unknown`: it admits nobody here. */
  get siteState(): "none" | "open" | "held" | "bounding" | "unknown" {
    if (this.#site === undefined) return "none";
    const site = this.#site();
    if (site === undefined) return "open";
    if (site.id === undefined) return "unknown";
    return site.limits.active > 0 ? "bounding" : "held";
  }

  /** The ticket counter of this room in this locality, then its stand-ins. */
  counters(): readonly NodeId[] {
    return this.#counters.here();
  }

  /** The ticket counter of this room in any locality, then its stand-ins. */
  countersIn(locality: string): readonly NodeId[] {
    return this.#counters.in(locality);
  }

  /** A group of pots settles: its units are own ones from now on, and its sessions rest on them. */
  settlePot(group: string): void {
    if (this.admission.sessions.settlePot(group)) this.#writer.changed();
  }

  /** Whether no number bounds what is held here: slots do not matter. */
  get isUnbounded(): boolean {
    const { room, members } = this.#config;
    const isOpen = room.queueingMethod === "passthrough" || (room.suspended && members.length > 0);
    return isOpen || decidesAlone(room) || members.some((member) => member.isUnbounded);
  }

  /** Visitors who have a slot and wait until one more session may be held here, those of members included. */
  get pending(): number {
    return this.admission.pending;
  }

  /** More sessions may be held, or time has passed: admits visitors who wait for that. */
  workPending(nowMs: number): void {
    this.#pending.work(nowMs);
  }

  /**
   * A removed node has returned and reports what it held: its accounts, which were in a group of pots, are own ones
   * from now on.
   */
  acceptTestimony(group: string, testimony: Parameters<RoomSessions["acceptTestimony"]>[1], nowMs: number): void {
    this.admission.sessions.acceptTestimony(group, testimony, nowMs);
    this.#writer.tookOver(testimony.revoked);
  }

  /** The disk has lost admissions: all own slots count as held, and that many unknown sessions are acknowledged. */
  holdAll(nowMs: number): void {
    this.admission.sessions.holdAll(slotsOf(this.room.totalActiveUsers, this.#slots.units(nowMs).active), nowMs);
    this.#writer.changed();
  }

  /** Takes over the sessions of a node that left. */
  takeOver({ record, revoked }: { record: AdmissionRecord; revoked: readonly Revoked[] }, nowMs: number): void {
    this.admission.sessions.takeOver(record, revoked, nowMs);
    this.#writer.tookOver(revoked);
  }

  /** Visitors waiting in this locality's line, as far as known here. */
  get waitingHere(): number {
    return this.#line.size;
  }

  /** Sessions that asked to be adopted have free slots before anybody who asks now. */
  #adoptNext(nowMs: number): void {
    if (this.admission.sessions.adoptNext(nowMs, (home) => this.isSilent(home))) this.#writer.changed();
  }

  /** How many of so many slots of the room are for visitors of the line here, as things are now. */
  #due(nowMs: number): (slots: number) => number {
    const { room } = this;
    if (!decidesAlone(room)) return this.#ticketCounter.elsewhere.dueOf(this.#line.waiting, nowMs);
    const { newUsersPerMinute } = room;
    const arrivals = this.#account.arrivals(newUsersPerMinute, this.admission.minuteAt(nowMs));
    return (slots) => (slots * arrivals) / newUsersPerMinute;
  }

  /** Whether a request that takes neither slot nor place may pass: while no visitor would have to wait. */
  isOpen(nowMs: number): boolean {
    return this.#entrance.isOpen(nowMs);
  }

  /** A visitor without an accepted cookie. */
  arrive(id: string, nowMs: number, onDecision: OnDecision, coming?: Coming): void {
    this.#adoptNext(nowMs);
    const drawn = this.room.draw === undefined ? onDecision : this.#drawn.joining(id, onDecision);
    this.#entrance.arrive(id, nowMs, drawn, coming);
  }

  /** Counts a new visitor who comes with a place in line that this room gave without asking the line. */
  noteNew(nowMs: number): void {
    this.#entrance.noteNew(nowMs);
  }

  /** A visitor with a place in line. */
  poll(id: string, key: number, nowMs: number, onDecision: OnDecision, coming?: Coming): void {
    this.#adoptNext(nowMs);
    if (this.room.draw === undefined) {
      this.#entrance.poll(id, key, nowMs, onDecision, coming);
      return;
    }
    this.#drawn.note(id, key, nowMs);
    const lineKey = this.#drawn.keyOf(id, key);
    this.#entrance.poll(id, lineKey, nowMs, this.#drawn.polling({ id, key, lineKey }, onDecision), coming);
  }

  /** A visitor gives up the place. */
  giveUp({ id, key, line = this.#roomNode.locality }: PlaceInLine, nowMs: number): void {
    this.contacts.forget(id);
    const lineKey = this.#drawn.keyOf(id, key);
    const isKeptHere = line === this.#roomNode.locality && (this.#counters.isSelf || decidesAlone(this.room));
    if (isKeptHere) this.admission.giveUp(lineKey, nowMs);
    else this.#left.note(line, lineKey, "gaveUp");
  }

  /** Where a visitor stands in the order of the line. */
  placeOf(id: string, key: number): number {
    return this.order.placeOf(this.#drawn.keyOf(id, key));
  }

  /** A session's first request in a minute. */
  checkIn(session: Session, nowMs: number, onAnswer: (outcome: CheckInOutcome, nowMs: number) => void): void {
    if (this.admission.sessions.isRevoked(session.id)) {
      onAnswer({ kind: "revoked" }, nowMs);
      return;
    }
    this.#checkIns.ask(session, { minute: this.admission.minuteAt(nowMs), nowMs }, onAnswer);
  }

  /**
   * The last good minute of a session, as its home knows it, which this does not extend; undefined if it is over, or
   * if the home does not tell.
   */
  known(session: Session, nowMs: number, onAnswer: (lastGood: Minute | undefined, nowMs: number) => void): void {
    if (this.admission.sessions.isRevoked(session.id)) onAnswer(undefined, nowMs);
    else
      this.#checkIns.askKnown(session, nowMs, (known, thenMs) =>
        onAnswer(known === "used" ? undefined : known, thenMs),
      );
  }

  /** The origin gives a session a new term of `minutes`, at most a whole session. */
  extend(
    session: Session,
    minutes: number,
    nowMs: number,
    onAnswer: (outcome: CheckInOutcome, nowMs: number) => void,
  ): void {
    this.#checkIns.extend(session, { minutes, nowMs }, onAnswer);
  }

  /** Claims a pass for a visitor, or renews or gives up the claim: it is good for one visitor at a time. */
  claimPass(claim: Claim, nowMs: number, onAnswer?: (isGranted: boolean, nowMs: number) => void): void {
    this.#claims.ask(claim, nowMs, onAnswer);
  }

  /** Whether no node can answer for an account's sessions now: its writer does not answer. */
  isSilent(home: AccountId): boolean {
    return isSilent(this.#roomNode, home);
  }

  /** Withdraws an admission by this gate that could not be stored and was never sent. */
  withdraw(id: string): void {
    if (this.admission.sessions.withdraw(id)) this.#writer.changed();
  }

  /** The origin ended a session, whose home may be another node. Returns whether that is new here. */
  revoke(id: string, home: AccountId, nowMs: number): boolean {
    if (this.#roomNode.others.length === 0 && !this.#roomNode.mayOthersRunOn) return this.#home.end(id, home, nowMs);
    if (!this.#home.refuse(id)) return false;
    this.#revocations.begin(id, home, nowMs);
    return true;
  }

  /** A message of another member about this room, of a checked shape. */
  receive(from: NodeId, message: RoomRequest, nowMs: number): void {
    this.#adoptNext(nowMs);
    const roomNode = this.#roomNode;
    const once = this.#once;
    switch (message.kind) {
      case "ask":
        this.#line.standIn(nowMs);
        once.answer(from, message, (reply) =>
          this.#ticketCounter.ask({ ...message, from }, nowMs, ({ answers, row }) =>
            reply({ kind: "told", answers, ...(row && { row }) }),
          ),
        );
        break;
      case "recall":
        once.answer(from, message, (reply) => {
          const locality = roomNode.localityOf(from);
          const to = { node: from, locality: locality ?? "", joined: message.joined };
          const lent = locality === undefined ? undefined : this.#ticketCounter.lend(to, message, nowMs);
          reply({ kind: "lent", ...(lent?.row && { row: lent.row }), free: lent?.free ?? NOTHING });
        });
        break;
      case "check-in":
        once.answer(from, message, (reply) => {
          const checked = message.sessions.map(([id, account, lastGood, mode]) =>
            this.#home.checkIn({ id, home: account, lastGood }, mode, nowMs),
          );
          reply({ kind: "checked", checked });
        });
        break;
      case "extend":
        once.answer(from, message, (reply) =>
          reply({ kind: "checked", checked: [this.#home.extend(message, message.minutes, nowMs)] }),
        );
        break;
      case "claim":
        once.answer(from, message, (reply) =>
          reply({ kind: "claimed", granted: this.#claims.hear(message.claims, nowMs) }),
        );
        break;
      case "gift":
        roomNode.receive(from, message.row);
        break;
      case "line":
        this.#line.hear(from, message, nowMs);
        break;
      case "polls":
        this.#line.standIn(nowMs);
        this.admission.notePolls(message.keys, nowMs, message);
        break;
      case "left":
        this.admission.leftLine(message, nowMs);
        roomNode.outbox.send(from, { kind: "noted", call: message.call });
        break;
      case "revoke":
        this.#home.refuse(message.id, message.lastGood);
        roomNode.outbox.send(from, { kind: "noted", call: message.call });
        break;
      case "look":
        once.answer(from, message, (reply) =>
          this.helpDesk.hear(message, nowMs, (sight) => reply({ kind: "sighted", sight })),
        );
        break;
      case "contacts":
        this.contacts.hear(from, message);
        roomNode.outbox.send(from, { kind: "noted", call: message.call });
        break;
      case "release":
        this.#home.end(message.id, message.home, nowMs);
    }
  }

  /** What this node has free, and the line if it is the counter: sent to all others when it changes. */
  gauge(nowMs: number): Gauge {
    const { active, arrivals } = this.#slots.free(nowMs);
    const { admission } = this;
    return {
      active,
      arrivals,
      mayAct: this.#roomNode.mayAct(this.id),
      places: this.#line.placesToTell,
      inside: admission.inside(nowMs) + admission.insidePots(nowMs),
      admitted: admission.admittedInMinute(nowMs),
      minute: admission.minuteAt(nowMs),
      rampStartMs: this.pace.startMs,
    };
  }

  /** Housekeeping, twice a second. `isAtRest`: nobody waits at this node, and nobody asks it for anything. */
  tick(nowMs: number, isAtRest = false): void {
    if (isAtRest && this.#isEmpty(nowMs) && Math.abs(nowMs - this.#lookedMs) < EMPTY_LOOK_MS) return;
    this.#lookedMs = nowMs;
    this.#adoptNext(nowMs);
    for (const id of this.admission.tick(nowMs)) this.#writer.forget(id);
    this.#revocations.tick(nowMs);
    this.#claims.tick(nowMs);
    this.#left.tick(nowMs);
    this.helpDesk.tick(nowMs);
    this.contacts.tick(nowMs);
    this.#line.save();
    this.#paceKeeper.tick(nowMs);
    if (decidesAlone(this.room)) return;
    this.#participants.refresh();
    this.#line.turn(nowMs);
    this.#ticketCounter.tick(nowMs);
    this.#line.tell(nowMs);
    this.#drift.tick(nowMs);
  }

  /** Whether nobody is or was lately in this room here, or waits for it, and its origin was not asked lately. */
  #isEmpty(nowMs: number): boolean {
    return (
      this.admission.isEmpty(nowMs) &&
      this.pending === 0 &&
      this.#left.isEmpty &&
      this.contacts.isEmpty &&
      !this.pace.isUsed
    );
  }

  /** Slots came free by time alone: the counter fetches them, and calls for them, without waiting for its next look. */
  renew(nowMs: number): void {
    if (decidesAlone(this.room) || this.#line.size === 0) return;
    this.#ticketCounter.tick(nowMs);
    this.#line.tell(nowMs);
  }

  /** Before a stop: everything free goes to a node that can use it, and the disk has the line as it is. */
  giveAway(nowMs: number): void {
    this.#drift.giveAway(nowMs);
    this.#line.save();
  }
}
