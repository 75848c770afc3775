import { describe, expect, test } from "vitest";
import type { AccountId, Minute, RoomId } from "../../../../mesh/core/ids.ts";
import { Ledger } from "../../../../mesh/core/ledger/ledger.ts";
import type { RowData } from "../../../../mesh/core/ledger/row.ts";
import { UNITS } from "../../../../mesh/core/ledger/shares.ts";

const ANNA = "anna" as AccountId;
const BERT = "bert" as AccountId;
const CARL = "carl" as AccountId;
const ROOM = "shop" as RoomId;
const NOW = 28_000_000 as Minute;
const later = (minutes: number) => (NOW + minutes) as Minute;

const ledgerOf = (self: AccountId) => new Ledger({ self, founder: ANNA });
const givenInAll = (account: AccountId, to: AccountId, total: number): RowData => ({
  account,
  gifts: [{ room: ROOM, resource: "active", to, totals: [[0 as Minute, total]] }],
  counts: [],
});
const active = (minute = NOW) => ({ room: ROOM, resource: "active", minute }) as const;
const arrivals = (minute = NOW) => ({ room: ROOM, resource: "arrivals", minute }) as const;

describe("a gift of arrivals", () => {
  test("counts from its minute on, also if it comes after a later one", () => {
    const bert = ledgerOf(BERT);
    const given = (minutes: number, total: number): RowData => ({
      account: ANNA,
      gifts: [{ room: ROOM, resource: "arrivals", to: BERT, totals: [[later(minutes), total]] }],
      counts: [],
    });
    for (const row of [given(2, 7), given(0, 3)]) expect(bert.merge(row)).toBe(true);
    expect(bert.merge(given(0, 2))).toBe(false);
    expect([-1, 0, 1, 2, 9].map((minutes) => bert.units(arrivals(later(minutes))))).toEqual([0, 3, 3, 7, 7]);
  });

  test("can't stand under an earlier minute than the one before it", () => {
    const anna = ledgerOf(ANNA);
    anna.give({ ...arrivals(later(1)), to: BERT, units: 3 });
    expect(() => anna.give({ ...arrivals(), to: BERT, units: 3 })).toThrow(
      `Cannot give units as minutes must not go back from ${later(1)}: current value is ${NOW}`,
    );
  });
});

describe("giving", () => {
  test.each([
    { units: 0, says: "Cannot give units as a gift must be a whole number above 0: current value is 0" },
    { units: -3, says: "Cannot give units as a gift must be a whole number above 0: current value is -3" },
    { units: 1.5, says: "Cannot give units as a gift must be a whole number above 0: current value is 1.5" },
    { units: UNITS + 1, says: `no more can be given than is owned: current value is ${UNITS}` },
  ])("$units units is refused", ({ units, says }) => {
    const anna = ledgerOf(ANNA);
    expect(() => anna.give({ ...active(), to: BERT, units })).toThrow(says);
    expect(anna.units(active())).toBe(UNITS);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])("a copy with a total of %s is refused", (total) => {
    expect(() => ledgerOf(BERT).merge(givenInAll(ANNA, BERT, total))).toThrow("must be a whole number below 2^53");
  });

  test("to oneself is refused", () => {
    expect(() => ledgerOf(ANNA).give({ ...active(), to: ANNA, units: 1 })).toThrow("current value is anna");
  });

  test("is exact for 16 years of a whole room changing hands every minute, and then refused", () => {
    const minutes = Math.floor((2 ** 53 - 1) / UNITS) - 1;
    expect(minutes / (60 * 24 * 365)).toBeGreaterThan(15.9);
    const anna = ledgerOf(ANNA);
    anna.merge(givenInAll(ANNA, BERT, minutes * UNITS));
    anna.merge(givenInAll(BERT, ANNA, minutes * UNITS));
    expect(anna.units(active())).toBe(UNITS);
    expect(anna.unitsOf(BERT, active())).toBe(0);

    anna.merge(givenInAll(CARL, ANNA, UNITS));
    expect(() => anna.give({ ...active(), to: BERT, units: 1 })).toThrow(
      `Cannot count units as totals must stay below 2^53: current value is ${2 ** 53}`,
    );
  });
});

describe("counts", () => {
  test("show the sessions: those resting on a minute of the window, checked in again or ended", () => {
    const anna = ledgerOf(ANNA);
    const record = (minutes: number, kind: "in" | "out", count: number) =>
      anna.record(ROOM, { minute: later(minutes), kind, count });
    record(0, "in", 5);
    expect(anna.activeUsers(ROOM, NOW, 2)).toBe(5);
    // In the next minute two of them check in, one is revoked and one new visitor is admitted.
    record(1, "in", 3);
    record(0, "out", 3);
    expect(anna.activeUsers(ROOM, later(1), 2)).toBe(5);
    expect(anna.activeUsers(ROOM, later(2), 2)).toBe(5);
    expect(anna.activeUsers(ROOM, later(3), 2)).toBe(3);
    expect(anna.activeUsers(ROOM, later(4), 2)).toBe(0);
  });

  test("are kept for the longest session and a few minutes more", () => {
    const anna = ledgerOf(ANNA);
    for (let minutes = 0; minutes < 100; minutes++) anna.record(ROOM, { minute: later(minutes), kind: "in", count: 1 });
    expect(anna.row(ANNA).counts[0]?.totals).toHaveLength(35);
    expect(anna.activeUsers(ROOM, later(99), 30)).toBe(31);
  });
});

describe("accounts that own nothing", () => {
  const poor = (account: AccountId, ...given: readonly RowData[]): boolean => {
    const ledger = ledgerOf(CARL);
    for (const row of given) ledger.merge(row);
    return ledger.ownNothing([account]);
  };

  test("are those that were given nothing, or have given it all away", () => {
    expect(poor(BERT)).toBe(true);
    expect(poor(BERT, givenInAll(ANNA, BERT, 5))).toBe(false);
    expect(poor(BERT, givenInAll(ANNA, BERT, 5), givenInAll(BERT, CARL, 4))).toBe(false);
    expect(poor(BERT, givenInAll(ANNA, BERT, 5), givenInAll(BERT, CARL, 5))).toBe(true);
  });

  test("are never the founder's: all of a room is its, of which nobody else may have heard", () => {
    expect(poor(ANNA, givenInAll(ANNA, BERT, UNITS))).toBe(false);
  });

  test("have given each other what the one lacks and the other has", () => {
    const ledger = ledgerOf(CARL);
    ledger.merge(givenInAll(ANNA, BERT, 5));
    ledger.merge(givenInAll(BERT, "dora" as AccountId, 5));
    expect(ledger.ownNothing([BERT, "dora" as AccountId])).toBe(false);
    expect(ledger.ownNothing([BERT])).toBe(true);
  });
});
