import { describe, expect, test } from "vitest";
import type { AccountId, RoomId } from "../../../mesh/core/ids.ts";
import type { Instant } from "../../../mesh/core/instant.ts";
import type { Members } from "../../../mesh/core/members/members.ts";
import { type Pot, Pots } from "../../../mesh/core/members/pots.ts";
import type { MeshRoom } from "../../../node/admission/mesh/mesh-room.ts";
import { PotClock } from "../../../node/peer/pot-clock.ts";

const OWN = "own" as AccountId;
const LOST = "lost" as AccountId;
const POOR = "poor" as AccountId;
const THIRD = "third" as AccountId;
const FOURTH = "fourth" as AccountId;
const MINUTE_MS = 60_000;
const TIMES = { minuteMs: MINUTE_MS, leaseMs: 30_000 };

function instant(ms: number): Instant {
  return { wallMs: 1_000_000_000 + ms, steadyMs: ms };
}

type How = Partial<Pick<Pot, "group">>;

/** A node started at 0, when it has just inherited accounts; sessions of up to `longest` minutes may be about. */
class Heir {
  readonly settled: string[] = [];
  readonly clock: PotClock;
  readonly #pots = new Pots();
  readonly #accounts = [OWN];
  /** Of each room: the groups of pots on which sessions rest. */
  readonly #groups: Set<string>[] = [];

  constructor(longest: number, inherited: readonly ({ account: AccountId } & How)[], minuteMs = MINUTE_MS) {
    const members = {
      pot: (now: Instant) => this.#pots.at(now),
      writes: () => this.#accounts,
      sessions: { longest },
      settle: (accounts: readonly AccountId[]) => {
        this.settled.push(...accounts);
        this.#pots.settle(accounts);
      },
    } as unknown as Members;
    for (const { account, ...how } of inherited) this.inherit(account, { atMs: 0, ...how });
    const rooms = ["room 0", "room 1"].map((name) => {
      const groups = new Set(this.#pots.at(instant(0)).map(({ group }) => group));
      this.#groups.push(groups);
      const sessions = {
        get potGroups() {
          return [...groups];
        },
      };
      const settlePot = (group: string) => groups.delete(group) && this.settled.push(name);
      return [name as RoomId, { settlePot, admission: { sessions } } as unknown as MeshRoom] as const;
    });
    this.clock = new PotClock(
      {
        ...TIMES,
        minuteMs,
        now: instant(0),
        ownsNothing: (accounts) => accounts.every((account) => account === POOR),
      },
      members,
      new Map(rooms),
    );
  }

  inherit(account: AccountId, { atMs, group = `view of ${account}`, ...how }: { atMs: number } & How): void {
    this.#accounts.push(account);
    this.#pots.add({ accounts: [account], group, ...how, passedMs: 0 }, instant(atMs));
    for (const groups of this.#groups) groups.add(group);
  }

  /** What may be used `ms` after 0: accounts of `active`, accounts of `arrivals`. */
  at(ms: number): [active: readonly AccountId[], arrivals: readonly AccountId[]] {
    this.clock.tick(instant(ms));
    return [this.clock.settled("active"), this.clock.settled("arrivals")];
  }
}

/** The longest session of five minutes: 30 s of lease, 6 minutes and 5 s of grace. */
const ACTIVE_MS = 30_000 + 6 * MINUTE_MS + 5_000;

describe("accounts inherited from a removed node", () => {
  test("may admit when the removed node's lease is over, and a whole minute after", () => {
    const heir = new Heir(5, [{ account: LOST }]);
    expect(heir.at(30_000 + 2 * MINUTE_MS)[1]).toEqual([OWN]);
    expect(heir.at(30_000 + 2 * MINUTE_MS + 1)).toEqual([[OWN], [OWN, LOST]]);
  });

  test("are used like the own one when the last of their sessions is surely over, and the rooms are notified", () => {
    const heir = new Heir(5, [{ account: LOST }]);
    expect(heir.at(ACTIVE_MS)[0]).toEqual([OWN]);
    expect(heir.settled).toEqual([]);
    expect(heir.at(ACTIVE_MS + 1)[0]).toEqual([OWN, LOST]);
    expect(heir.settled).toEqual([LOST, "room 0", "room 1"]);
    heir.at(ACTIVE_MS + 2);
    expect(heir.settled).toHaveLength(3);
  });

  test("do not wait for accounts that another view inherited, before or after", () => {
    const heir = new Heir(5, [{ account: LOST }]);
    const longMs = ACTIVE_MS;
    heir.inherit(FOURTH, { atMs: 1_000 });
    heir.inherit(POOR, { atMs: longMs - 1 });
    expect(heir.at(longMs + 1)[0]).toEqual([OWN, LOST, POOR]);
    expect(heir.settled).toEqual([LOST, POOR, "room 0", "room 0", "room 1", "room 1"]);
    heir.inherit(THIRD, { atMs: longMs });
    expect(heir.at(longMs + 1_001)[0]).toEqual([OWN, LOST, FOURTH, POOR]);
    expect(heir.clock.groupOf(THIRD)).toBe("view of third");
    expect(heir.clock.accountsIn("view of third")).toEqual([THIRD]);
  });

  test("wait for each other where one view inherited them: one may have given slots to the other that nobody has heard of", () => {
    const group = "view 7";
    const heir = new Heir(5, [
      { account: FOURTH, group },
      { account: LOST, group },
      { account: POOR, group },
    ]);
    expect(heir.at(ACTIVE_MS)[0]).toEqual([OWN]);
    expect(heir.at(ACTIVE_MS + 1)[0]).toEqual([OWN, FOURTH, LOST, POOR]);
  });

  test("do not wait where none of them owns anything, as nodes that crash again and again leave behind", () => {
    const heir = new Heir(5, [{ account: POOR }]);
    expect(heir.at(1)[0]).toEqual([OWN, POOR]);
  });
});

test("a node that has inherited nothing in short minutes counts as many of them, and a grace in proportion", () => {
  const { clock } = new Heir(5, [], 600);
  expect(clock.activeMs).toBe(33_650);
});
