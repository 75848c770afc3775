/**
 * What a replica keeps on the disk, and under which keys. Everything is plain data and grows with accounts and rooms,
 * never with visitors.
 *
 * `ledger/cell/…`: a gift given or received by an account that this node writes, one entry each, so that a gift writes
 * little. `ledger/part/…`: the own rows' parts as published, so that a version is never used twice. `ledger/account/…`:
 * accounts taken over. `ledger/room/…`: registers. Rows of other nodes are not stored: their writers and peers have
 * them.
 */

import type { AccountId, RoomId } from "../ids.ts";
import type { GiftData, RowData } from "../ledger/row.ts";
import type { Puts, Writes } from "../wire/outbox.ts";
import { fromStored, type Signed, toStored } from "../wire/signed.ts";
import type { RegisterKey } from "./register-keys.ts";
import type { Section } from "./signed-part.ts";

const CELL = "ledger/cell/";
const PART = "ledger/part/";
const ACCOUNT = "ledger/account/";
const ROOM = "ledger/room/";

/** Every key that a replica writes begins with this. */
export const REPLICA_KEYS = "ledger/";

export interface StoredPart {
  readonly account: AccountId;
  readonly section: Section;
  readonly signed: Signed;
}

export interface Restored {
  readonly accounts: readonly AccountId[];
  readonly cells: readonly RowData[];
  readonly parts: readonly StoredPart[];
  readonly registers: readonly Signed[];
}

/**
 * Reads what was stored; entries of other parts of the node are left alone. Asserts that its own entries are intact.
 */
export function restored(entries: ReadonlyMap<string, unknown>): Restored {
  // Sorted, so that a replica is the same whatever order the store returns.
  const mine = [...entries].filter(([key]) => key.startsWith(REPLICA_KEYS)).sort(([a], [b]) => (a < b ? -1 : 1));
  const under = (prefix: string) => mine.filter(([key]) => key.startsWith(prefix));
  return {
    accounts: under(ACCOUNT).map(([key]) => key.slice(ACCOUNT.length) as AccountId),
    cells: under(CELL).map(([, value]) => value as RowData),
    parts: under(PART).map(([key, value]) => {
      const [account, section] = key.slice(PART.length).split("/") as [AccountId, Section];
      return { account, section, signed: fromStored(key, value) };
    }),
    registers: under(ROOM).map(([key, value]) => fromStored(key, value)),
  };
}

export function putCell(outbox: Puts, account: AccountId, gift: GiftData): void {
  outbox.put(`${CELL}${account}/${gift.room}/${gift.resource}/${gift.to}`, { account, gifts: [gift], counts: [] });
}

export function putPart(outbox: Puts, part: StoredPart & { readonly room: RoomId }): void {
  const key = `${PART}${part.account}/${part.section}/${part.room}`;
  // Gifts that peers know and the disk does not would end the identity; a power loss must not cause that. They are
  // published twice a second at most.
  if (part.section === "gifts") outbox.putVote(key, toStored(part.signed));
  else outbox.put(key, toStored(part.signed));
}

export function putAccount(outbox: Puts, account: AccountId): void {
  outbox.put(ACCOUNT + account, true);
}

export function putRegister(outbox: Puts, key: RegisterKey, signed: Signed): void {
  // An operator's order; rare.
  for (const [place, value] of registerWrites([[key, signed]])) outbox.putVote(place, value);
}

/** The registers on disk. */
export function registerWrites(registers: readonly (readonly [RegisterKey, Signed])[]): Writes {
  return new Map(registers.map(([key, signed]) => [ROOM + key, toStored(signed)]));
}
