/**
 * One node as the model of shares sees it: the real replica, admission and giving of one room, on the disk and outbox
 * of the model.
 *
 * The shell around them is thin: it puts the admission's record in the batch that answers it, as the room does, and
 * tells visitors by messages to a party called `visitors`, so that what was told is what lies among the messages sent.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { GiftData, Resource, RowData } from "../../mesh/core/ledger/row.ts";
import { MINUTE_MS, minuteOf } from "../../mesh/core/minute.ts";
import { Replica } from "../../mesh/core/replica/replica.ts";
import type { ReplicaMessage } from "../../mesh/core/replica/replica-messages.ts";
import { Calls } from "../../mesh/core/wire/calls.ts";
import { type Message, Outbox } from "../../mesh/core/wire/outbox.ts";
import { Admission } from "../../node/admission/admission.ts";
import type { AdmissionRecord } from "../../node/admission/admission-record.ts";
import { MeshRoomAccount, OwnSlots } from "../../node/admission/mesh/own-slots.ts";
import { ROOM_ANSWERS, type RoomMessage } from "../../node/admission/mesh/room-messages.ts";
import type { Room } from "../../node/config/room.ts";
import { parseRoom } from "../../node/config/room-document.ts";
import { plainSignatures } from "../mesh/core/replica/plain-signatures.ts";
import type { Disk, Process } from "./local.ts";
import { ModelMesh } from "./model-mesh.ts";

export const NODES = ["A", "B", "C"] as NodeId[];
export const ROOM = "shop" as RoomId;
export const VISITORS = "visitors" as NodeId;
const START_MINUTE = 1_000;
/** Into the minute: slots of sessions that ended with the one before are free. */
const INTO_MINUTE_MS = 10_000;
const RECORD = `admission/${ROOM}`;

export type ShareEvent =
  | { readonly kind: "admit" }
  /** Gives what makes a slot at the receiver, as far as this node knows, or everything that it can spare. */
  | { readonly kind: "give"; readonly to: NodeId; readonly all: boolean }
  | { readonly kind: "publish" }
  | { readonly kind: "minute" }
  | { readonly kind: "hear"; readonly from: NodeId; readonly message: Message };

/** What a visitor receives. */
export interface Admitted extends Message {
  readonly kind: "admitted";
  readonly id: string;
  readonly home: AccountId;
  readonly minute: Minute;
  readonly lastGood: Minute;
}

export interface ShareFacts {
  readonly account: AccountId;
  /** Minutes since the beginning, by this node's clock. */
  readonly minute: number;
  readonly free: number;
  readonly held: number;
  /** Units of the own account as this node sees them, once the minute of every gift has come. */
  readonly units: Readonly<Record<Resource, number>>;
  readonly mayPublish: boolean;
  /** What it has given, as its own row says: by resource and receiver. */
  readonly given: ReadonlyMap<string, number>;
  /** All rows as known, as one text. */
  readonly rows: readonly RowData[];
  readonly alarms: readonly string[];
}

export class ShareNode implements Process<ShareEvent, ShareFacts> {
  readonly outbox = new Outbox();
  readonly #self: NodeId;
  readonly #replica: Replica;
  readonly #admission: Admission;
  readonly #slots: OwnSlots;
  readonly #alarms: string[] = [];
  #minute: number;
  #published: string;
  #admitted: number;

