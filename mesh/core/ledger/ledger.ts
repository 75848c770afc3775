/**
 * The ledger as one node sees it: its own account's row, which it alone writes, and copies of all others.
 *
 * A room's units belong to the root account until given away: `units(i) = root(i) × 2^30 + opening(i) + Σ given[* → i]
 * − Σ given[i → *]`. A node knows its own giving exactly and its receiving as a lower bound, so its view of its own
 * units is never above the truth, whatever is lost, late or doubled. That is why limits hold, and it needs no clock,
 * order or delivery (Balegas et al., 2015; see `row.ts`).
 *
 * Sums are over the accounts of members only. What others had given and received is in the openings, which come with
 * the view that dropped them (`openings.ts`).
 *
 * `shares.ts` decides what may be spared; the caller decides whose copy to trust, and stores before it sends
 * (write-ahead).
 */

import type { AccountId, Minute, RoomId } from "../ids.ts";
import { BrokenInvariant } from "../invariant.ts";
import type { MinuteTotals, MinuteTotalsData } from "./minute-totals.ts";
import { type Accounts, Openings } from "./openings.ts";
import {
  AT_ONCE,
  type CountData,
  type CountKind,
  type GiftData,
  NOTHING_GIVEN,
  RESOURCES,
  type Resource,
  Row,
  type RowData,
} from "./row.ts";
import { slotsOf, UNITS } from "./shares.ts";

/** Gifts of later minutes count, too. */
const ANY_MINUTE = Number.MAX_SAFE_INTEGER as Minute;

/** One resource of one room, at a minute of the local clock. */
export interface Purse {
  readonly room: RoomId;
  readonly resource: Resource;
  readonly minute: Minute;
}

export interface Gift extends Purse {
  readonly to: AccountId;
  readonly units: number;
  /** The accounts, this node's own among them, whose net bounds the gift. If left out: the own account alone. */
  readonly accounts?: readonly AccountId[];
}

/** A computed balance and the minutes for which it is valid: until the minute of the next gift. */
interface Balance {
  readonly units: number;
  readonly from: number;
  readonly until: number;
}

/** For one account, by resource and room. */
type PerPurse<Item> = Readonly<Record<Resource, Map<RoomId, Item>>>;

/** What was given to one account, to read. */
export type GivenTotals = Pick<MinuteTotals, "at" | "newestMinute">;

/** A gift that became part of an opening. */
export interface FoldedGift extends Pick<GiftData, "room" | "resource" | "to"> {
  readonly account: AccountId;
}

export class Ledger {
  readonly self: AccountId;
  readonly #rows = new Map<AccountId, Row>();
  /** By receiver: the cells of all accounts that have given to it. */
  readonly #received = new Map<AccountId, PerPurse<Map<AccountId, MinuteTotals>>>();
  #openings: Openings;
  /** The accounts of members; undefined until a view is known, when all count. */
  #members: ReadonlySet<AccountId> | undefined;
  /** Kept because every new visitor needs it; by account. */
  readonly #balances = new Map<AccountId, PerPurse<Balance>>();

  constructor({ self, founder }: { readonly self: AccountId; readonly founder: AccountId }) {
    this.self = self;
    this.#openings = new Openings({ openings: [], root: founder });
    this.#row(self);
  }

  /**
   * Units that this node may use and pass on at `minute`; negative while it does not know where its own gifts came
   * from.
   */
  units(purse: Purse): number {
    return this.unitsOf(this.self, purse);
  }

  /** Units of any account as far as this node knows: exact once it has heard everything. */
  unitsOf(account: AccountId, { room, resource, minute }: Purse): number {
    const kept = this.#balances.get(account)?.[resource].get(room);
    if (kept !== undefined && kept.from <= minute && minute < kept.until) return kept.units;
    const balance = this.#balanceOf(account, { room, resource, minute });
    this.#balances.getOrInsertComputed(account, perPurse<Balance>)[resource].set(room, balance);
    return balance.units;
  }

  /**
   * Units of several accounts that one node writes, together; 0 for no accounts. A gift from one of them to another
   * cancels out, because what the one has given and what the other has received are read from the same cell (until a
   * gift of `arrivals` counts, the sum is too low, never too high). So one account may go below zero while the sum
   * does not.
   */
  netUnits(accounts: Iterable<AccountId>, purse: Purse): number {
    let net = 0;
    for (const account of accounts) net += this.unitsOf(account, purse);
    return net;
  }

