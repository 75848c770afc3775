/** Rooms on a store in memory or in a file, on a clock that only the test moves, without gate or sockets. */

import type { AccountId } from "../../mesh/core/ids.ts";
import { Ledger } from "../../mesh/core/ledger.ts";
import { originTarget } from "../../node/live-room.ts";
import { type Changed, Rooms } from "../../node/rooms.ts";
import { Store } from "../../node/store.ts";

export const MINUTE_MS = 60_000;
/** The start of a minute. */
export const START_MS = 29_000_000 * MINUTE_MS;

export const SHOP = {
  name: "shop",
  host: "shop.example",
  total_active_users: 3,
  new_users_per_minute: 3,
  session_duration: 5,
};

export class RoomShelf {
  nowMs = START_MS;
  readonly store = new Store(":memory:", "process");
  readonly self = "account" as AccountId;
  ledger = new Ledger({ self: this.self, founder: this.self });
  readonly #origin: string | undefined;
  rooms: Rooms;

  constructor({ origin }: { origin: string | undefined } = { origin: "http://origin.internal:3000" }) {
    this.#origin = origin;
    this.rooms = this.#open();
  }

  /** The process ends without a word: all that is left is what the store was given. */
  restart(): void {
    this.ledger = new Ledger({ self: this.self, founder: this.self });
    const row = this.store.ledgerRow(this.self);
    if (row !== undefined) this.ledger.merge(row);
    this.rooms = this.#open();
  }

  /** Puts admissions and lines on disk, as the node does after a turn and twice a second. */
  save(): void {
    const kept = this.rooms.kept();
    this.store.commit(kept.map(({ id, admission }) => [id, admission.record] as const));
    this.saveLines();
  }

  saveLines(): void {
    const lines = this.rooms.kept().map(({ id, admission }) => [id, admission.lineSummary] as const);
    this.store.saveSoft({ aliveMs: this.nowMs, row: this.ledger.row(this.self), lines });
  }

  /** New visitors of a room; returns what happened to each. */
  visit(name: string, visitors: number): string[] {
    const live = this.rooms.byName(name);
    return Array.from(
      { length: visitors },
      (_, index) => live?.admission.arrive(`${this.nowMs} ${index}`, this.nowMs).kind ?? "no room",
    );
  }

  #open(): Rooms {
    const defaultOrigin = this.#origin === undefined ? undefined : originTarget(this.#origin);
    const place = { ledger: this.ledger, locality: "here", minuteMs: MINUTE_MS, defaultOrigin };
    return new Rooms(this.store, place, () => this.nowMs);
  }
}

export function done<Value>(changed: Changed<Value>): Value {
  if (!changed.ok) throw new Error(JSON.stringify(changed.refusal));
  return changed.value;
}

export function refusalOf(changed: Changed<unknown>): { code: string; message: string; paths: (string | undefined)[] } {
  if (changed.ok) throw new Error("Broken: it was not refused");
  const { code, message, problems } = changed.refusal;
  return { code, message, paths: problems.map(({ path }) => path) };
}