  /** `asksPeers`: a node that starts again asks its peers for their copies, and shows them what it has. */
  constructor(self: NodeId, disk: Disk, { room, asksPeers }: { readonly room: Room; readonly asksPeers: boolean }) {
    this.#self = self;
    this.#minute = (disk.get("model/minute") as number | undefined) ?? START_MINUTE;
    this.#admitted = (disk.get("model/admitted") as number | undefined) ?? 0;
    const incarnation = 1_000 * (1 + ((disk.get("model/starts") as number | undefined) ?? 0));
    this.#replica = new Replica({
      self,
      founder: accountOf(NODES[0] ?? self),
      mesh: "mesh",
      minuteMs: MINUTE_MS,
      incarnation,
      outbox: this.outbox,
      stored: disk,
      signatures: plainSignatures(self),
      writerOf: (account) => NODES.find((node) => accountOf(node) === account),
      writes: () => [],
      isFenced: () => false,
      outdated: (reason) => this.#alarms.push(reason),

      forgot: (room) => this.#alarms.push(`counts of ${room} are lost`),
      registerChanged: () => {},
    });
    const mesh = new ModelMesh({
      self,
      replica: this.#replica,
      outbox: this.outbox,
      calls: new Calls<RoomMessage, typeof ROOM_ANSWERS>(this.outbox, ROOM_ANSWERS, 1),
      now: () => this.#nowMs,
    });
    const account = new MeshRoomAccount({ id: ROOM, roomNode: mesh, config: { room }, admittedInMinute: () => 0 });
    const record = disk.get(RECORD) as AdmissionRecord | undefined;
    this.#admission = new Admission(
      { room },
      {
        account,
        minuteMs: MINUTE_MS,
        nowMs: this.#nowMs,
        restored: { record, line: undefined },
      },
    );
    this.#slots = new OwnSlots(ROOM, { room }, { roomNode: mesh, admission: this.#admission });
    this.#published = (disk.get("model/published") as string | undefined) ?? "[]";
    this.outbox.put("model/starts", incarnation / 1_000);
    if (asksPeers && disk.size > 0) this.#tellOthers(this.#replica.digest());
    this.#turn();
  }

  handle(event: ShareEvent): void {
    this.#do(event);
    this.#turn();
  }

  #do(event: ShareEvent): void {
    switch (event.kind) {
      case "admit":
        if (this.#admission.free(this.#nowMs) > 0) this.#admit();
        return;
      case "give": {
        const { to, all } = event;
        const units = { active: this.#unitsOf(to, "active"), arrivals: this.#unitsOf(to, "arrivals") };
        const row = all
          ? this.#slots.giveAll(to, this.#nowMs)
          : this.#slots.give(to, { slots: { active: 1, arrivals: 1 }, units }, this.#nowMs);
        if (row !== undefined) this.outbox.send(to, { kind: "gift", row } as Message);
        return;
      }
      case "publish": {
        const rows = this.#replica.publish(this.#nowMs);
        this.#published = JSON.stringify(this.#gifts());
        this.outbox.put("model/published", this.#published);
        if (rows !== undefined) this.#tellOthers(rows);
        return;
      }
      case "minute":
        this.#minute += 1;
        this.outbox.put("model/minute", this.#minute);
        return;
      case "hear":
        if (event.message.kind === "gift")
          this.#replica.receive(event.from, (event.message as Message & { readonly row: RowData }).row);
        else
          for (const answer of this.#replica.heard(event.message as ReplicaMessage, event.from, this.#nowMs).answers)
            this.outbox.send(event.from, answer);
    }
  }

  digest(): unknown {
    const rows = NODES.map((node) => this.#row(node));
    // What it would send to a node that knows nothing: the parts that it holds, byte for byte.
    const nothing = { ...this.#replica.digest(), known: [] };
    const held = this.#replica.heard(nothing, this.#self, this.#nowMs).answers;
    return [
      this.#minute,
      rows,
      this.#replica.digest(),
      held,
      this.#admission.sessions.record,
      this.#published,
      this.#alarms,
    ];
  }

  facts(): ShareFacts {
    const { ledger } = this.#replica;
    const account = accountOf(this.#self);
    const atLast = Number.POSITIVE_INFINITY as Minute;
    const units = (resource: Resource) => ledger.units({ room: ROOM, resource, minute: atLast });
    return {
      account,
      minute: this.#minute - START_MINUTE,
      free: this.#admission.free(this.#nowMs),
      held: this.#admission.inside(this.#nowMs),
      units: { active: units("active"), arrivals: units("arrivals") },
      mayPublish: JSON.stringify(this.#gifts()) !== this.#published,
      given: new Map(this.#gifts().map(({ resource, to, totals }) => [`${resource} ${to}`, totals.at(-1)?.[1] ?? 0])),
      rows: NODES.map((node) => this.#row(node)),
      alarms: [...this.#alarms],
    };
  }

  /** Has what is over end now, and not when it is next looked at: so that looking changes nothing. */
  #turn(): void {
    this.#admission.tick(this.#nowMs);
  }

  #tellOthers(message: Message): void {
    for (const node of NODES) if (node !== this.#self) this.outbox.send(node, message);
  }

  #admit(): void {
    this.#admitted += 1;
    const id = `${this.#self}${this.#admitted}`;
    const { lastGood } = this.#admission.sessions.admit(id, this.#nowMs);
    this.outbox.put("model/admitted", this.#admitted);
    this.outbox.putLater(RECORD, () => this.#admission.sessions.record);
    const home = accountOf(this.#self);
    const minute = minuteOf(this.#nowMs, MINUTE_MS);
    const admitted: Admitted = { kind: "admitted", id, home, minute, lastGood };
    this.outbox.send(VISITORS, admitted);
  }

  #unitsOf(node: NodeId, resource: Resource): number {
    return Math.max(
      0,
      this.#replica.ledger.unitsOf(accountOf(node), { room: ROOM, resource, minute: this.#minute as Minute }),
    );
  }

  #gifts(): GiftData[] {
    return this.#row(this.#self).gifts.slice();
  }

  /** A node's row as known here. In which order its gifts were heard of is no matter. */
  #row(node: NodeId): RowData {
    const row = this.#replica.ledger.row(accountOf(node));
    const name = ({ resource, to }: GiftData) => `${resource} ${to}`;
    return { ...row, gifts: [...row.gifts].sort((one, other) => (name(one) < name(other) ? -1 : 1)) };
  }

  get #nowMs(): number {
    return this.#minute * MINUTE_MS + INTO_MINUTE_MS;
  }
}

export function roomOf(limits: Readonly<Record<Resource, number>>, sessionDuration = 1): Room {
  const parsed = parseRoom({
    name: "shop",
    host: "*",
    total_active_users: limits.active,
    new_users_per_minute: limits.arrivals,
  });
  if (!parsed.ok) throw new Error("unreachable");
  return { ...parsed.value, sessionDuration };
}
