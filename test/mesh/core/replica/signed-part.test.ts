import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AccountId, Minute, RoomId } from "../../../../mesh/core/ids.ts";
import { AT_ONCE, COUNT_KINDS, type CountData, type GiftData } from "../../../../mesh/core/ledger/row.ts";
import {
  during,
  type Entries,
  newestMinute,
  partBytes,
  readPart,
  takesBack,
} from "../../../../mesh/core/replica/signed-part.ts";
import { packed } from "../../../../mesh/core/wire/packed.ts";

const ROOM = "shop" as RoomId;
const NOW = 28_000_000 as Minute;
const PART = { room: ROOM, version: 7, sum: 12 };

const account = fc.constantFrom("anna", "bert", "carl") as fc.Arbitrary<AccountId>;
const minute = fc.integer({ min: NOW, max: NOW + 60 }) as unknown as fc.Arbitrary<Minute>;
const totals = fc
  .uniqueArray(fc.tuple(minute, fc.integer({ min: 1, max: 2 ** 40 })), {
    minLength: 1,
    maxLength: 35,
    selector: ([at]) => at,
  })
  .map((some) => some.sort(([one], [other]) => one - other));
const gifts: fc.Arbitrary<GiftData[]> = fc.uniqueArray(
  fc.oneof(
    fc.record({
      room: fc.constant(ROOM),
      resource: fc.constant("active" as const),
      to: account,
      totals: fc.integer({ min: 1, max: 2 ** 40 }).map((n) => [[AT_ONCE, n] as const]),
    }),
    fc.record({ room: fc.constant(ROOM), resource: fc.constant("arrivals" as const), to: account, totals }),
  ),
  { selector: ({ resource, to }) => `${resource} ${to}` },
);
const counts: fc.Arbitrary<CountData[]> = fc.uniqueArray(
  fc.record({ room: fc.constant(ROOM), kind: fc.constantFrom(...COUNT_KINDS), totals }),
  { selector: ({ kind }) => kind },
);
const given = (some: GiftData[]): Entries => ({ gifts: some, counts: [], firstMinute: AT_ONCE });
const counted = (some: CountData[], firstMinute = NOW): Entries => ({ gifts: [], counts: some, firstMinute });
const order = (entries: Entries | undefined) =>
  [...(entries?.gifts ?? []), ...(entries?.counts ?? [])].map((entry) => JSON.stringify(entry)).sort();

describe("a part", () => {
  test("says as bytes what it said as entries", () => {
    fc.assert(
      fc.property(gifts, counts, (someGifts, someCounts) => {
        const ofGifts = readPart("gifts", partBytes(PART, given(someGifts), "gifts"));
        const ofCounts = readPart("counts", partBytes(PART, counted(someCounts), "counts"));
        expect([ofGifts?.part, ofCounts?.part]).toEqual([PART, PART]);
        expect(order(ofGifts?.entries)).toEqual(order(given(someGifts)));
        expect(order(ofCounts?.entries)).toEqual(order(counted(someCounts)));
      }),
    );
  });

  test("is the same bytes in any order of its entries", () => {
    fc.assert(
      fc.property(gifts, counts, (someGifts, someCounts) => {
        const reversed = <Item>(some: readonly Item[]) => [...some].reverse();
        expect(partBytes(PART, given(reversed(someGifts)), "gifts")).toEqual(
          partBytes(PART, given(someGifts), "gifts"),
        );
        expect(partBytes(PART, counted(reversed(someCounts)), "counts")).toEqual(
          partBytes(PART, counted(someCounts), "counts"),
        );
      }),
    );
  });

  test("of other bytes is none, and never a throw", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom("gifts" as const, "counts" as const),
        (bytes, section) => {
          readPart(section, bytes);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(readPart("counts", partBytes(PART, given([]), "gifts"))).toBe(undefined);
    expect(readPart("gifts", Uint8Array.from([...partBytes(PART, given([]), "gifts"), 1]))).toBe(undefined);
  });

  test.each([
    ["a total above what may be given", [["anna", 2 ** 51 + 2, []]]],
    [
      "totals that add up to more",
      [
        ["anna", 2 ** 51, []],
        ["bert", 2, []],
      ],
    ],
    ["a negative total", [["anna", -1, []]]],
    ["half a unit", [["anna", 0.5, []]]],
    ["a name with a slash", [["an/na", 1, []]]],
  ])("with %s is none", (_, rows) => expect(readPart("gifts", packed([ROOM, 1, 1, rows]))).toBe(undefined));
});

describe("what a later part takes back", () => {
  const gift = (total: number, to = "bert" as AccountId): GiftData => ({
    room: ROOM,
    resource: "active",
    to,
    totals: [[AT_ONCE, total]],
  });
  const seen = (...some: (readonly [number, number])[]): CountData => ({
    room: ROOM,
    kind: "seen",
    totals: some.map(([later, n]) => [(NOW + later) as Minute, n]),
  });

  test.each([
    ["nothing new", given([gift(5)]), given([gift(5)]), false],
    ["more to the same", given([gift(5)]), given([gift(6)]), false],
    ["more to another", given([gift(5)]), given([gift(5), gift(1, "carl" as AccountId)]), false],
    ["less", given([gift(5)]), given([gift(4)]), true],
    ["nothing at all", given([gift(5)]), given([]), true],
    ["a count raised", counted([seen([0, 1])]), counted([seen([0, 2])]), false],
    ["a count lowered", counted([seen([0, 2])]), counted([seen([0, 1])]), true],
    ["a minute forgotten", counted([seen([0, 2], [1, 1])]), counted([seen([0, 2])]), true],
    [
      "a minute before the first told",
      counted([seen([0, 2], [1, 1])]),
      counted([seen([1, 1])], (NOW + 1) as Minute),
      false,
    ],
  ])("%s", (_, earlier, later, expected) => expect(takesBack(earlier, later)).toBe(expected));
});

test("the newest minute is that of counts, and none has none", () => {
  const ofTwo = counted([
    {
      room: ROOM,
      kind: "in",
      totals: [
        [NOW, 1],
        [(NOW + 3) as Minute, 1],
      ],
    },
  ]);
  expect([newestMinute(ofTwo), newestMinute(counted([]))]).toEqual([NOW + 3, Number.NEGATIVE_INFINITY]);
  const between = (first: number, last: number) =>
    during(ofTwo.counts, { first: (NOW + first) as Minute, last: (NOW + last) as Minute });
  expect(between(1, 3)).toEqual([{ room: ROOM, kind: "in", totals: [[NOW + 3, 1]] }]);
  expect([between(1, 2), between(4, 9)]).toEqual([[], []]);
});
