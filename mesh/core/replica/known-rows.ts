/**
 * The signed parts of all accounts' rows that a replica holds, and what they prove about the knowledge of each node.
 *
 * An account's parts come from its own node alone. Those of a former member are passed on while its name is known.
 */

import { type AccountId, nodeOf } from "../ids.ts";
import type { Signatures } from "../wire/signed.ts";
import { type HeldPart, PartLog } from "./part-log.ts";
import {
  type KnownLog,
  type KnownVersions,
  knownLog,
  knownVersionsOf,
  type RowsMessage,
  RowsMessages,
} from "./replica-messages.ts";
import { type LogName, partSignable, SECTIONS, type Section } from "./signed-part.ts";

export type AccountLogs = Readonly<Record<Section, PartLog>>;

/**
 * Bytes of parts in all answers to one digest, after which the log under way is finished and the rest left to the next
 * digest. Some 4,000 parts; checking those that came from their writers themselves takes up to 150 ms, once.
 */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

export interface KnownRowsParts {
  readonly mesh: string;
  readonly signatures: Signatures;
}

export class KnownRows {
  readonly #parts: KnownRowsParts;
  readonly #logs = new Map<AccountId, AccountLogs>();

  constructor(parts: KnownRowsParts) {
    this.#parts = parts;
  }

  get(account: AccountId): AccountLogs | undefined {
    return this.#logs.get(account);
  }

  /** The logs of an account; made if there are none. */
  of(account: AccountId): AccountLogs {
    return this.#logs.getOrInsertComputed(account, () => ({ gifts: new PartLog(), counts: new PartLog() }));
  }

  /** Forgets the logs of all other accounts. */
  keepOnly(isKept: (account: AccountId) => boolean): void {
    for (const account of this.#logs.keys()) if (!isKept(account)) this.#logs.delete(account);
  }

  /** What is known about all accounts, for a digest; accounts without anything known are left out. */
  known(): KnownVersions[] {
    const known: KnownVersions[] = [];
    for (const [account, logs] of this.#logs) {
      if (logs.gifts.newest > 0 || logs.counts.newest > 0) known.push(this.knownOf(account));
    }
    return known;
  }

  /** What is known about an account. */
  knownOf(account: AccountId): KnownVersions {
    return knownVersionsOf(account, this.#logs.get(account) ?? UNKNOWN);
  }

  /**
   * What is held here and not known there. `others`: the accounts that `theirs` does not list are wanted from the
   * beginning, as in a digest. A part that no node has checked yet is checked first.
   */
  missing(theirs: readonly KnownVersions[], others: boolean): RowsMessage[] {
    const into = new RowsMessages();
    this.#collect(theirs, others, into);
    return into.take();
  }

  /** Whether a node that knows `theirs` of an account may hold parts that are missing here. */
  lacks(theirs: KnownVersions): boolean {
    const mine = this.knownOf(theirs[0]);
    return SECTIONS.some((section) => {
      const [here, there] = [knownLog(section, mine), knownLog(section, theirs)];
      return there.beyond > 0 ? there.beyond !== here.beyond : there.complete > here.complete;
    });
  }

  #collect(theirs: readonly KnownVersions[], others: boolean, into: RowsMessages): void {
    const known = new Map(theirs.map((versions) => [versions[0], versions]));
    for (const account of others ? this.#logs.keys() : known.keys()) {
      const logs = this.#logs.get(account);
      if (logs === undefined) continue;
      const their = known.get(account);
      for (const section of SECTIONS) {
        const log = logs[section];
        const { complete, beyond } = their === undefined ? NOTHING : knownLog(section, their);
        if (log.newest <= complete || (beyond > 0 && beyond === log.beyond)) continue;
        const name = { account, section };
        for (const part of log.after(complete))
          if (part.isVerified || this.#isSound(name, part)) into.addPart(name, part);
      }
      if (into.bytesInAll >= ANSWER_BYTES_MAX) return;
    }
  }

  #isSound(name: LogName, part: HeldPart): boolean {
    const { mesh, signatures } = this.#parts;
    const { bytes, signature } = part.signed;
    if (!signatures.verify(nodeOf(name.account), partSignable(mesh, name, bytes), signature)) return false;
    this.of(name.account)[name.section].hold({ ...part, isVerified: true });
    return true;
  }
}

const NOTHING: KnownLog = { complete: 0, beyond: 0 };
const UNKNOWN = { gifts: NOTHING, counts: NOTHING };
