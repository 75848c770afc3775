import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { compareStamps, HybridClock, type Stamp } from "../../../../mesh/core/replica/hybrid-clock.ts";

const node = fc.constantFrom("anna", "bert") as fc.Arbitrary<NodeId>;
const stamp: fc.Arbitrary<Stamp> = fc.record({ wallMs: fc.nat(3), counter: fc.nat(3), node });

describe("stamps", () => {
  test("are in one order for all", () => {
    fc.assert(
      fc.property(stamp, stamp, stamp, (a, b, c) => {
        expect(Math.sign(compareStamps(a, b)) + Math.sign(compareStamps(b, a))).toBe(0);
        if (compareStamps(a, b) >= 0 && compareStamps(b, c) >= 0) expect(compareStamps(a, c)).toBeGreaterThanOrEqual(0);
        expect(compareStamps(a, b) === 0).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 500 },
    );
  });

  test("of a clock rise above all that it made or saw, however its time jumps", () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant("make" as const), nowMs: fc.nat(10) }),
      fc.record({ kind: fc.constant("see" as const), stamp }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        const clock = new HybridClock("anna" as NodeId);
        const before: Stamp[] = [];
        for (const happening of events) {
          if (happening.kind === "see") {
            clock.saw(happening.stamp);
            before.push(happening.stamp);
          } else {
            const made = clock.next(happening.nowMs);
            expect(made.wallMs).toBeGreaterThanOrEqual(happening.nowMs);
            for (const earlier of before) expect(compareStamps(made, earlier)).toBeGreaterThan(0);
            before.push(made);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test("follow the wall clock as long as nobody is ahead of it", () => {
    const clock = new HybridClock("anna" as NodeId);
    expect([clock.next(5), clock.next(5), clock.next(6)]).toEqual([
      { wallMs: 5, counter: 0, node: "anna" },
      { wallMs: 5, counter: 1, node: "anna" },
      { wallMs: 6, counter: 0, node: "anna" },
    ]);
  });
});
