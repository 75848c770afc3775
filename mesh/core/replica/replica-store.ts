/**
 * What a replica keeps on the disk, and under which keys. Everything is plain data and grows with accounts and rooms,
 * never with visitors.
 *
 * `ledger/cell/…`: a gift given or received by an account that this node writes, one entry each, so that a gift writes
 * little. `ledger/part/…`: the own rows' parts as published, so that a version is never used twice.
 * `ledger/room/…`: registers. Rows of other nodes are not stored: their writers and peers have them.
 */

import { z } from "zod";
import type { AccountId, RoomId } from "../ids.ts";
import type { FoldedGift } from "../ledger/ledger.ts";
import type { GiftData, RowData } from "../ledger/row.ts";
import { Entry } from "../wire/entry.ts";
import type { Puts, Writes } from "../wire/outbox.ts";
import { rowData } from "../wire/shapes.ts";
import { fromStored, type Signed, toStored } from "../wire/signed.ts";
import type { RegisterKey } from "./register-keys.ts";
import type { Section } from "./signed-part.ts";

const signed = z.object({ bytes: z.string(), signature: z.string() });

export const CELL = new Entry<RowData>({
  key: "ledger/cell",
  names: ["account", "room", "resource", "to"],
  shape: rowData,
  writer: "mesh/core/replica/replica-store.ts",
  holds: "one gift that an account of this node gave or received: a total that only grows",
  without: "units would belong to two accounts, or to none",
});

export const PART = new Entry({
  key: "ledger/part",
  names: ["account", "section", "room"],
  shape: signed,
  writer: "mesh/core/replica/replica-store.ts",
  holds: "the last published part of a row of this node, signed",
  without: "a version would be used twice, and others would take this disk for an old copy",
});

export const REGISTER = new Entry({
  key: "ledger/room",
  names: ["register"],
  shape: signed,
  writer: "mesh/core/replica/replica-store.ts",
  holds:
    "a register as its writer signed it: a room's document, an order about a room, the rooms files that were applied, the generation of the keys of the fast lane, a token of the admin API (hashed), or a webhook",
  without: "the node learns of it from another node, or if it is alone the room is gone",
});

export const REPLICA_ENTRIES = [CELL, PART, REGISTER] as const;

export interface StoredPart {
  readonly account: AccountId;
  readonly section: Section;
  readonly signed: Signed;
}

export interface Restored {
  readonly cells: readonly RowData[];
  readonly parts: readonly StoredPart[];
  readonly registers: readonly Signed[];
}

/**
 * Reads what was stored; entries of other parts of the node are left alone. Asserts that its own entries are intact.
 */
export function restored(entries: ReadonlyMap<string, unknown>): Restored {
  // Sorted, so that a replica is the same whatever order the store returns.
  const mine = new Map([...entries].filter(([key]) => key.startsWith("ledger/")).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    cells: CELL.all(mine).map(({ value }) => value),
    parts: PART.all(mine).map(({ names, value }) => {
      const [account, section] = names as [AccountId, Section];
      return { account, section, signed: fromStored(value) };
    }),
    registers: REGISTER.all(mine).map(({ value }) => fromStored(value)),
  };
}

export function putCell(outbox: Puts, account: AccountId, gift: GiftData): void {
  outbox.put(CELL.at(account, gift.room, gift.resource, gift.to), { account, gifts: [gift], counts: [] });
}

export function putPart(outbox: Puts, part: StoredPart & { readonly room: RoomId }): void {
  const key = PART.at(part.account, part.section, part.room);
  // Gifts that peers know and the disk does not would end the identity; a power loss must not cause that. They are
  // published twice a second at most.
  if (part.section === "gifts") outbox.putVote(key, toStored(part.signed));
  else outbox.put(key, toStored(part.signed));
}

/** A gift is part of an opening now. */
export function dropCell(outbox: Puts, { account, room, resource, to }: FoldedGift): void {
  outbox.put(CELL.at(account, room, resource, to), undefined);
}

export function putRegister(outbox: Puts, key: RegisterKey, signed: Signed): void {
  // An operator's order; rare.
  outbox.putVote(REGISTER.at(key), toStored(signed));
}

/** The registers on disk. */
export function registerWrites(registers: readonly (readonly [RegisterKey, Signed])[]): Writes {
  return new Map(registers.map(([key, signed]) => [REGISTER.at(key), toStored(signed)]));
}
