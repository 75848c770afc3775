/**
 * The ledger as it travels: what this node writes, what it holds of others, and how both spread.
 *
 * There are three ways in. A gift sent on a direct stream (`receive`), where the giver itself speaks. Signed parts of
 * rows and registers of rooms (`heard`; replica-inbox.ts), which any node may pass on. The rows of a node that leaves to
 * this one (`takeOver`). All of it merges by maximum, so anything may be lost, doubled or late.
 *
 * A view folds the accounts of the members that it drops (`fold`): only gifts between accounts of members are kept. A
 * part may name others, as its writer knew another view; what it says of them is left out until a view brings them.
 *
 * What this node gave, and what its accounts received by any way, is put on disk in the same step: before a message
 * mentions it, and before a slot made of it is handed out. After `kill -9` a receiver must still know what it received,
 * because the giver may be gone.
 *
 * A gift of `arrivals` from a future minute is merged at once, however far ahead. The ledger uses nothing of it before
 * that minute. It can hide only older gifts of the same giver, so too few units are counted, never too many. Counts
 * from more than two minutes ahead are refused, since a cell that accepts one forgets the present; anti-entropy brings
 * them again.
 *
 * Which account gives to which, who writes it and whether it is fenced is decided elsewhere.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../ids.ts";
import { type Gift, Ledger, type Purse } from "../ledger/ledger.ts";
import type { Accounts } from "../ledger/openings.ts";
import { COUNT_MINUTES_MAX, type GiftData, type RowData } from "../ledger/row.ts";
import { minuteOf, minutePlus } from "../minute.ts";
import type { Writes } from "../wire/outbox.ts";
import { ROOMS_MAX } from "../wire/shapes.ts";
import { KnownRows } from "./known-rows.ts";
import { OwnRows } from "./own-rows.ts";
import { isRoomKey, type RegisterKey } from "./register-keys.ts";
import { type Register, Registers } from "./registers.ts";
import { type Heard, MINUTES_AHEAD_MAX, ReplicaInbox } from "./replica-inbox.ts";
import { type DigestMessage, type ReplicaMessage, type RowsMessage, RowsMessages } from "./replica-messages.ts";
import type { ReplicaOptions } from "./replica-options.ts";
import { type Refusal, Refusals } from "./replica-refusals.ts";
import { dropCell, putCell, putPart, putRegister, registerWrites, restored } from "./replica-store.ts";
import { readPart } from "./signed-part.ts";

export type Received =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly reason: Refusal };

/** The ledger for readers: all changes go through the replica, which stores and publishes them. */
export type LedgerView = Omit<Ledger, "give" | "record" | "merge" | "fold">;

export class Replica {
  readonly self: AccountId;
  readonly #options: ReplicaOptions;
  readonly #ledger: Ledger;
  readonly #rows: KnownRows;
  readonly #own: OwnRows;
  readonly #registers: Registers;
  readonly #refusals = new Refusals();
  readonly #inbox: ReplicaInbox;
  /** Parts of which something was left out, by account and room. */
  readonly #leftOut = new Map<AccountId, Set<RoomId>>();

