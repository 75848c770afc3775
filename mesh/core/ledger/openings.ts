/**
 * What accounts that have ended left to those that stay: by account and room, units more or less than its gifts say.
 *
 * A view that drops members folds them: it adds what each of them gave, and was given, to the openings of both sides,
 * and the gifts themselves are deleted. Openings are cumulative, so the newest view has all of them. They add up to
 * nothing in each room, because a gift adds to one account what it takes from another. The whole of a room that no gift
 * has touched stays implicit: it is the root account's.
 *
 * A gift of `arrivals` counts from its minute on (see `row.ts`), and so does an opening made of it: `later` is the part
 * of it that waits for the newest of those minutes.
 */

import type { AccountId, Minute, RoomId } from "../ids.ts";
import { BrokenInvariant } from "../invariant.ts";
import type { Resource, RowData } from "./row.ts";

/** Units of one account in one room. `later`: those of `arrivals` that do not count before `OpeningsData.from`. */
export type Opening = readonly [room: RoomId, active: number, arrivals: number, later: number];

export interface OpeningsData {
  /** Accounts and rooms without units are left out. */
  readonly openings: readonly (readonly [AccountId, readonly Opening[]])[];
  /** The account that owns what no account was given; at first the founder's. */
  readonly root: AccountId;
  /** The minute before which `later` does not count; left out if nothing waits. */
  readonly from?: Minute | undefined;
}

/** Who is in the mesh by a view. */
export interface Accounts {
  readonly openings: OpeningsData;
  /** The accounts that give and receive. */
  readonly members: ReadonlySet<AccountId>;
  /** Those of former members whose names sessions may still carry. */
  readonly names: ReadonlySet<AccountId>;
}

export class Openings {
  readonly root: AccountId;
  readonly #from: Minute;
  readonly #byAccount: ReadonlyMap<AccountId, ReadonlyMap<RoomId, Opening>>;

  constructor({ openings, root, from = 0 as Minute }: OpeningsData) {
    this.root = root;
    this.#from = from;
    this.#byAccount = new Map(
      openings.map(([account, rooms]) => [account, new Map(rooms.map((opening) => [opening[0], opening]))]),
    );
  }

  /** The units of an account in a minute, and the minute before which that holds. */
  of(
    account: AccountId,
    { room, resource, minute }: { readonly room: RoomId; readonly resource: Resource; readonly minute: Minute },
  ): { readonly units: number; readonly until: number } {
    const opening = this.#byAccount.get(account)?.get(room);
    if (opening === undefined) return { units: 0, until: Number.POSITIVE_INFINITY };
    const [, active, arrivals, later] = opening;
    if (resource === "active") return { units: active, until: Number.POSITIVE_INFINITY };
    return minute < this.#from
      ? { units: arrivals - later, until: this.#from }
      : { units: arrivals, until: Number.POSITIVE_INFINITY };
  }

  /** The rooms in which an account has an opening. */
  roomsOf(account: AccountId): Iterable<RoomId> {
    return this.#byAccount.get(account)?.keys() ?? [];
  }
}

/** What a view does to the openings of the one before. */
export interface Folding {
  /** Accounts that end: their gifts, and those to them, become openings. */
  readonly dropped: ReadonlySet<AccountId>;
  /** All such gifts that any account that stays knows of, and those between dropped ones. */
  readonly gifts: readonly RowData[];
  /** Accounts that merge into another one: their openings move there, and the root with them. */
  readonly merged: ReadonlyMap<AccountId, AccountId>;
}

type Units = [active: number, arrivals: number, later: number];

/** The openings after a view; `gifts` has one row for each account. */
export function foldedOpenings(before: OpeningsData, { dropped, gifts, merged }: Folding): OpeningsData {
  const units = new Map<AccountId, Map<RoomId, Units>>();
  const add = (account: AccountId, room: RoomId, [active, arrivals, later]: Readonly<Units>) => {
    const into = units
      .getOrInsertComputed(merged.get(account) ?? account, () => new Map())
      .getOrInsertComputed(room, (): Units => [0, 0, 0]);
    into[0] += active;
    into[1] += arrivals;
    into[2] += later;
  };
  const ending = gifts.flatMap(({ account: giver, gifts: given }) =>
    given.filter(({ to }) => dropped.has(giver) || dropped.has(to)).map((gift) => ({ giver, ...gift })),
  );
  const minutes = ending.flatMap(({ resource, totals }) => (resource === "arrivals" ? (totals.at(-1)?.[0] ?? 0) : 0));
  const from = Math.max(before.from ?? 0, ...minutes) as Minute;

  for (const [account, rooms] of before.openings)
    for (const [room, active, arrivals, later] of rooms)
      add(account, room, [active, arrivals, before.from === from ? later : 0]);
  for (const { giver, to, room, resource, totals } of ending) {
    const total = Math.max(0, ...totals.map(([, each]) => each));
    const earlier = Math.max(0, ...totals.flatMap(([minute, each]) => (minute < from ? each : 0)));
    if (resource === "active") {
      add(giver, room, [-total, 0, 0]);
      add(to, room, [total, 0, 0]);
    } else {
      add(giver, room, [0, -total, 0]);
      add(to, room, [0, total, total - earlier]);
    }
  }
  const root = merged.get(before.root) ?? before.root;
  const openings = Array.from(units, ([account, rooms]) => [account, openingsIn(rooms)] as const).filter(
    ([, rooms]) => rooms.length > 0,
  );
  assertBalanced(openings);
  const isWaiting = openings.some(([, rooms]) => rooms.some(([, , , later]) => later !== 0));
  return { openings, root, ...(isWaiting && { from }) };
}

function openingsIn(rooms: ReadonlyMap<RoomId, Units>): Opening[] {
  return Array.from(rooms, ([room, units]): Opening => [room, ...units]).filter(([, ...units]) =>
    units.some((each) => each !== 0),
  );
}

function assertBalanced(openings: OpeningsData["openings"]): void {
  const sums = new Map<RoomId, [number, number]>();
  for (const [, rooms] of openings)
    for (const [room, active, arrivals] of rooms) {
      const sum = sums.getOrInsertComputed(room, () => [0, 0]);
      sum[0] += active;
      sum[1] += arrivals;
    }
  for (const [room, sum] of sums)
    if (sum.some((each) => each !== 0))
      throw new BrokenInvariant(
        `Cannot fold accounts as openings must add up to 0: current value is ${sum} in ${room}`,
      );
}
