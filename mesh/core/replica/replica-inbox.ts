/**
 * What a replica takes in of the messages of others, and what it answers (anti-entropy).
 *
 * Parts and registers are signed by their writers, so any node may pass them on; each is checked before it is merged. A
 * digest is answered with what it lacks, and with a question for what is missing here.
 */

import { type AccountId, accountOf, type NodeId, nodeOf } from "../ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RowData } from "../ledger/row.ts";
import { minuteOf } from "../minute.ts";
import type { Signed, SignedPair } from "../wire/signed.ts";
import type { KnownRows } from "./known-rows.ts";
import type { OwnRows } from "./own-rows.ts";
import type { HeldPart } from "./part-log.ts";
import type { Registers } from "./registers.ts";
import {
  type DigestMessage,
  type KnownVersions,
  type PartsOfLog,
  type ReplicaMessage,
  type RowsMessage,
  RowsMessages,
  type StampsMessage,
  type WantMessage,
} from "./replica-messages.ts";
import type { ReplicaOptions } from "./replica-options.ts";
import type { Refusal, Refusals } from "./replica-refusals.ts";
import {
  type Entries,
  type LogName,
  newestMinute,
  type Part,
  partSignable,
  readPart,
  takesBack,
} from "./signed-part.ts";

/** How many minutes ahead of the local clock counts may be. Sound clocks need one; a second one costs nothing. */
export const MINUTES_AHEAD_MAX = 2;

/** The result of a message. */
export interface Heard {
  /** To be sent to the node that sent the message. */
  readonly answers: readonly ReplicaMessage[];
  /** How many parts of it are its sender's fault. */
  readonly faults: number;
  /** Whether the ledger or a register changed. */
  readonly changed: boolean;
}

/** A message of rows that is being processed: who sent it and when, and what its answer will be. */
interface Hearing {
  readonly from: NodeId;
  readonly nowMs: number;
  readonly forgotten: RowsMessages;
}

export interface ReplicaInboxParts {
  readonly options: ReplicaOptions;
  readonly rows: KnownRows;
  readonly own: OwnRows;
  readonly registers: Registers;
  readonly refusals: Refusals;
  /** What this node knows, for a peer that wants it. */
  readonly digest: () => DigestMessage;
  /** Takes a checked row into the ledger; returns whether it changed that. */
  readonly merge: (row: RowData) => boolean;
  readonly ledger: Pick<Ledger, "keeps">;
}

export class ReplicaInbox {
  readonly #parts: ReplicaInboxParts;
  readonly #options: ReplicaOptions;
  readonly #rows: KnownRows;
  readonly #own: OwnRows;
  readonly #registers: Registers;
  readonly #refusals: Refusals;
  /** Whether the message that is being processed has changed anything. */
  #changed = false;

  constructor(parts: ReplicaInboxParts) {
    this.#parts = parts;
    this.#options = parts.options;
    this.#rows = parts.rows;
    this.#own = parts.own;
    this.#registers = parts.registers;
    this.#refusals = parts.refusals;
  }

  /** Takes in a message of another replica, from the peer that sent or published it. */
  heard(message: ReplicaMessage, from: NodeId, nowMs: number): Heard {
    const faultsBefore = this.#refusals.faults;
    this.#changed = false;
    const answers = this.#answersTo(message, from, nowMs);
    return { answers, faults: this.#refusals.faults - faultsBefore, changed: this.#changed };
  }

  /** Why nothing is accepted for an account. */
  objection(account: AccountId): Refusal | undefined {
    if (this.#options.writerOf(account) === undefined) return "unknownAccount";
    return this.#options.isFenced(account) ? "fenced" : undefined;
  }

  #answersTo(message: ReplicaMessage, from: NodeId, nowMs: number): ReplicaMessage[] {
    switch (message.kind) {
      case "rows":
        return this.#hearRows(message, from, nowMs);
      case "digest":
        return this.#answerDigest(message);
      case "want":
        return this.#answerWant(message);
      case "stamps":
        return this.#answerStamps(message);
    }
  }

  /** Answers a writer that takes back what it has published with that: it has forgotten it. */
  #hearRows({ logs, registers }: RowsMessage, from: NodeId, nowMs: number): ReplicaMessage[] {
    const forgotten = new RowsMessages();
    for (const log of logs) this.#hearParts(log, { from, nowMs, forgotten });
    for (const pair of registers) this.#hearRegister(pair, nowMs);
    return forgotten.take();
  }

