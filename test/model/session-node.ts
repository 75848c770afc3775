/**
 * One node as the model of sessions sees it: the real room of the mesh, with what the account owns in the real replica.
 *
 * Visitors come with any cookie that was ever told. The clocks of the nodes are as far apart as clocks may be, and go
 * on together from the middle of a minute to just after its edge and on to the middle of the next.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import { AT_ONCE, type GiftData, type Resource } from "../../mesh/core/ledger/row.ts";
import { UNITS } from "../../mesh/core/ledger/shares.ts";
import { MINUTE_MS, minuteOf } from "../../mesh/core/minute.ts";
import { Replica } from "../../mesh/core/replica/replica.ts";
import { Calls, type Question } from "../../mesh/core/wire/calls.ts";
import type { Message } from "../../mesh/core/wire/outbox.ts";
import type { AdmissionRecord } from "../../node/admission/admission-record.ts";
import type { Session } from "../../node/admission/mesh/check-ins.ts";
import { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import {
  ROOM_ANSWERS,
  type RoomCalls,
  type RoomMessage,
  type RoomMessageOf,
  type RoomRequest,
} from "../../node/admission/mesh/room-messages.ts";
import type { Room } from "../../node/config/room.ts";
import { plainSignatures } from "../mesh/core/replica/plain-signatures.ts";
import { canonical } from "./canonical.ts";
import type { Disk, Process } from "./local.ts";
import { ModelMesh } from "./model-mesh.ts";
import { SeenOutbox } from "./seen-outbox.ts";
import type { Hear } from "./world.ts";

export const GATES = ["A", "B", "C"] as NodeId[];
const ROOM = "shop" as RoomId;
export const VISITORS = "visitors" as NodeId;
const START_MINUTE = 1_000;
/**
 * Moments that the clocks come to, in ms since the first minute began: the middle of a minute, and just after its end.
 */
const MOMENTS_MS = [30_000, 61_000, 90_000, 121_000, 150_000, 181_000, 210_000];
/** How far each clock is ahead. More than this is off, and such a node does not act. */
const AHEAD_MS = [2_000, -2_000, 0];
const RECORD = `admission/${ROOM}`;

export type SessionEvent =
  | { readonly kind: "moment" }
  | { readonly kind: "admit" }
  /** A visitor shows a cookie. */
  | { readonly kind: "check-in"; readonly session: Session }
  | { readonly kind: "give-away" }
  /** A node answers no more, as far as this one can tell. */
  | { readonly kind: "suspect"; readonly node: NodeId };

/** What a visitor receives. */
export interface Cookie extends Message, Session {
  readonly kind: "cookie";
}

export interface SessionFacts {
  readonly account: AccountId;
  readonly minute: Minute;
  readonly free: number;
  readonly held: number;
  readonly slots: number;
  readonly suspected: readonly NodeId[];
}

/** A owns one half of the room and B the other. */
export function firstDisks(): Disk[] {
  const cell = (resource: Resource) => {
    const totals: GiftData["totals"] = [[resource === "active" ? AT_ONCE : (START_MINUTE as Minute), UNITS / 2]];
    const gift: GiftData = { room: ROOM, resource, to: "B" as AccountId, totals };
    return [`ledger/cell/A/${ROOM}/${resource}/B`, { account: "A", gifts: [gift], counts: [] }] as const;
  };
  const half = new Map<string, unknown>([cell("active"), cell("arrivals")]);
  return [half, half, new Map()];
}

