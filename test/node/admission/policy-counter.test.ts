import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lendable, SlotCounters } from "../../../node/admission/policy-counter.ts";

describe("what a locality lends of its reserve", () => {
  test.each([
    { minutePassed: 0, value: 0, lends: 0 },
    { minutePassed: 0.5, value: 0, lends: 7 },
    { minutePassed: 0.5, value: 5, lends: 2 },
    { minutePassed: 0.5, value: 10, lends: 0 },
    { minutePassed: 1, value: 0, lends: 15 },
    { minutePassed: 1, value: 10, lends: 5 },
    { minutePassed: 1, value: 400, lends: 0 },
  ])("of 15 slots at $minutePassed of the minute, asked $value times: $lends", ({ minutePassed, value, lends }) => {
    expect(lendable({ slots: 15, value }, minutePassed)).toBe(lends);
  });

  test("grows as the minute passes, and at its end is all that is unused", () => {
    fc.assert(
      fc.property(
        fc.nat(10_000_000),
        fc.nat(10_000_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (slots, value, at) => {
          expect(lendable({ slots, value }, at)).toBeLessThanOrEqual(lendable({ slots, value }, 1));
          expect(lendable({ slots, value }, 1)).toBe(Math.max(0, slots - value));
          expect(lendable({ slots, value }, 0)).toBe(0);
        },
      ),
    );
  });
});

describe("slot counters", () => {
  const split = { reserved: new Map(Object.entries({ lima: 4, oslo: 6 })), anywhere: 2 };
  const admitAll = (counters: SlotCounters, locality: string, { visitors, at }: { visitors: number; at: number }) =>
    Array.from({ length: visitors }, () => counters.admit(locality, at)).filter((source) => source !== undefined)
      .length;

  test("keep reserves for their own at the start of the minute", () => {
    const counters = new SlotCounters(split);
    expect(admitAll(counters, "rome", { visitors: 99, at: 0 })).toBe(2);
    expect(admitAll(counters, "lima", { visitors: 99, at: 0 })).toBe(4);
    expect(admitAll(counters, "oslo", { visitors: 99, at: 0 })).toBe(6);
  });

  test("lend more and more of what stays unused, and what is lent is gone for their own", () => {
    const counters = new SlotCounters(split);
    expect(admitAll(counters, "rome", { visitors: 99, at: 0.5 })).toBe(2 + 2 + 3);
    expect(counters.admit("rome", 0.5)).toBeUndefined();
    expect(admitAll(counters, "oslo", { visitors: 99, at: 0.5 })).toBe(3);
    expect(counters.admit("lima", 0.5)).toBe("reserve");
  });

  test("withhold nothing at the end of the minute, from whichever locality visitors come", () => {
    expect(admitAll(new SlotCounters(split), "rome", { visitors: 99, at: 1 })).toBe(12);
    expect(admitAll(new SlotCounters(split), "oslo", { visitors: 99, at: 1 })).toBe(12);
  });

  test("hand out each slot once, in whatever order visitors come", () => {
    const visit = fc.tuple(fc.constantFrom("lima", "oslo", "rome"), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.array(visit, { maxLength: 60 }), (visits) => {
        const counters = new SlotCounters(split);
        const inOrder = visits.toSorted(([, a], [, b]) => a - b);
        const admitted = inOrder.filter(([locality, at]) => counters.admit(locality, at) !== undefined);
        expect(admitted.length).toBeLessThanOrEqual(12);
        expect(admitted.length + admitAll(counters, "rome", { visitors: 12, at: 1 })).toBe(12);
      }),
    );
  });
});
