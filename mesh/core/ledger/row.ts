/**
 * One account's row of the ledger: what it has given to others, and what it has counted, per room.
 *
 * Only the account's writer changes a row; all other nodes keep a copy. As plain data a row may be whole or only the
 * part that changed: both merge the same way, so a gift on a stream, a gossiped delta and a row on disk are one shape.
 *
 * Gifts (Balegas et al., "Extending Eventually Consistent Cloud Databases for Enforcing Numeric Invariants", 2015): for
 * each receiver the total of units ever given. A gift of `arrivals` stands under the minute of the giver's clock: what
 * the giver could still have spent a minute earlier must not be spent in that minute by the receiver too.
 */

import type { AccountId, Minute, RoomId } from "../ids.ts";
import { MinuteTotals, type MinuteTotalsData } from "./minute-totals.ts";

export const RESOURCES = ["active", "arrivals"] as const;
/** What a slot permits: one session inside (`active`) or one admission this minute (`arrivals`). */
export type Resource = (typeof RESOURCES)[number];

export const COUNT_KINDS = ["in", "out", "seen"] as const;
/**
 * What is counted per minute. `in`: sessions whose stay came to rest on this minute, by admission or by check-in;
 * `out`: sessions that no longer rest on it, because they checked in later or were ended; `seen`: new visitors,
 * admitted or not.
 */
export type CountKind = (typeof COUNT_KINDS)[number];

/** The minute under which gifts of `active` are recorded: long past on every clock, so that they count at once. */
export const AT_ONCE = 0 as Minute;

/**
 * Minutes kept per gift of `arrivals`. Totals only grow, so the newest minute holds all that was ever given; the ones
 * before serve receivers whose clock has not reached it. Clocks that differ by 2 s need two; with one, a receiver
 * slightly behind would lose sight of older gifts for a moment; more would serve clocks that are stopped anyway.
 */
const GIFT_MINUTES_MAX = 4;

/**
 * Minutes kept per count: the longest session (30 minutes), the minute under way, the minute that grace reaches into,
 * and three for clocks. Fewer would forget live sessions; more only costs memory.
 */
export const COUNT_MINUTES_MAX = 35;

export interface GiftData {
  readonly room: RoomId;
  readonly resource: Resource;
  readonly to: AccountId;
  /** Units ever given to `to`, as of each minute. */
  readonly totals: MinuteTotalsData;
}

export interface CountData {
  readonly room: RoomId;
  readonly kind: CountKind;
  readonly totals: MinuteTotalsData;
}

/** A row, or a part of one, as plain data. */
export interface RowData {
  readonly account: AccountId;
  readonly gifts: readonly GiftData[];
  readonly counts: readonly CountData[];
}

export const NOTHING_GIVEN: ReadonlyMap<AccountId, MinuteTotals> = new Map();

interface RoomEntries {
  readonly given: Readonly<Record<Resource, Map<AccountId, MinuteTotals>>>;
  readonly counts: Readonly<Record<CountKind, MinuteTotals>>;
}

export class Row {
  readonly account: AccountId;
  readonly #rooms = new Map<RoomId, RoomEntries>();

  constructor(account: AccountId) {
    this.account = account;
  }

  /** What has been given to whom, per receiver; an empty map if nothing. */
  given(room: RoomId, resource: Resource): ReadonlyMap<AccountId, MinuteTotals> {
    return this.#rooms.get(room)?.given[resource] ?? NOTHING_GIVEN;
  }

  /** The cell in which a gift is recorded; created if missing. */
  gift({ room, resource, to }: Pick<GiftData, "room" | "resource" | "to">): MinuteTotals {
    return this.#room(room).given[resource].getOrInsertComputed(to, () => new MinuteTotals(GIFT_MINUTES_MAX));
  }

  /** The cell in which a count is recorded; created if missing. */
  count(room: RoomId, kind: CountKind): MinuteTotals {
    return this.#room(room).counts[kind];
  }

  /** What has been counted in exactly this minute; 0 if nothing. */
  counted(room: RoomId, kind: CountKind, minute: Minute): number {
    return this.#rooms.get(room)?.counts[kind].at(minute) ?? 0;
  }

  /** The rooms with entries. */
  rooms(): RoomId[] {
    return [...this.#rooms.keys()];
  }

  /** Deletes what was given to others than `isKept`; returns which gifts those were. */
  forgetGifts(isKept: (to: AccountId) => boolean): Pick<GiftData, "room" | "resource" | "to">[] {
    const forgotten: Pick<GiftData, "room" | "resource" | "to">[] = [];
    for (const [room, { given }] of this.#rooms)
      for (const resource of RESOURCES)
        for (const to of given[resource].keys())
          if (!isKept(to)) {
            given[resource].delete(to);
            forgotten.push({ room, resource, to });
          }
    return forgotten;
  }

  giftsOf(room: RoomId): GiftData[] {
    return RESOURCES.flatMap((resource) =>
      [...this.given(room, resource)].map(([to, totals]) => ({ room, resource, to, totals: totals.toData() })),
    );
  }

  /** What has been counted in a room; kinds without a count are left out. */
  countsOf(room: RoomId): CountData[] {
    const counts = this.#rooms.get(room)?.counts;
    if (counts === undefined) return [];
    return COUNT_KINDS.map((kind) => ({ room, kind, totals: counts[kind].toData() })).filter(
      ({ totals }) => totals.length > 0,
    );
  }

  toData(): RowData {
    return {
      account: this.account,
      gifts: this.rooms().flatMap((room) => this.giftsOf(room)),
      counts: this.rooms().flatMap((room) => this.countsOf(room)),
    };
  }

  #room(room: RoomId): RoomEntries {
    return this.#rooms.getOrInsertComputed(room, emptyEntries);
  }
}

/** What `rows` say about gifts to `accounts`. */
export function giftsTo(accounts: readonly AccountId[], rows: readonly RowData[]): RowData[] {
  return giftsWhere(rows, (_from, to) => accounts.includes(to));
}

/** The gifts in `rows` that `isWanted`. */
export function giftsWhere(rows: readonly RowData[], isWanted: (from: AccountId, to: AccountId) => boolean): RowData[] {
  return rows
    .map((row) => ({ ...row, gifts: row.gifts.filter(({ to }) => isWanted(row.account, to)), counts: [] }))
    .filter((row) => row.gifts.length > 0);
}

/**
 * Rows without their counts, as a fence or an heir needs them: gifts decide what each account owns. Counts serve views
 * and waits, and are forgotten within the longest session anyway.
 */
export function withoutCounts(rows: readonly RowData[]): RowData[] {
  return rows.map((row) => ({ ...row, counts: [] }));
}

function emptyEntries(): RoomEntries {
  return {
    given: { active: new Map(), arrivals: new Map() },
    counts: {
      in: new MinuteTotals(COUNT_MINUTES_MAX),
      out: new MinuteTotals(COUNT_MINUTES_MAX),
      seen: new MinuteTotals(COUNT_MINUTES_MAX),
    },
  };
}
