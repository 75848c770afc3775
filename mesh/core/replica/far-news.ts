/**
 * What a speaker sends to other localities: parts of rows that nodes of this locality write, and registers that were
 * written in it, as far as they are new since the last call.
 */

import type { AccountId } from "../ids.ts";
import type { Signed } from "../wire/signed.ts";
import type { KnownRows } from "./known-rows.ts";
import type { RegisterKey } from "./register-keys.ts";
import { type KnownVersions, type RowsMessage, RowsMessages } from "./replica-messages.ts";

export interface FarNewsParts {
  readonly rows: KnownRows;
  readonly signedRegister: (key: RegisterKey) => Signed | undefined;
  /** The accounts that nodes of this locality write; undefined where that is all of them. */
  readonly nearAccounts: (() => ReadonlySet<AccountId> | undefined) | undefined;
}

export class FarNews {
  readonly #parts: FarNewsParts;
  /** What was sent, by account. */
  readonly #sent = new Map<AccountId, KnownVersions>();
  /** Registers written in this locality since the last call. */
  readonly #registers = new Set<RegisterKey>();

  constructor(parts: FarNewsParts) {
    this.#parts = parts;
  }

  /** A register was written in this locality. */
  note(key: RegisterKey): void {
    this.#registers.add(key);
  }

  /** Whether a register is among the news: it should not wait. */
  get hasRegisters(): boolean {
    return this.#registers.size > 0;
  }

  /** All news; the first time, everything that is known. */
  take(): RowsMessage[] {
    const { rows, signedRegister, nearAccounts } = this.#parts;
    const now = rows.known(nearAccounts?.());
    const changed = now.flatMap((versions) => {
      const before = this.#sent.get(versions[0]);
      if (before === undefined) return [[versions[0], versions[1], 0, 0, 0, 0] as const];
      return before.every((value, index) => value === versions[index]) ? [] : [before];
    });
    for (const versions of now) this.#sent.set(versions[0], versions);
    const messages = changed.length === 0 ? [] : rows.missing(changed, false);
    const into = new RowsMessages();
    for (const key of this.#registers) {
      const signed = signedRegister(key);
      if (signed !== undefined) into.addRegister(signed);
    }
    this.#registers.clear();
    return [...messages, ...into.take()];
  }

  /** Starts over: another node was this locality's speaker meanwhile. */
  forget(): void {
    this.#sent.clear();
    this.#registers.clear();
  }
}
