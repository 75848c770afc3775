/**
 * The ledger as it travels: what this node writes, what it holds of others, and how both spread.
 *
 * There are three ways in. A gift sent on a direct stream (`receive`), where the giver itself speaks. Signed parts of
 * rows and registers of rooms (`heard`), which any node may pass on. Rows decided with a view (`mergeDecided`,
 * `takeOver`), which override fences. All of it merges by maximum, so anything may be lost, doubled or late.
 *
 * What this node gave, and what its accounts received by any way, is put on disk in the same step: before a message
 * mentions it, and before a slot made of it is handed out. After `kill -9` a receiver must still know what it received,
 * because the giver may be gone.
 *
 * A gift of `arrivals` from a future minute is merged at once, however far ahead: the ledger uses nothing of it before
 * that minute, and it hides at most older gifts of the same giver, so that too few units are counted, never too many.
 * Counts from more than two minutes ahead are refused, since a cell that accepts one forgets the present; anti-entropy
 * brings them again.
 *
 * Which account gives to which, who writes it and whether it is fenced is decided elsewhere.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../ids.ts";
import { type Gift, Ledger, type Purse } from "../ledger/ledger.ts";
import { COUNT_MINUTES_MAX, type GiftData, type RowData } from "../ledger/row.ts";
import { minuteOf, minutePlus } from "../minute.ts";
import type { Puts, Writes } from "../wire/outbox.ts";
import { ROOMS_MAX } from "../wire/shapes.ts";
import type { Signatures, Signed, SignedPair } from "../wire/signed.ts";
import { KnownRows } from "./known-rows.ts";
import { OwnRows } from "./own-rows.ts";
import type { HeldPart } from "./part-log.ts";
import { isRoomKey, type RegisterKey } from "./register-keys.ts";
import { type Register, Registers } from "./registers.ts";
import {
  type DigestMessage,
  type KnownVersions,
  type PartsOfLog,
  type ReplicaMessage,
  type RowsMessage,
  RowsMessages,
  type StampsMessage,
  sentWriter,
  type WantMessage,
} from "./replica-messages.ts";
import { putAccount, putCell, putLeftOut, putPart, putRegister, registerWrites, restored } from "./replica-store.ts";
import {
  type Entries,
  type LogName,
  newestMinute,
  type Part,
  partSignable,
  readPart,
  takesBack,
} from "./signed-part.ts";

export interface ReplicaOptions {
  readonly self: NodeId;
  readonly founder: AccountId;
  /** The mesh's id; signed with everything, so that nothing from another mesh is ever accepted. */
  readonly mesh: string;
  readonly minuteMs: number;
  /** Unix ms of the start, above those of earlier ones. */
  readonly incarnation: number;
  readonly outbox: Puts;
  /** Everything that was put and not removed; it may include entries of other parts of the node. */
  readonly stored: ReadonlyMap<string, unknown>;
  readonly signatures: Signatures;
  /** The only node that writes an account; undefined for an account that the view does not know. */
  readonly writerOf: (account: AccountId) => NodeId | undefined;
  /** Whether nothing more is accepted from an account. */
  readonly isFenced: (account: AccountId) => boolean;
  /**
   * Another node holds a newer version of an own row than this node has written: its disk is old or a copy. It must
   * give up its identity.
   */
  readonly outdated: (reason: string) => void;
  /** The disk has lost what this node had counted in a room: all its slots there may be in use. */
  readonly forgot: (room: RoomId) => void;
  /** A register written elsewhere has won. */
  readonly registerChanged: (key: RegisterKey, register: Register) => void;
  /** A register applies here, from any writer, also as read from disk at the start. */
  readonly registerKept?: (key: RegisterKey, register: Register) => void;
  /** Unix ms by which a register's stamp is too far ahead; if left out, the time that comes with the message. */
  readonly judgeMs?: () => number;
  /** Minutes of counts that are published: the longest window in use. */
  readonly countMinutes?: number;
  /** Whether this node has heard since its start what others know, as digests say; if left out, it has. */
  readonly isInStep?: () => boolean;
  /** Whether a node is in this node's locality; if left out, all are. */
  readonly isNear?: (node: NodeId) => boolean;
  /** The accounts that nodes of this locality write; undefined where that is all of them. */
  readonly nearAccounts?: () => ReadonlySet<AccountId> | undefined;
}

