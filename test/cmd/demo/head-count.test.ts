import fc from "fast-check";
import { expect, test } from "vitest";
import { HeadCount } from "../../../cmd/demo/head-count.ts";

test("a request that was on its way for long makes no two visitors overlap that did not", () => {
  // Let in at 0 and at 100: the first one's request took 40 to the shop.
  const count = new HeadCount(100);
  count.seen("a", 40, 40);
  count.seen("b", 100);
  expect(count.peakInside).toBe(1);
  // A third one before the second one's session is over: that is one too many on any machine.
  count.seen("c", 130, 30);
  expect(count.peakInside).toBe(2);
});

test("a visitor who comes back later is a new stay", () => {
  const count = new HeadCount(100);
  for (const nowMs of [0, 99, 198, 298]) count.seen("a", nowMs);
  expect([count.visitors, count.peakInside]).toEqual([2, 1]);
});

test("it never remembers more visitors than allowed", () => {
  const count = new HeadCount(100, 3);
  for (const visitor of ["a", "b", "c", "d", "e"]) count.seen(visitor, 0);
  expect([count.inside(0), count.peakInside, count.visitors]).toEqual([3, 3, 5]);
});

test("it agrees with a plain count over all requests", () => {
  const requests = fc.array(fc.record({ visitor: fc.constantFrom("a", "b", "c", "d"), afterMs: fc.nat(80) }));
  fc.assert(
    fc.property(requests, (steps) => {
      const count = new HeadCount(100);
      const last = new Map<string, number>();
      let nowMs = 0;
      for (const { visitor, afterMs } of steps) {
        nowMs += afterMs;
        count.seen(visitor, nowMs);
        last.set(visitor, nowMs);
        expect(count.inside(nowMs)).toBe([...last.values()].filter((seenMs) => nowMs - seenMs < 100).length);
      }
    }),
  );
});