  constructor(options: ReplicaOptions) {
    const { self, founder, mesh, incarnation, outbox, signatures, outdated, forgot, registerChanged } = options;
    this.self = accountOf(self);
    this.#options = options;
    this.#ledger = new Ledger({ self: this.self, founder });
    this.#rows = new KnownRows(options);
    this.#own = new OwnRows({
      self,
      mesh,
      incarnation,
      signatures,
      ledger: this.#ledger,
      rows: this.#rows,
      store: (part) => putPart(outbox, part),
      outdated,
      forgot,
    });
    this.#registers = new Registers({
      self,
      mesh,
      signatures,
      store: (key, signed) => putRegister(outbox, key, signed),
      changed: registerChanged,
      kept: (key, register) => options.registerKept?.(key, register),
    });
    this.#inbox = new ReplicaInbox({
      options,
      rows: this.#rows,
      own: this.#own,
      registers: this.#registers,
      refusals: this.#refusals,
      digest: () => this.digest(),
      merge: (row) => this.#merge(row),
      ledger: this.#ledger,
    });
    this.#restore();
  }

  get ledger(): LedgerView {
    return this.#ledger;
  }

  /** The accounts that this node writes: its own, those that others left to it, and those that it inherited. */
  get accounts(): ReadonlySet<AccountId> {
    return new Set([this.self, ...this.#options.writes()]);
  }

  /** How much has been refused since the start, by reason. */
  get refused(): Readonly<Record<Refusal, number>> {
    return this.#refusals.counts;
  }

  /** Units of several accounts together; see `Ledger.netUnits`. */
  netUnits(accounts: Iterable<AccountId>, purse: Purse): number {
    return this.#ledger.netUnits(accounts, purse);
  }

  /**
   * Gives units away: deducted now, on disk before the returned part of the row is sent. Asserts that the units exist.
   */
  give(gift: Gift): RowData {
    const part = this.#ledger.give(gift);
    this.#putCell(this.self, gift);
    this.#own.mark("gifts", gift.room);
    return part;
  }

  /** Adds `count` to what this node has counted in a minute. It is on the disk when it is published. */
  record(room: RoomId, entry: Parameters<Ledger["record"]>[1]): void {
    if (entry.count === 0) return;
    this.#ledger.record(room, entry);
    this.#own.mark("counts", room);
  }

  /**
   * Takes in what `from` says on its own stream that it gave to this node. All or nothing: `from` must be the writer of
   * the account, not fenced, and give to accounts that this node writes.
   */
  receive(from: NodeId, row: RowData): Received {
    const { accounts } = this;
    const reason = accountOf(from) === row.account ? this.#inbox.objection(row.account) : "notTheWriter";
    if (reason !== undefined) return { ok: false, reason: this.#refusals.note(reason) };
    if (row.gifts.some(({ to }) => !accounts.has(to)) || accounts.has(row.account))
      return { ok: false, reason: this.#refusals.note("notForThisNode") };
    if (new Set([...this.#ledger.roomsOf(row.account), ...row.gifts.map(({ room }) => room)]).size > ROOMS_MAX)
      return { ok: false, reason: this.#refusals.note("tooManyRooms") };
    return { ok: true, changed: this.#merge({ ...row, counts: [] }) };
  }

  /**
   * What has changed here since the last call and is to be published; undefined if nothing has, or nothing is left. It
   * must not leave before the writes of this step are on disk. A large change comes in several messages, one per call.
   */
  publish(nowMs: number): RowsMessage | undefined {
    const message = new RowsMessages();
    for (const key of this.#registers.unsent) {
      if (message.isFull) break;
      const signed = this.#registers.signed(key);
      if (signed !== undefined) message.addRegister(signed);
      this.#registers.noteSent(key);
    }
    const { minuteMs, countMinutes = COUNT_MINUTES_MAX } = this.#options;
    const minute = minuteOf(nowMs, minuteMs);
    // A clock that was ahead may have left later ones: others would refuse the whole part until their time has come.
    const last = minutePlus(minute, MINUTES_AHEAD_MAX);
    const minutes = { first: Math.max(0, minute + 1 - countMinutes) as Minute, last };
    while (!message.isFull) {
      const next = this.#own.next(minutes);
      if (next === undefined) break;
      if (next === "partTooLarge") this.#refusals.note(next);
      else message.addPart(next.name, next.part);
    }
    return message.take()[0];
  }

  /**
   * What this node knows, sent to a peer every few seconds and on joining; the peer processes it and answers.
   * `wantsBack`: the peer is to send its own.
   */
  digest({ wantsBack = false } = {}): DigestMessage {
    const isInStep = this.#options.isInStep?.() ?? true;
    return { kind: "digest", wantsBack, isInStep, known: this.#rows.known(), registers: this.#registers.digest };
  }

  /** Takes in a message of another replica, from the peer that sent or published it. */
  heard(message: ReplicaMessage, from: NodeId, nowMs: number): Heard {
    return this.#inbox.heard(message, from, nowMs);
  }

  /** Has on disk what is known of accounts that another node has left to this one; `rows`: what that one knew. */
  takeOver(accounts: readonly AccountId[], rows: readonly RowData[]): void {
    for (const row of rows) this.#merge(row);
    const taken = new Set(accounts);
    for (const account of this.#ledger.accounts())
      for (const gift of this.#ledger.row(account).gifts)
        if (taken.has(account) || taken.has(gift.to)) this.#putCell(account, gift);
  }

  /** Takes in rows of this node that it has lost. */
  relearn(rows: readonly RowData[]): void {
    for (const row of rows) this.#merge(row);
  }

  /**
   * Takes in who is in the mesh by a view, with what former members' accounts came to, and forgets the rest. Repeating
   * it changes nothing.
   */
  fold(accounts: Accounts): void {
    const { members, names } = accounts;
    const own = this.accounts;
    for (const gift of this.#ledger.fold(accounts))
      if (own.has(gift.account) || own.has(gift.to)) dropCell(this.#options.outbox, gift);
    this.#rows.keepOnly((account) => account === this.self || members.has(account) || names.has(account));
    const leftOut = [...this.#leftOut];
    this.#leftOut.clear();
    for (const [account, rooms] of leftOut)
      for (const room of rooms) {
        const part = this.#rows.get(account)?.gifts.get(room);
        const read = part && readPart("gifts", part.signed.bytes);
        if (read !== undefined) this.#merge({ account, ...read.entries });
      }
  }

  /** What is known about accounts' rows; see `Ledger.row`. */
  rows(accounts: Iterable<AccountId>): RowData[] {
    return Array.from(accounts, (account) => this.#ledger.row(account));
  }

  /** Writes one register; see `setRegisters`. */
  setRegister(key: RegisterKey, value: Omit<Register, "stamp">, nowMs: number): Register {
    const register = this.setRegisters(new Map([[key, value]]), nowMs).get(key);
    if (register === undefined) throw new Error("Cannot write a register as it was not accepted");
    return register;
  }

  /**
   * Writes registers, all or none; `document` undefined deletes a room, or takes an order back. Asserts that they fit.
   * `commit` puts them on disk before anything else: if it throws, nothing is changed.
   */
  setRegisters(
    values: ReadonlyMap<RegisterKey, Omit<Register, "stamp">>,
    nowMs: number,
    commit?: (writes: Writes) => void,
  ): ReadonlyMap<RegisterKey, Register> {
    return this.#registers.set(values, nowMs, (registers) => commit?.(registerWrites(registers)));
  }

  /** Stamps again what a clock that was wrong has stamped too far ahead of `nowMs`; see `Registers.restamp`. */
  restamp(nowMs: number, aheadMs: number): void {
    this.#registers.restamp(nowMs, aheadMs);
  }

  /** The configuration of all rooms, deleted ones included. */
  registers(): ReadonlyMap<RoomId, Register> {
    const rooms = new Map<RoomId, Register>();
    for (const [key, register] of this.#registers.all()) if (isRoomKey(key)) rooms.set(key, register);
    return rooms;
  }

  /** A digest that is equal where all registers are equal. */
  get registersDigest(): number {
    return this.#registers.digest;
  }

  /** One register of any kind. */
  register(key: RegisterKey): Register | undefined {
    return this.#registers.get(key);
  }

  /** Merges a row; what it says about the accounts that this node writes goes to disk. */
  #merge({ account, gifts, counts }: RowData): boolean {
    for (const { room, to } of gifts)
      if (!this.#ledger.keeps(account, to)) this.#leftOut.getOrInsertComputed(account, () => new Set()).add(room);
    const { accounts } = this;
    const [kept, others] = partitioned(gifts, ({ to }) => accounts.has(account) || accounts.has(to));
    let changed = this.#ledger.merge({ account, gifts: others, counts });
    if (changed && account === this.self) for (const { room } of counts) this.#own.mark("counts", room);
    for (const gift of kept) {
      if (!this.#ledger.merge({ account, gifts: [gift], counts: [] })) continue;
      this.#putCell(account, gift);
      if (account === this.self) this.#own.mark("gifts", gift.room);
      changed = true;
    }
    return changed;
  }

  #putCell(account: AccountId, { room, resource, to }: Pick<GiftData, "room" | "resource" | "to">): void {
    const totals = this.#ledger.totalsOf(account, { room, resource, to });
    putCell(this.#options.outbox, account, { room, resource, to, totals });
  }

  #restore(): void {
    const { cells, parts, registers } = restored(this.#options.stored);
    for (const cell of cells) this.#ledger.merge(cell);
    for (const part of parts) if (part.account === this.self) this.#own.restore(part);
    for (const signed of registers) this.#registers.restore(signed);
    this.#own.markUntold();
  }
}

function partitioned<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