/** Why something was refused. */
export const REFUSALS = [
  "badPart",
  "badSignature",
  "badRegister",
  "notTheWriter",
  "unknownAccount",
  "fenced",
  "notForThisNode",
  "takenBack",
  "tooFarAhead",
  "registerTooFarAhead",
  "tooManyAccounts",
  "tooManyRooms",
  "partTooLarge",
] as const;
export type Refusal = (typeof REFUSALS)[number];

/**
 * Refusals that are the fault of the node that passed it on: a sound node checks first. The others come from different
 * views, clocks and bounds.
 */
const FAULTS: ReadonlySet<Refusal> = new Set(["badPart", "badSignature", "badRegister"]);

/** How many minutes ahead of the local clock counts may be. Sound clocks need one; a second one costs nothing. */
const MINUTES_AHEAD_MAX = 2;

/** The result of a message. */
export interface Heard {
  /** To be sent to the node that sent the message. */
  readonly answers: readonly ReplicaMessage[];
  /** How many parts of it are its sender's fault. */
  readonly faults: number;
  /** Whether the ledger or a register changed. */
  readonly changed: boolean;
}

export type Received =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly reason: Refusal };

/** The ledger for readers: all changes go through the replica, which stores and publishes them. */
export type LedgerView = Omit<Ledger, "give" | "record" | "merge">;

export class Replica {
  readonly self: AccountId;
  readonly #options: ReplicaOptions;
  readonly #ledger: Ledger;
  readonly #rows: KnownRows;
  readonly #own: OwnRows;
  readonly #registers: Registers;
  readonly #refused = Object.fromEntries(REFUSALS.map((reason) => [reason, 0])) as Record<Refusal, number>;
  /** Faults and changes of the message that is being processed. */
  #faults = 0;
  #changed = false;
  #isFromNear = true;
  /** What `news` has sent, by account. */
  readonly #toldFar = new Map<AccountId, KnownVersions>();
  /** Registers written in this locality since the last digest. */
  readonly #newRegisters = new Set<RegisterKey>();