export class SessionNode implements Process<SessionEvent | Hear, SessionFacts> {
  readonly outbox = new SeenOutbox({ put: () => {}, sent: (to, message) => this.#seesMessage(to, message) });
  readonly #self: NodeId;
  readonly #replica: Replica;
  readonly #calls: RoomCalls;
  readonly #room: MeshRoom;
  readonly #config: Room;
  readonly #suspected = new Set<NodeId>();
  /** Questions under way, by their number; and those answered. */
  readonly #asked = new Map<number, readonly [to: NodeId, question: Message]>();
  readonly #answered = new Map<string, Message>();
  /** Check-ins under way here, and what has become of others in this minute, which is remembered for other homes. */
  readonly #pending = new Set<string>();
  readonly #stays = new Map<string, readonly [moment: number, minute: Minute, stay: string]>();
  readonly #ids = new Set<string>();
  #moment: number;
  #admitted: number;
  #calling: number;

  constructor(self: NodeId, disk: Disk, config: Room) {
    this.#self = self;
    this.#config = config;
    this.#moment = (disk.get("model/moment") as number | undefined) ?? 0;
    this.#admitted = (disk.get("model/admitted") as number | undefined) ?? 0;
    const starts = 1 + ((disk.get("model/starts") as number | undefined) ?? 0);
    this.#calling = starts * 1_000;
    this.outbox.put("model/starts", starts);
    this.#calls = new Calls<RoomMessage, typeof ROOM_ANSWERS>(this.outbox, ROOM_ANSWERS, this.#calling);
    const writerOf = (account: AccountId) => GATES.find((node) => accountOf(node) === account);
    this.#replica = new Replica({
      self,
      founder: accountOf("A" as NodeId),
      mesh: "mesh",
      minuteMs: MINUTE_MS,
      incarnation: starts,
      outbox: this.outbox,
      stored: disk,
      signatures: plainSignatures(self),
      writerOf,
      writes: () => [],
      isFenced: () => false,
      outdated: () => {},
      forgot: () => {},
      registerChanged: () => {},
    });
    const mesh = new ModelMesh({
      self,
      replica: this.#replica,
      outbox: this.outbox,
      calls: this.#calls,
      now: () => this.#nowMs,
      alive: () => GATES.filter((node) => !this.#suspected.has(node)),
      writerOf,
    });
    const record = disk.get(RECORD) as AdmissionRecord | undefined;
    const restored = record === undefined ? undefined : { record, line: undefined };
    this.#room = new MeshRoom({ id: ROOM, room: config, roomNode: mesh, nowMs: this.#nowMs, restored });
    this.#turn();
  }

  handle(event: SessionEvent | Hear): void {
    this.#do(event);
    this.#turn();
  }

  digest(): unknown {
    const ids = [...this.#ids].map((id) => [id, this.#room.admission.sessions.knownAs(id, this.#nowMs)]).sort();
    const rows = GATES.map((node) => this.#replica.ledger.row(accountOf(node)));
    const calls = [this.#calling, this.#asked, this.#answered];
    return [
      this.#moment,
      this.#room.admission.sessions.record,
      [...this.#room.admission.sessions.adoptions.asked],
      ids,
      rows,
      calls,
      this.#pending,
      this.#stays,
      this.#suspected,
    ];
  }

  facts(): SessionFacts {
    const { admission } = this.#room;
    const { units } = this.#replica.ledger;
    const active = units.call(this.#replica.ledger, { room: ROOM, resource: "active", minute: this.#minute });
    return {
      account: accountOf(this.#self),
      minute: this.#minute,
      free: admission.free(this.#nowMs),
      held: admission.inside(this.#nowMs),
      slots: Math.floor((active * this.#config.totalActiveUsers) / UNITS),
      suspected: [...this.#suspected],
    };
  }

  #do(event: SessionEvent | Hear): void {
    const { admission } = this.#room;
    switch (event.kind) {
      case "moment":
        this.#moment += 1;
        this.outbox.put("model/moment", this.#moment);
        return;
      case "admit":
        if (admission.free(this.#nowMs) > 0) this.#admit();
        return;
      case "check-in":
        this.#checkIn(event.session);
        return;
      case "give-away":
        this.#room.giveAway(this.#nowMs);
        return;
      case "suspect":
        this.#suspected.add(event.node);
        for (const [call, [to]] of this.#asked) if (to === event.node) this.#asked.delete(call);
        this.#calls.lost(event.node, this.#nowMs);
        return;
      case "hear":
        this.#hear(event.from, event.message);
    }
  }

  #hear(from: NodeId, message: Message): void {
    if (message.kind === "checked") {
      this.#asked.delete((message as Question).call);
      this.#calls.answered(from, message as Question, this.#nowMs);
    } else {
      if (message.kind === "check-in")
        for (const [id] of (message as RoomMessageOf<"check-in">).sessions) this.#ids.add(id);
      this.#room.receive(from, message as RoomRequest, this.#nowMs);
    }
  }

  /** As the gate does it: admitted, on disk in the same batch, told. */
  #admit(): void {
    this.#admitted += 1;
    const id = `${this.#self}${this.#admitted}`;
    this.#ids.add(id);
    const { lastGood } = this.#room.admission.sessions.admit(id, this.#nowMs);
    this.outbox.put("model/admitted", this.#admitted);
    this.outbox.putLater(RECORD, () => this.#room.admission.sessions.record);
    this.#tell({ id, home: accountOf(this.#self), lastGood });
  }

  /** One at a time for each session: others would be told the same. */
  #checkIn(session: Session): void {
    const { id } = session;
    if (this.#pending.has(id)) return;
    const minute = this.#minute;
    this.#ids.add(id);
    this.#pending.add(id);
    this.#room.checkIn(session, this.#nowMs, (stay) => {
      this.#pending.delete(id);
      if (session.home !== accountOf(this.#self)) this.#stays.set(id, [this.#moment, minute, canonical(stay)]);
      if (stay.kind === "acknowledged") this.#tell({ id, home: stay.home, lastGood: stay.lastGood });
    });
  }

  #tell(session: Session): void {
    const cookie: Cookie = { kind: "cookie", ...session };
    this.outbox.send(VISITORS, cookie);
  }

  #seesMessage(to: NodeId, message: Message): Message | undefined {
    const { call } = message as Question;
    if (message.kind === "checked") this.#answered.set(`${to} ${call}`, message);
    if (message.kind === "check-in") {
      this.#asked.set(call, [to, message]);
      this.#calling = Math.max(this.#calling, call + 1);
    }
    return message;
  }

  /**
   * Has what is over end now, and its slots taken by sessions that asked for one, and not when it is next looked at: so
   * that looking changes nothing.
   */
  #turn(): void {
    const { sessions } = this.#room.admission;
    this.#room.admission.tick(this.#nowMs);
    const isSilent = (home: AccountId) => this.#room.isSilent(home);
    if (sessions.adoptNext(this.#nowMs, isSilent)) this.outbox.putLater(RECORD, () => sessions.record);
    for (const [id, [, minute]] of this.#stays) if (minute < this.#minute) this.#stays.delete(id);
  }

  get #minute(): Minute {
    return minuteOf(this.#nowMs, MINUTE_MS);
  }

  get #nowMs(): number {
    const aheadMs = AHEAD_MS[GATES.indexOf(this.#self)] ?? 0;
    return START_MINUTE * MINUTE_MS + (MOMENTS_MS[this.#moment] ?? 0) + aheadMs;
  }
}

export const MOMENTS_MAX = MOMENTS_MS.length - 1;
