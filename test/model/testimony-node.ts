/**
 * One node as the model of testimonies sees it: the real admission, ledger, pots, hearing and testimony of one room, on
 * a disk of its own.
 *
 * Whether it is a member, holds a lease or has stopped is the model's to say, as is which messages arrive.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { Ledger } from "../../mesh/core/ledger/ledger.ts";
import type { RowData } from "../../mesh/core/ledger/row.ts";
import { slotsOf, UNITS } from "../../mesh/core/ledger/shares.ts";
import { Hearing, rowsOfReport } from "../../mesh/core/members/hearing.ts";
import type { Of } from "../../mesh/core/members/member-messages.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import { type Pot, Pots } from "../../mesh/core/members/pots.ts";
import { Witness } from "../../mesh/core/members/witness.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import { Outbox } from "../../mesh/core/wire/outbox.ts";
import { Admission } from "../../node/admission/admission.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import type { RoomSessions } from "../../node/admission/room-sessions.ts";
import { DiskProof } from "../../node/peer/disk-proof.ts";
import { HandedTables } from "../../node/peer/peer-tables.ts";
import { PotClock } from "../../node/peer/pot-clock.ts";
import { Testimonies } from "../../node/peer/testimonies.ts";
import { StoredRooms } from "../../node/storage/stored-rooms.ts";
import { roomWith } from "../node/admission/room-with.ts";

export const ROOM = "shop" as RoomId;
export const SLOTS = 8;
export const SLOT = UNITS / SLOTS;
export const MINUTE_MS = 60_000;
export const LEASE_MS = 30_000;
const SESSION_MINUTES = 3;
const FOUNDER = "H" as AccountId;

const THE_ROOM = roomWith({ totalActiveUsers: SLOTS, newUsersPerMinute: 1_000, sessionDuration: SESSION_MINUTES });

export type Disk = ReadonlyMap<string, unknown>;

export interface Cookie {
  readonly id: string;
  readonly home: AccountId;
  readonly lastGood: Minute;
}

/** What happens around a node. */
export interface Surroundings {
  readonly now: () => Instant;
  readonly mayAct: () => boolean;
  readonly mayExtend: () => boolean;
  readonly random: () => number;
}

export class ModelNode {
  readonly self: NodeId;
  readonly account: AccountId;
  readonly ledger: Ledger;
  readonly admission: Admission;
  readonly pots = new Pots();
  readonly hearing: Hearing;
  readonly witness: Witness;
  readonly run: number;
  /** Accounts that it writes. */
  written: AccountId[];
  /** What it has to say, by kind. */
  readonly said: { kind: string; nonce?: number }[] = [];
  readonly #outbox = new Outbox();
  readonly #disk: Map<string, unknown>;
  readonly #clock: PotClock;
  readonly #testimonies: Testimonies;
  readonly #around: Surroundings;
  #taken = 0;

