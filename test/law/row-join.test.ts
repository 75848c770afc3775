/**
 * The laws of a join: copies of rows may be merged in any order, in any grouping and any number of times, and a balance
 * is that of the rows, whatever was asked before.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AccountId, Minute, RoomId } from "../../mesh/core/ids.ts";
import { Ledger } from "../../mesh/core/ledger/ledger.ts";
import { COUNT_KINDS, RESOURCES, type RowData } from "../../mesh/core/ledger/row.ts";

const account = fc.constantFrom("anna", "bert", "carl") as fc.Arbitrary<AccountId>;
const room = fc.constantFrom("shop", "museum") as fc.Arbitrary<RoomId>;
/** More minutes than are kept, so that forgetting is part of the law. */
const minute = fc.nat(60) as unknown as fc.Arbitrary<Minute>;
const totals = fc.array(fc.tuple(minute, fc.nat(1_000)), { maxLength: 50, size: "max" });

const part: fc.Arbitrary<RowData> = fc.record({
  account,
  gifts: fc.array(fc.record({ room, resource: fc.constantFrom(...RESOURCES), to: account, totals }), { maxLength: 4 }),
  counts: fc.array(fc.record({ room, kind: fc.constantFrom(...COUNT_KINDS), totals }), { maxLength: 4 }),
});
const parts = fc.array(part, { maxLength: 6 });

describe("merging parts of rows", () => {
  test("is commutative: order does not matter", () => {
    const shuffled = parts.chain((some) =>
      fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })),
    );
    fc.assert(
      fc.property(shuffled, ([some, reordered]) => {
        expect(contents(merged(some))).toEqual(contents(merged(reordered)));
      }),
    );
  });

  test("is associative: parts may be merged elsewhere first and come as whole rows", () => {
    fc.assert(
      fc.property(parts, parts, (here, elsewhere) => {
        const together = merged([...here, ...rows(merged(elsewhere))]);
        expect(contents(together)).toEqual(contents(merged([...here, ...elsewhere])));
      }),
    );
  });

  test("is idempotent: what is known changes nothing and is said to change nothing", () => {
    fc.assert(
      fc.property(parts, (some) => {
        const ledger = merged(some);
        const before = contents(ledger);
        for (const known of [...some, ...rows(ledger)]) expect(ledger.merge(known)).toBe(false);
        expect(contents(ledger)).toEqual(before);
      }),
    );
  });

  test("says that something changed exactly when something did", () => {
    fc.assert(
      fc.property(parts, part, (some, more) => {
        const ledger = merged(some);
        const before = JSON.stringify(contents(ledger));
        const changed = ledger.merge(more);
        expect(JSON.stringify(contents(ledger)) !== before).toBe(changed);
      }),
    );
  });
});

test("a balance is the one that the rows make, also if it was asked for before, at any minute", () => {
  const purse = fc.record({ room, resource: fc.constantFrom(...RESOURCES), minute });
  const asked = fc.array(fc.tuple(account, purse), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(fc.tuple(part, asked), { maxLength: 6 }), (steps) => {
      const ledger = merged([]);
      for (const [index, [more]] of steps.entries()) {
        ledger.merge(more);
        const known = steps.slice(0, index + 1);
        for (const [of, at] of known.flatMap(([, questions]) => questions))
          expect(ledger.unitsOf(of, at)).toBe(merged(known.map(([row]) => row)).unitsOf(of, at));
      }
    }),
  );
});

function merged(some: readonly RowData[]): Ledger {
  const ledger = new Ledger({ self: "anna" as AccountId, founder: "anna" as AccountId });
  for (const row of some) ledger.merge(row);
  return ledger;
}

function rows(ledger: Ledger): RowData[] {
  return ledger.accounts().map((known) => ledger.row(known));
}

/** All that a ledger holds, as a sorted list, since the order of entries says nothing. */
function contents(ledger: Ledger): string[] {
  return rows(ledger)
    .flatMap(({ account, gifts, counts }) => [
      ...gifts.map(({ room, resource, to, totals }) => [account, room, resource, to, totals]),
      ...counts.map(({ room, kind, totals }) => [account, room, kind, totals]),
    ])
    .map((entry) => JSON.stringify(entry))
    .filter((entry) => !entry.endsWith("[]]"))
    .sort();
}
