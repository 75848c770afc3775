import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { giftFor, slotsOf, surplus, UNITS, unitsForSlots } from "../../../../mesh/core/ledger/shares.ts";

const LIMIT_MAX = 10_000_000;
const limits = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: 1_073 }),
  fc.integer({ min: 1, max: LIMIT_MAX }),
);

describe("slots of units", () => {
  test.each([
    { limit: 1, units: UNITS, slots: 1 },
    { limit: 1, units: UNITS / 2, slots: 0 },
    { limit: 10, units: UNITS / 2, slots: 5 },
    { limit: 5, units: UNITS / 2, slots: 2 },
    { limit: 200, units: UNITS, slots: 200 },
    { limit: LIMIT_MAX, units: UNITS, slots: LIMIT_MAX },
    { limit: 200, units: 0, slots: 0 },
    { limit: 200, units: -5, slots: 0 },
    { limit: 0, units: UNITS, slots: 0 },
  ])("$units units at limit $limit are $slots slots", ({ limit, units, slots }) => {
    expect(slotsOf(limit, units)).toBe(slots);
  });

  test("agree with exact arithmetic, where a millionth of a slot is forgiven", () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 0, max: UNITS }), (limit, units) => {
        const millionths = (BigInt(limit) * BigInt(units) * 1_000_000n) / BigInt(UNITS);
        const exact = Number(millionths / 1_000_000n);
        const lacks = Number(1_000_000n - (millionths % 1_000_000n));
        expect(slotsOf(limit, units)).toBeGreaterThanOrEqual(exact);
        expect(slotsOf(limit, units)).toBeLessThanOrEqual(lacks <= 1 ? exact + 1 : exact);
      }),
    );
  });

  test("of all accounts never exceed the limit, however the units lie", () => {
    fc.assert(
      fc.property(limits, fc.array(fc.integer({ min: 0, max: UNITS }), { maxLength: 50 }), (limit, cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), UNITS];
        const slots = edges.slice(1).map((edge, index) => slotsOf(limit, edge - (edges[index] ?? 0)));
        expect(slots.reduce((sum, some) => sum + some, 0)).toBeLessThanOrEqual(limit);
      }),
    );
  });
});

describe("units for slots", () => {
  test("make exactly these slots, and a slot less would be made by what is a slot's worth below", () => {
    fc.assert(
      fc.property(limits, fc.double({ min: 0, max: 1, noNaN: true }), (limit, part) => {
        const slots = Math.max(1, Math.round(limit * part));
        const units = unitsForSlots(limit, slots);
        expect(slotsOf(limit, units)).toBe(slots);
        expect(units).toBeLessThanOrEqual(UNITS);
        expect(units - (slots * UNITS) / limit).toBeLessThan(1);
        expect((slots * UNITS) / limit - units).toBeLessThan(1);
      }),
    );
  });

  test("no slots need no units, and at limit 0 no units would do", () => {
    expect(unitsForSlots(0, 0)).toBe(0);
    expect(unitsForSlots(10, 0)).toBe(0);
    expect(unitsForSlots(0, 1)).toBe(Number.POSITIVE_INFINITY);
  });

  test("the needs of accounts that use all slots fit into the whole, at limits up to 1,073", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_073 }), fc.array(fc.nat(1_073), { maxLength: 40 }), (limit, cuts) => {
        const edges = [0, ...cuts.map((cut) => cut % limit).sort((a, b) => a - b), limit];
        const needs = edges.slice(1).map((edge, index) => unitsForSlots(limit, edge - (edges[index] ?? 0)));
        expect(needs.reduce((sum, need) => sum + need, 0)).toBeLessThanOrEqual(UNITS);
      }),
    );
  });
});

describe("surplus", () => {
  const half = UNITS / 2;
  const holding = (limit: number, units: number, used: number) => ({ limit, units, used });

  test("is nothing for an account that uses more than it now owns, as after its limit was lowered", () => {
    expect(surplus({ active: holding(4, half, 5), arrivals: holding(0, half, 1) })).toEqual({
      active: 0,
      arrivals: 0,
    });
  });
});

describe("a gift", () => {
  test("is nothing if it would not make a slot", () => {
    expect(giftFor({ limit: 10, units: 0, slots: 3, surplus: UNITS / 20 })).toBe(0);
    expect(giftFor({ limit: 10, units: 0, slots: 0, surplus: UNITS })).toBe(0);
  });

  test("never exceeds the surplus and brings what was asked for, or all that can be had", () => {
    fc.assert(
      fc.property(limits, fc.nat(UNITS), fc.nat(UNITS), fc.nat(LIMIT_MAX), (limit, units, spare, slots) => {
        const gift = giftFor({ limit, units, slots, surplus: spare });
        expect(gift).toBeLessThanOrEqual(spare);
        const wanted = Math.min(slotsOf(limit, units) + slots, slotsOf(limit, units + spare));
        expect(slotsOf(limit, units + gift)).toBe(wanted);
      }),
    );
  });
});