  /**
   * Whether several accounts of one writer have no units left in any room, known here or not, deleted rooms included.
   * Never true for the root account: it owns all of a room that was created where no other node has heard of it.
   * Another account owns only what it was given, and the members that stay know of each gift, or of the giver's units
   * in its place.
   */
  ownNothing(accounts: readonly AccountId[]): boolean {
    if (accounts.includes(this.root)) return false;
    const rooms = accounts.flatMap((account) => this.#roomsReceived(account));
    return RESOURCES.every((resource) =>
      rooms.every((room) => this.netUnits(accounts, { room, resource, minute: ANY_MINUTE }) <= 0),
    );
  }

  /** The account that owns what no account was given. */
  get root(): AccountId {
    return this.#openings.root;
  }

  /**
   * Takes in who is in the mesh, and what those that are not any more had come to: their gifts, and those to them, are
   * deleted, and what else is known of accounts that have no name left. Returns the deleted gifts.
   */
  fold({ openings, members, names }: Accounts): FoldedGift[] {
    this.#openings = new Openings(openings);
    this.#members = members;
    this.#balances.clear();
    const folded: FoldedGift[] = [];
    for (const [account, row] of this.#rows) {
      const ended = row.forgetGifts((to) => this.keeps(account, to));
      folded.push(...ended.map((gift) => ({ account, ...gift })));
      if (account !== this.self && !members.has(account) && !names.has(account)) this.#rows.delete(account);
    }
    for (const { account, room, resource, to } of folded) this.#received.get(to)?.[resource].get(room)?.delete(account);
    for (const account of this.#received.keys()) if (!members.has(account)) this.#received.delete(account);
    return folded;
  }

  /** Whether gifts of one account to another are kept: not once one of them has ended, nor before both are members. */
  keeps(giver: AccountId, to: AccountId): boolean {
    return this.#members === undefined || (this.#members.has(giver) && this.#members.has(to));
  }

  /**
   * Gives units of the own account away: deducted when this returns. The returned part of the row is what the receiver
   * merges, once or often. It asserts that the units exist; the caller must know whether they can be spared.
   */
  give({ room, resource, minute, to, units, accounts = [this.self] }: Gift): RowData {
    const own = this.netUnits(accounts, { room, resource, minute });
    if (!Number.isSafeInteger(units) || units <= 0)
      throw new BrokenInvariant(
        `Cannot give units as a gift must be a whole number above 0: current value is ${units}`,
      );
    if (units > own)
      throw new BrokenInvariant(
        `Cannot give ${units} units as no more can be given than is owned: current value is ${own}`,
      );
    if (to === this.self || accounts.includes(to))
      throw new BrokenInvariant(`Cannot give units as the receiver must be another account: current value is ${to}`);
    if (!accounts.includes(this.self))
      throw new BrokenInvariant(
        `Cannot give units as ${this.self} must be among the givers: current value is ${accounts}`,
      );

    const totals = this.#cell(this.#row(this.self), { room, resource, to });
    const since = resource === "arrivals" ? minute : AT_ONCE;
    const newest = totals.newestMinute() ?? since;
    if (since < newest)
      throw new BrokenInvariant(
        `Cannot give units as minutes must not go back from ${newest}: current value is ${since}`,
      );
    totals.raise(since, totals.latest() + units);
    this.#forgetBalances(room, resource, [this.self, to]);
    return {
      account: this.self,
      gifts: [{ room, resource, to, totals: [[since, totals.latest()]] }],
      counts: [],
    };
  }

  /** Adds `count` to what the own account has counted in `minute`. */
  record(room: RoomId, entry: { readonly minute: Minute; readonly kind: CountKind; readonly count: number }): void {
    const totals = this.#row(this.self).count(room, entry.kind);
    totals.raise(entry.minute, totals.at(entry.minute) + entry.count);
  }

  /** What all accounts have counted in `minute`, or only those of `accounts`; 0 for minutes no longer kept. */
  count(
    room: RoomId,
    of: { readonly minute: Minute; readonly kind: CountKind; readonly accounts?: Iterable<AccountId> },
  ): number {
    let sum = 0;
    for (const account of of.accounts ?? this.#rows.keys())
      sum += this.#rows.get(account)?.counted(room, of.kind, of.minute) ?? 0;
    return sum;
  }

  /**
   * Sessions as far as published: those resting on the current minute or on one of the `sessionDuration` minutes
   * before. For views, waits and the dashboard, never for admission.
   */
  activeUsers(room: RoomId, minute: Minute, sessionDuration: number): number {
    let sum = 0;
    for (let at = minute - sessionDuration; at <= minute; at++) {
      const during = at as Minute;
      sum += this.count(room, { minute: during, kind: "in" }) - this.count(room, { minute: during, kind: "out" });
    }
    return Math.max(0, sum);
  }

  /** Accounts that have a row. */
  accounts(): AccountId[] {
    return [...this.#rows.keys()];
  }

  /** An account's row as known, to be stored or passed on; one without entries if nothing is known. */
  row(account: AccountId): RowData {
    return (this.#rows.get(account) ?? new Row(account)).toData();
  }

  /** The rooms in which an account has entries. */
  roomsOf(account: AccountId): RoomId[] {
    return this.#rows.get(account)?.rooms() ?? [];
  }

  /** What an account has given in one room. */
  giftsOf(account: AccountId, room: RoomId): GiftData[] {
    return this.#rows.get(account)?.giftsOf(room) ?? [];
  }

  /** What an account has given of one resource in a room, by receiver: to look at without a copy. */
  givenBy(account: AccountId, room: RoomId, resource: Resource): ReadonlyMap<AccountId, GivenTotals> {
    return this.#rows.get(account)?.given(room, resource) ?? NOTHING_GIVEN;
  }

  /** What an account has counted in one room. */
  countsOf(account: AccountId, room: RoomId): CountData[] {
    return this.#rows.get(account)?.countsOf(room) ?? [];
  }

  /** Everything known about what an account has given to another. */
  totalsOf(account: AccountId, { room, resource, to }: Pick<GiftData, "room" | "resource" | "to">): MinuteTotalsData {
    return this.#rows.get(account)?.given(room, resource).get(to)?.toData() ?? [];
  }

  /**
   * Merges a row or part of one, in any order and any number of times; gifts that are not kept are left out. Returns
   * whether anything changed. If a copy raises the own row after the start, another process wrote it: the caller raises
   * the alarm.
   */
  merge(data: RowData): boolean {
    const row = this.#row(data.account);
    let changed = false;
    for (const { room, resource, to, totals } of data.gifts) {
      if (!this.keeps(data.account, to)) continue;
      const cell = this.#cell(row, { room, resource, to });
      for (const [minute, total] of totals) {
        if (!cell.raise(minute, total)) continue;
        changed = true;
        this.#forgetBalances(room, resource, [data.account, to]);
      }
    }
    for (const { room, kind, totals } of data.counts) {
      const cell = row.count(room, kind);
      for (const [minute, total] of totals) changed = cell.raise(minute, total) || changed;
    }
    return changed;
  }

  #balanceOf(account: AccountId, { room, resource, minute }: Purse): Balance {
    const opening = this.#openings.of(account, { room, resource, minute });
    let owned = opening.units + (account === this.root ? UNITS : 0);
    let { until } = opening;
    for (const received of this.#received.get(account)?.[resource].get(room)?.values() ?? []) {
      owned += received.upTo(minute);
      until = Math.min(until, received.nextAfter(minute));
    }
    let given = 0;
    for (const totals of this.#rows.get(account)?.given(room, resource).values() ?? []) given += totals.latest();

    // Above 2^53 sums are rounded, upwards too. It takes 16 years of a whole room passing through one account every
    // minute.
    const largest = Math.max(Math.abs(owned), given);
    if (!Number.isSafeInteger(largest))
      throw new BrokenInvariant(`Cannot count units as totals must stay below 2^53: current value is ${largest}`);
    return { units: owned - given, from: minute, until };
  }

  /** The cell in which a gift is recorded; a new one is noted with its receiver. */
  #cell(row: Row, gift: Pick<GiftData, "room" | "resource" | "to">): MinuteTotals {
    const { room, resource, to } = gift;
    const before = row.given(room, resource).get(to);
    if (before !== undefined) return before;
    const cell = row.gift(gift);
    const received = this.#received.getOrInsertComputed(to, perPurse<Map<AccountId, MinuteTotals>>)[resource];
    received.getOrInsertComputed(room, () => new Map()).set(row.account, cell);
    return cell;
  }

  #roomsReceived(account: AccountId): RoomId[] {
    const received = RESOURCES.flatMap((resource) => [...(this.#received.get(account)?.[resource].keys() ?? [])]);
    return [...received, ...this.#openings.roomsOf(account)];
  }

  #forgetBalances(room: RoomId, resource: Resource, accounts: readonly AccountId[]): void {
    for (const account of accounts) this.#balances.get(account)?.[resource].delete(room);
  }

  #row(account: AccountId): Row {
    return this.#rows.getOrInsertComputed(account, () => new Row(account));
  }
}

/** Slots that the units of several accounts make together at a limit. */
export function slotsOfAccounts(
  ledger: Pick<Ledger, "netUnits">,
  accounts: Iterable<AccountId>,
  { limit, ...purse }: Purse & { readonly limit: number },
): number {
  return slotsOf(limit, ledger.netUnits(accounts, purse));
}

function perPurse<Item>(): PerPurse<Item> {
  return { active: new Map(), arrivals: new Map() };
}