  constructor(self: NodeId, disk: Disk, place: string, around: Surroundings) {
    this.self = self;
    this.account = accountOf(self);
    this.#around = around;
    this.#disk = new Map(disk);
    const { now } = around;
    const storedRun = Number(disk.get("incarnation") ?? 0);
    this.run = storedRun + 1;
    this.written = (disk.get("written") as AccountId[] | undefined) ?? [this.account];
    this.ledger = new Ledger({ self: this.account, founder: FOUNDER });
    for (const row of (disk.get("rows") as RowData[] | undefined) ?? []) this.ledger.merge(row);
    this.pots.restore((disk.get("pots") as Pot[] | undefined) ?? [], now());
    const members = {
      pot: (at: Instant) => this.pots.at(at),
      writes: () => this.written,
      settle: (accounts: readonly AccountId[]) => this.pots.settle(accounts),
      sessions: { longest: SESSION_MINUTES },
      mayAct: () => around.mayAct(),
      mayExtendOwn: () => around.mayExtend(),
      lease: () => (around.mayAct() ? "held" : "none"),
      view: { members: [1, 2, 3] },
    } as unknown as Members;
    const rooms = new Map<RoomId, MeshRoom>();
    const times = { minuteMs: MINUTE_MS, leaseMs: LEASE_MS };
    this.#clock = new PotClock({ ...times, now: now(), ownsNothing: () => false }, members, rooms);
    const slots = (accounts: readonly AccountId[]) =>
      slotsOf(
        SLOTS,
        Math.max(0, this.ledger.netUnits(accounts, { room: ROOM, resource: "active", minute: this.minute })),
      );
    this.admission = new Admission(
      { room: THE_ROOM },
      {
        account: {
          active: () => slots(this.#clock.settled("active")),
          arrivals: (limit) => limit,
          ceiling: () => Number.POSITIVE_INFINITY,
          pot: (group) => slots(this.#clock.accountsIn(group)),
          count: (kind, minute) => this.ledger.record(ROOM, { minute, kind, count: 1 }),
        },
        minuteMs: MINUTE_MS,
        nowMs: now().wallMs,
        restored: new StoredRooms(disk, MINUTE_MS).restored(ROOM, now().wallMs),
      },
    );
    const room = {
      id: ROOM,
      room: THE_ROOM,
      admission: this.admission,
      settlePot: (group: string) => this.admission.sessions.settlePot(group),
      acceptTestimony: (group: string, what: Parameters<RoomSessions["acceptTestimony"]>[1], nowMs: number) =>
        this.admission.sessions.acceptTestimony(group, what, nowMs),
    } as unknown as MeshRoom;
    rooms.set(ROOM, room);
    const handed = new HandedTables({ outbox: this.#outbox, restored: disk, minuteMs: MINUTE_MS });
    const proof = new DiskProof({
      restored: disk,
      outbox: this.#outbox,
      isUsed: disk.size > 0,
      bootId: "boot",
      diskPlace: place,
    });
    this.#testimonies = new Testimonies({
      minuteMs: MINUTE_MS,
      incarnation: this.run,
      storedIncarnation: storedRun,
      members: () => members,
      replica: {
        netUnits: this.ledger.netUnits.bind(this.ledger),
        mergeDecided: (rows: readonly RowData[]) => this.merge(rows),
      } as unknown as Replica,
      rooms,
      handed,
      holds: { hasAny: false },
      powerLoss: () => ({ isOpen: false }) as never,
      proof,
      isPot: (group) => this.#clock.accountsIn(group).length > 0,
      now,
      roomMs: () => now().wallMs,
      isInOrder: () => true,
      changed: () => this.#clock.tick(now()),
      log: (fields) => {
        this.#taken += Number(fields.free);
      },
    });
    this.hearing = new Hearing({
      pots: this.pots,
      writes: (account) => this.written.includes(account),
      mayHear: () => this.#testimonies.mayHear(),
      rows: (accounts) => accounts.map((account) => this.ledger.row(account)),
      draw: () => Math.floor(around.random() * 1e9),
    });
    this.witness = new Witness({
      statement: () => this.#testimonies.statement(),
      rows: (accounts) =>
        rowsOfReport(
          self,
          accounts.map((account) => this.ledger.row(account)),
        ),
      peers: () => ["anybody" as NodeId],
      send: (_to, message) => this.said.push(message),
    });
    this.tick();
  }

  get minute(): Minute {
    return Math.floor(this.#around.now().wallMs / MINUTE_MS) as Minute;
  }

  /** Slots that came free by what others said. */
  get tookBack(): number {
    return this.#taken;
  }

  get potAccounts(): readonly AccountId[] {
    return this.pots.accounts;
  }

  tick(): void {
    this.#testimonies.tick();
    this.#clock.tick(this.#around.now());
    this.admission.tick(this.#around.now().wallMs);
  }

  /** What is on the disk after the step. Counts are there once they are published, see `publish`. */
  disk({ published }: { readonly published?: readonly RowData[] } = {}): Disk {
    for (const [key, value] of this.#outbox.take().writes) this.#disk.set(key, value);
    const known = published ?? (this.#disk.get("published") as RowData[] | undefined) ?? [];
    const gifts = this.ledger.accounts().map((account) => ({ ...this.ledger.row(account), counts: [] }));
    this.#disk.set("published", known);
    this.#disk.set("rows", [...gifts, ...known]);
    this.#disk.set("incarnation", this.run);
    this.#disk.set("written", [...this.written]);
    this.#disk.set("pots", this.pots.at(this.#around.now()));
    this.#disk.set(`admission/${ROOM}`, this.admission.sessions.record);
    return new Map(JSON.parse(JSON.stringify([...this.#disk])) as [string, unknown][]);
  }

  publish(): RowData {
    const row = this.ledger.row(this.account);
    this.disk({ published: [row] });
    return row;
  }

  merge(rows: readonly RowData[]): void {
    for (const row of rows) this.ledger.merge(row);
  }

  /** Admits a visitor on an own slot. */
  admit(id: string): Cookie | undefined {
    const nowMs = this.#around.now().wallMs;
    if (!this.#around.mayAct() || this.admission.free(nowMs) <= 0) return undefined;
    return { id, home: this.account, lastGood: this.admission.sessions.admit(id, nowMs).lastGood };
  }

  checkIn({ id, home, lastGood }: Cookie): Cookie | undefined {
    const nowMs = this.#around.now().wallMs;
    if (!this.#around.mayExtend() || !this.written.includes(home) || lastGood < this.minute) return undefined;
    const group = this.#clock.groupOf(home);
    const checked =
      group === undefined
        ? this.admission.sessions.checkIn(id, lastGood, nowMs)
        : this.admission.sessions.checkInPot(group, { id, home, lastGood }, nowMs);
    return checked.kind === "acknowledged" ? { id, home, lastGood: checked.lastGood } : undefined;
  }

  /** Gives one free slot, if it has one. */
  give(to: AccountId): RowData | undefined {
    const { wallMs } = this.#around.now();
    const accounts = this.#clock.settled("active");
    const purse = { room: ROOM, resource: "active", minute: this.minute } as const;
    const isSpare = this.ledger.netUnits(accounts, purse) >= SLOT && this.admission.free(wallMs) > 0;
    if (!this.#around.mayAct() || !isSpare) return undefined;
    return this.ledger.give({ ...purse, to, units: SLOT, accounts });
  }

  /** Takes in what a returned node says. Returns whether it was taken. */
  hear(from: NodeId, said: Of<"testimony">): boolean {
    const heard = this.hearing.hear(from, said);
    if (heard === undefined || "problem" in heard || this.#testimonies.problemOf(heard) !== undefined) return false;
    this.pots.heard(heard.accounts);
    this.#testimonies.take(heard);
    return true;
  }
}