  #hearParts({ account, section, to, parts }: PartsOfLog, { from, nowMs, forgotten }: Hearing): void {
    const name = { account, section };
    if (account === accountOf(this.#options.self)) {
      for (const pair of parts) this.#hearOwnPart(name, pair);
      return;
    }
    const objection = this.objection(account);
    if (objection !== undefined) {
      this.#refusals.note(objection);
      return;
    }
    if (to <= (this.#rows.get(account)?.[section].complete ?? 0)) return;
    const isFromWriter = accountOf(from) === account;
    for (const pair of parts) {
      const kept = this.#hearPart(name, pair, { isFromWriter, nowMs });
      if (kept !== undefined && isFromWriter) forgotten.addPart(name, kept);
    }
    this.#rows.get(account)?.[section].settle();
  }

  /** Returns the part that is kept as the newer one takes something back. */
  #hearPart(
    name: LogName,
    [bytes, signature]: SignedPair,
    how: { isFromWriter: boolean; nowMs: number },
  ): HeldPart | undefined {
    const { account, section } = name;
    const read = readPart(section, bytes);
    if (read === undefined) {
      this.#refusals.note("badPart");
      return undefined;
    }
    const { part, entries } = read;
    const before = this.#rows.get(account)?.[section].get(part.room);
    if (before !== undefined && before.version >= part.version) return undefined;
    const refusal = this.#whyNot(name, { ...read, bytes, signature, before }, how);
    if (refusal !== undefined) {
      this.#refusals.note(refusal);
      return refusal === "takenBack" ? before : undefined;
    }
    const signed = { bytes, signature };
    this.#rows.of(account)[section].hold({ ...part, signed, isVerified: !how.isFromWriter });
    if (this.#parts.merge({ account, ...entries })) this.#changed = true;
    return undefined;
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
    const { account, section } = name;
    const { minuteMs, signatures, mesh, writerOf } = this.#options;
    if (this.#rows.get(account)?.[section].hasPlaceFor(part.room) === false) return "tooManyRooms";
    if (newestMinute(entries) > minuteOf(nowMs, minuteMs) + MINUTES_AHEAD_MAX) return "tooFarAhead";
    if (!isFromWriter && !signatures.verify(nodeOf(account), partSignable(mesh, name, bytes), signature))
      return "badSignature";
    // A writer that takes something back has forgotten it. The older part is kept, and the writer gets it: as proof, or
    // to learn it again. Of counts whose writer is gone, all hold the newest part instead: nobody could learn them again.
    if (section === "counts" && writerOf(account) !== nodeOf(account)) return undefined;
    const earlier = before === undefined ? undefined : readPart(section, before.signed.bytes);
    if (earlier === undefined) return undefined;
    // Gifts to accounts that have ended are in the openings, and in no part that was written since.
    const gifts = earlier.entries.gifts.filter(({ to }) => this.#parts.ledger.keeps(account, to));
    return takesBack({ ...earlier.entries, gifts }, entries) ? "takenBack" : undefined;
  }

  #hearOwnPart(name: LogName, [bytes, signature]: SignedPair): void {
    const { self, mesh, signatures } = this.#options;
    const read = readPart(name.section, bytes);
    if (read === undefined) this.#refusals.note("badPart");
    else if (!signatures.verify(self, partSignable(mesh, name, bytes), signature)) this.#refusals.note("badSignature");
    else this.#own.heard(name.section, { ...read, bytes });
  }

  #hearRegister([bytes, signature]: SignedPair, nowMs: number): void {
    const outcome = this.#registers.heard({ bytes, signature }, this.#options.judgeMs?.() ?? nowMs);
    if (outcome === "changed") this.#changed = true;
    else if (outcome !== "known") this.#refusals.note(outcome);
  }

  #answerDigest({ wantsBack, known, registers }: DigestMessage): ReplicaMessage[] {
    // A node that gets this digest asks for what it would take: one that no view names yet would refuse most rows.
    const answers: ReplicaMessage[] = wantsBack ? [this.#parts.digest()] : this.#rows.missing(known, true);
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
    const answers: ReplicaMessage[] = [...into.take(), ...this.#rows.missing(known, false)];
    // A node that asks also shows what it knows about this node's rows.
    const self = accountOf(this.#options.self);
    const strange = known
      .map((versions) => (versions[0] === self ? this.#own.lacking(versions) : undefined))
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

  /** What this node lacks and would accept from a digest's line; undefined if nothing. */
  #lacking(versions: KnownVersions): KnownVersions | undefined {
    const [account] = versions;
    if (account === accountOf(this.#options.self)) return this.#own.lacking(versions);
    if (this.objection(account) !== undefined) return undefined;
    return this.#rows.lacks(versions) ? this.#rows.knownOf(account) : undefined;
  }
}