  constructor(options: ReplicaOptions) {
    const { self, founder, mesh, incarnation, outbox, signatures, outdated, forgot, registerChanged } = options;
    this.self = accountOf(self);
    this.#options = options;
    this.#ledger = new Ledger({ self: this.self, founder });
    this.#rows = new KnownRows(options.writerOf);
    this.#own = new OwnRows({
      self,
      mesh,
      incarnation,
      signatures,
      ledger: this.#ledger,
      rows: this.#rows,
      store: (part) => putPart(outbox, part),
      storeLeftOut: (leftOut) => putLeftOut(outbox, leftOut),
      outdated,
      forgot,
    });
    this.#registers = new Registers({
      self,
      mesh,
      signatures,
      store: (key, signed) => putRegister(outbox, key, signed),
      changed: (key, register) => {
        if (this.#isFromNear) this.#newRegisters.add(key);
        registerChanged(key, register);
      },
      kept: (key, register) => options.registerKept?.(key, register),
    });
    this.#restore();
  }

  get ledger(): LedgerView {
    return this.#ledger;
  }

  /** The accounts that this node writes: its own, and those taken over. */
  get accounts(): ReadonlySet<AccountId> {
    return this.#own.accounts;
  }

  /** How much has been refused since the start, by reason. */
  get refused(): Readonly<Record<Refusal, number>> {
    return this.#refused;
  }

  /** Units of several accounts as one pot; see `Ledger.netUnits`. */
  netUnits(accounts: Iterable<AccountId>, purse: Purse): number {
    return this.#ledger.netUnits(accounts, purse);
  }

  /**
   * Gives units away: deducted now, on disk before the returned part of the row is sent. Asserts that the units exist.
   */
  give(gift: Gift): RowData {
    const part = this.#ledger.give(gift);
    this.#putCell(this.self, gift);
    this.#own.mark("gifts", this.self, gift.room);
    return part;
  }

  /** Adds `count` to what this node has counted in a minute. It is on the disk when it is published. */
  record(room: RoomId, entry: Parameters<Ledger["record"]>[1]): void {
    if (entry.count === 0) return;
    this.#ledger.record(room, entry);
    this.#own.mark("counts", this.self, room);
  }

  /**
   * Takes in what `from` says on its own stream that it gave to this node. All or nothing: `from` must be the writer of
   * the account, not fenced, and give to accounts that this node writes.
   */
  receive(from: NodeId, row: RowData): Received {
    const reason = this.#objection(row.account, from);
    if (reason !== undefined) return { ok: false, reason: this.#refuse(reason) };
    if (row.gifts.some(({ to }) => !this.accounts.has(to)) || this.accounts.has(row.account))
      return { ok: false, reason: this.#refuse("notForThisNode") };
    if (new Set([...this.#ledger.roomsOf(row.account), ...row.gifts.map(({ room }) => room)]).size > ROOMS_MAX)
      return { ok: false, reason: this.#refuse("tooManyRooms") };
    return { ok: true, changed: this.#merge({ ...row, counts: [] }) };
  }

  /**
   * What has changed here since the last call and is to be published; undefined if nothing has, or nothing is left. It
   * must not leave before the writes of this step are on disk. A large change comes in several messages, one per call.
   */
  publish(nowMs: number): RowsMessage | undefined {
    const message = new RowsMessages();
    for (const key of this.#registers.untold) {
      if (message.isFull) break;
      const signed = this.#registers.signed(key);
      if (signed !== undefined) message.addRegister(signed);
      this.#registers.told(key);
    }
    const { minuteMs, countMinutes = COUNT_MINUTES_MAX } = this.#options;
    const minute = minuteOf(nowMs, minuteMs);
    // A clock that was ahead may have left later ones: others would refuse the whole part until their time has come.
    const last = minutePlus(minute, MINUTES_AHEAD_MAX);
    const minutes = { first: Math.max(0, minute + 1 - countMinutes) as Minute, last };
    while (!message.isFull) {
      const next = this.#own.next(minutes);
      if (next === undefined) break;
      if (next === "partTooLarge") this.#refuse(next);
      else message.addPart(next.name, next.part);
    }
    return message.take()[0];
  }

  /**
   * What this node knows, sent to a peer every few seconds and on joining; the peer processes it and answers. `isNear`:
   * only the rows that nodes of this locality write. `wantsBack`: the peer is to send its own.
   */
  digest({ isNear = false, wantsBack = false } = {}): DigestMessage {
    const known = this.#rows.known(isNear ? this.#options.nearAccounts?.() : undefined);
    const isInStep = this.#options.isInStep?.() ?? true;
    return { kind: "digest", isNear, wantsBack, isInStep, known, registers: this.#registers.digest };
  }

  /**
   * Parts of rows that nodes of this locality write, and registers, that are new since the last call: what a speaker
   * sends to other localities. The first time, all of them.
   */
  news(): RowsMessage[] {
    const now = this.#rows.known(this.#options.nearAccounts?.());
    const told = now.flatMap((versions) => {
      const before = this.#toldFar.get(versions[0]);
      if (before === undefined) return [[versions[0], versions[1], 0, 0, 0, 0] as const];
      return before.every((value, index) => value === versions[index]) ? [] : [before];
    });
    for (const versions of now) this.#toldFar.set(versions[0], versions);
    const messages = told.length === 0 ? [] : this.#rowsFor(told, false);
    const into = new RowsMessages();
    for (const key of this.#newRegisters) {
      const signed = this.#registers.signed(key);
      if (signed !== undefined) into.addRegister(signed);
    }
    this.#newRegisters.clear();
    return [...messages, ...into.take()];
  }

  /** Whether a register is among the news: it should not wait. */
  get hasNewRegisters(): boolean {
    return this.#newRegisters.size > 0;
  }

  /** Restarts `news`: another node was this locality's speaker meanwhile. */
  forgetTold(): void {
    this.#toldFar.clear();
    this.#newRegisters.clear();
  }

  /** Takes in a message of another replica, from the peer that sent or published it. */
  heard(message: ReplicaMessage, from: NodeId, nowMs: number): Heard {
    this.#faults = 0;
    this.#changed = false;
    this.#isFromNear = this.#options.isNear?.(from) ?? true;
    const answers = this.#answersTo(message, from, nowMs);
    return { answers, faults: this.#faults, changed: this.#changed };
  }

  /**
   * Makes this node the writer of further accounts, with what is known of their rows: the heir's part. All of it is put
   * on disk and published again under this node's name. Repeating it changes nothing.
   */
  takeOver(accounts: readonly AccountId[], rows: readonly RowData[]): void {
    const added = accounts.filter((account) => !this.accounts.has(account));
    for (const account of added) {
      this.#own.add(account);
      putAccount(this.#options.outbox, account);
    }
    this.mergeDecided(rows);
    if (added.length === 0) return;
    for (const account of this.#ledger.accounts()) {
      const isAdded = added.includes(account);
      for (const { room, resource, to } of this.#ledger.row(account).gifts)
        if (isAdded || added.includes(to)) this.#putCell(account, { room, resource, to });
    }
    for (const account of added) this.#own.markAll(account);
  }

  /** Takes in rows that were decided with a view, even those of fenced accounts. */
  mergeDecided(rows: readonly RowData[]): void {
    for (const row of rows) this.#merge(row);
  }

  /**
   * What is known about accounts' rows, for a fence or an heir. Gifts only: they decide what each account owns. Counts
   * serve views and waits, and are forgotten within the longest session anyway.
   */
  copies(accounts: Iterable<AccountId>): RowData[] {
    return Array.from(accounts, (account) => ({ ...this.#ledger.row(account), counts: [] }));
  }

  /** Writes one register; see `setRegisters`. */
  setRegister(key: RegisterKey, value: Omit<Register, "stamp">, nowMs: number): Register {
    const register = this.setRegisters(new Map([[key, value]]), nowMs).get(key);
    if (register === undefined) throw new Error("Cannot write a register as it was not accepted");
    return register;
  }

  /**
   * Writes registers, all or none; `document` undefined deletes a room, or takes an order back. Asserts that they fit. `commit` puts them
   * on disk before anything else: if it throws, nothing is changed.
   */
  setRegisters(
    values: ReadonlyMap<RegisterKey, Omit<Register, "stamp">>,
    nowMs: number,
    commit?: (writes: Writes) => void,
  ): ReadonlyMap<RegisterKey, Register> {
    const written = this.#registers.set(values, nowMs, (registers) => commit?.(registerWrites(registers)));
    for (const key of written.keys()) this.#newRegisters.add(key);
    return written;
  }

  /** Stamps again what a clock that was wrong has stamped too far ahead of `nowMs`; see `Registers.restamp`. */
  restamp(nowMs: number, aheadMs: number): void {
    for (const key of this.#registers.restamp(nowMs, aheadMs)) this.#newRegisters.add(key);
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

  #answersTo(message: ReplicaMessage, from: NodeId, nowMs: number): ReplicaMessage[] {
    switch (message.kind) {
      case "rows":
        for (const log of message.logs) this.#hearParts(log, from, nowMs);
        for (const pair of message.registers) this.#hearRegister(pair, nowMs);
        return [];
      case "digest":
        return this.#answerDigest(message);
      case "want":
        return this.#answerWant(message);
      case "stamps":
        return this.#answerStamps(message);
    }
  }

  #hearParts({ account, writer, section, to, parts }: PartsOfLog, from: NodeId, nowMs: number): void {
    const name = { account, writer: sentWriter(account, writer), section };
    if (name.writer === this.#options.self) {
      for (const pair of parts) this.#hearOwnPart(name, pair);
      return;
    }
    const objection = this.#objection(account, name.writer);
    if (objection !== undefined) {
      this.#refuse(objection);
      return;
    }
    const held = this.#rows.get(account);
    if (held?.writer === name.writer && to <= held[section].complete) return;
    // What comes from another locality will be passed on: it is checked at once.
    const isFromWriter = from === name.writer && this.#isFromNear;
    for (const pair of parts) this.#hearPart(name, pair, { isFromWriter, nowMs });
    const logs = this.#rows.get(account);
    if (logs?.writer === name.writer) logs[section].settle();
  }

  #hearPart(name: LogName, [bytes, signature]: SignedPair, how: { isFromWriter: boolean; nowMs: number }): void {
    const { account, writer, section } = name;
    const read = readPart(section, bytes);
    if (read === undefined) {
      this.#refuse("badPart");
      return;
    }
    const { part, entries } = read;
    const held = this.#rows.get(account);
    const log = held?.writer === writer ? held[section] : undefined;
    const before = log?.get(part.room);
    if (before !== undefined && before.version >= part.version) return;
    const refusal = this.#whyNot(name, { ...read, bytes, signature, before }, how);
    if (refusal !== undefined) {
      this.#refuse(refusal);
      return;
    }
    const signed = { bytes, signature };
    this.#rows.by(writer, account)[section].hold({ ...part, signed, isVerified: !how.isFromWriter });
    if (this.#merge({ account, ...entries })) this.#changed = true;
  }

  /** Why a part is refused, most expensive check last. */
  #whyNot(
    name: LogName,
    {
      part,
      entries,
      bytes,
      signature,
      before,
    }: Signed & { part: Part; entries: Entries; before: HeldPart | undefined },
    { isFromWriter, nowMs }: { isFromWriter: boolean; nowMs: number },
  ): Refusal | undefined {
    const { account, writer, section } = name;
    const { minuteMs, signatures, mesh } = this.#options;
    if (!this.#rows.hasPlaceFor(account)) return "tooManyAccounts";
    if (this.#rows.get(account)?.[section].hasPlaceFor(part.room) === false) return "tooManyRooms";
    if (newestMinute(entries) > minuteOf(nowMs, minuteMs) + MINUTES_AHEAD_MAX) return "tooFarAhead";
    if (!isFromWriter && !signatures.verify(writer, partSignable(mesh, name, bytes), signature)) return "badSignature";
    // A writer that takes something back has forgotten it. The older part is kept: the writer will ask for it, as proof
    // or to learn it again.
    const earlier = before === undefined ? undefined : readPart(section, before.signed.bytes);
    return earlier !== undefined && takesBack(earlier.entries, entries) ? "takenBack" : undefined;
  }

  #hearOwnPart(name: LogName, [bytes, signature]: SignedPair): void {
    const { self, mesh, signatures } = this.#options;
    const read = readPart(name.section, bytes);
    if (read === undefined) this.#refuse("badPart");
    else if (!signatures.verify(self, partSignable(mesh, name, bytes), signature)) this.#refuse("badSignature");
    else this.#own.heard(name.section, name.account, { ...read, bytes });
  }

  #hearRegister([bytes, signature]: SignedPair, nowMs: number): void {
    const outcome = this.#registers.heard({ bytes, signature }, this.#options.judgeMs?.() ?? nowMs);
    if (outcome === "changed") this.#changed = true;
    else if (outcome !== "known") this.#refuse(outcome);
  }

  #answerDigest({ isNear, wantsBack, known, registers }: DigestMessage): ReplicaMessage[] {
    const near = isNear ? this.#options.nearAccounts?.() : undefined;
    const answers: ReplicaMessage[] = this.#rowsFor(known, near ?? true);
    if (wantsBack) answers.push(this.digest());
    const wanted = known.map((versions) => this.#lacking(versions)).filter((versions) => versions !== undefined);
    if (wanted.length > 0) answers.push({ kind: "want", known: wanted, registers: [] });
    if (registers !== this.#registers.digest) answers.push({ kind: "stamps", stamps: this.#registers.stamps() });
    return answers;
  }

  #answerWant({ known, registers }: WantMessage): ReplicaMessage[] {
    const into = new RowsMessages();
    for (const key of registers) {
      const signed = this.#registers.signed(key);
      if (signed !== undefined) into.addRegister(signed);
    }
    const answers: ReplicaMessage[] = [...into.take(), ...this.#rowsFor(known, false)];
    // A node that asks also shows what it knows about this node's rows.
    const self = this.#options.self;
    const strange = known
      .map((versions) => (sentWriter(versions[0], versions[1]) === self ? this.#own.lacking(versions) : undefined))
      .filter((versions) => versions !== undefined);
    if (strange.length > 0) answers.push({ kind: "want", known: strange, registers: [] });
    return answers;
  }

  #answerStamps({ stamps }: StampsMessage): ReplicaMessage[] {
    const { newer, older } = this.#registers.compare(stamps);
    const into = new RowsMessages();
    for (const signed of newer) into.addRegister(signed);
    const answers: ReplicaMessage[] = into.take();
    if (older.length > 0) answers.push({ kind: "want", known: [], registers: older });
    return answers;
  }

  #rowsFor(known: readonly KnownVersions[], others: boolean | ReadonlySet<AccountId>): RowsMessage[] {
    const { mesh, signatures } = this.#options;
    const into = new RowsMessages();
    const isSound = (name: LogName, part: HeldPart) => {
      const { bytes, signature } = part.signed;
      if (!signatures.verify(name.writer, partSignable(mesh, name, bytes), signature)) return false;
      this.#rows.by(name.writer, name.account)[name.section].hold({ ...part, isVerified: true });
      return true;
    };
    this.#rows.collect(known, { others, into, isSound });
    return into.take();
  }

  /** What this node lacks and would accept from a digest's line; undefined if nothing. */
  #lacking(versions: KnownVersions): KnownVersions | undefined {
    const [account, sent] = versions;
    const writer = sentWriter(account, sent);
    if (writer === this.#options.self) return this.#own.lacking(versions);
    if (this.#options.writerOf(account) !== writer || this.#options.isFenced(account)) return undefined;
    return this.#rows.lacks(versions, writer) ? this.#rows.knownOf(account, writer) : undefined;
  }

  /** Why nothing is accepted for an account as written by `writer`. */
  #objection(account: AccountId, writer: NodeId): Refusal | undefined {
    const rightful = this.#options.writerOf(account);
    if (rightful === undefined) return "unknownAccount";
    if (rightful !== writer) return "notTheWriter";
    return this.#options.isFenced(account) ? "fenced" : undefined;
  }

  #refuse(reason: Refusal): Refusal {
    this.#refused[reason] += 1;
    if (FAULTS.has(reason)) this.#faults += 1;
    return reason;
  }

  /** Merges a row; what it says about the accounts that this node writes goes to disk. */
  #merge({ account, gifts, counts }: RowData): boolean {
    const isOwn = this.accounts.has(account);
    const [kept, others] = partitioned(gifts, ({ to }) => isOwn || this.accounts.has(to));
    let changed = this.#ledger.merge({ account, gifts: others, counts });
    if (changed && isOwn) for (const { room } of counts) this.#own.mark("counts", account, room);
    for (const gift of kept) {
      if (!this.#ledger.merge({ account, gifts: [gift], counts: [] })) continue;
      this.#putCell(account, gift);
      if (isOwn) this.#own.mark("gifts", account, gift.room);
      changed = true;
    }
    return changed;
  }

  #putCell(account: AccountId, { room, resource, to }: Pick<GiftData, "room" | "resource" | "to">): void {
    const totals = this.#ledger.totalsOf(account, { room, resource, to });
    putCell(this.#options.outbox, account, { room, resource, to, totals });
  }

  #restore(): void {
    const { accounts, cells, parts, leftOut, registers } = restored(this.#options.stored);
    for (const account of [this.self, ...accounts]) this.#own.add(account);
    for (const cell of cells) this.#ledger.merge(cell);
    for (const part of parts) this.#own.restore(part);
    for (const counts of leftOut) this.#own.restoreLeftOut(counts);
    for (const signed of registers) this.#registers.restore(signed);
    this.#own.markUntold();
  }
}

function partitioned<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
