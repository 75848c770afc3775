/** A line whose places are drawn, and one that is put in another order while visitors wait. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Line, type LineSummary } from "../../../node/admission/line.ts";
import { type Draws, FIFO, QueueOrder } from "../../../node/admission/queue-order.ts";

const NOW_MS = 1_790_000_000_000;
const REFRESH_MS = 20_000;
const RANDOM = new QueueOrder({ seed: "shop", isRandom: true, shuffleMs: 0 });
const SHUFFLED = new QueueOrder({ seed: "shop", isRandom: false, shuffleMs: NOW_MS + 1 });

function lineOf(count: number, order: QueueOrder): { line: Line; keys: number[] } {
  const line = new Line(order);
  return { line, keys: Array.from({ length: count }, (_, index) => line.join(NOW_MS - count + 1 + index)) };
}

function byPlace(order: QueueOrder, keys: readonly number[]): number[] {
  return [...keys].sort((one, other) => order.placeOf(one) - order.placeOf(other));
}

function sent(summary: LineSummary): LineSummary {
  return JSON.parse(JSON.stringify(summary));
}

test("a line whose places are drawn shows a position again that is higher, as long as others may come in front", () => {
  const { line, keys } = lineOf(1, RANDOM);
  const [first = 0] = keys;
  expect(line.poll(first, NOW_MS)).toBe(1);
  for (let joined = 0; joined < 40; joined++) line.join(NOW_MS + joined);
  const before = line.poll(first, NOW_MS + 50);
  expect(before).toBeGreaterThan(1);
  // Once the places of that span are drawn, none comes in front any more, and a position only falls.
  const laterMs = NOW_MS + 2 ** 30 / 1_000;
  expect(line.poll(first, laterMs)).toBe(before);
});

describe("a line that is put in another order", () => {
  const draws = fc.constantFrom<Draws>(
    { seed: "", isRandom: false, shuffleMs: 0 },
    { seed: "shop", isRandom: true, shuffleMs: 0 },
    { seed: "shop", isRandom: false, shuffleMs: NOW_MS },
    { seed: "shop", isRandom: true, shuffleMs: NOW_MS - 10 },
  );

  test("has nobody called until the next look, and then the first of the new order", () => {
    const { line, keys } = lineOf(100, FIFO);
    line.call(10);
    line.follow(RANDOM);
    expect(keys.filter((key) => line.isCalled(key))).toEqual([]);
    line.call(10);
    expect(new Set(keys.filter((key) => line.isCalled(key)))).toEqual(new Set(byPlace(RANDOM, keys).slice(0, 10)));
  });

  test("has the order that it would have had from the start, whatever came before", () => {
    fc.assert(
      fc.property(fc.array(draws, { minLength: 1, maxLength: 5 }), fc.integer({ min: 0, max: 700 }), (all, count) => {
        const { line, keys } = lineOf(count, FIFO);
        for (const each of all) line.follow(new QueueOrder(each));
        const last = all.at(-1);
        const { line: straight } = lineOf(count, new QueueOrder(last));
        expect(line.size).toBe(count);
        expect(line.summary().ranges).toEqual(straight.summary().ranges);
        for (const key of keys) line.leave(key);
        expect(line.size).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  test("is continued elsewhere in the order that applies there", () => {
    fc.assert(
      fc.property(draws, draws, fc.integer({ min: 1, max: 900 }), (here, there, count) => {
        const { line, keys } = lineOf(count, new QueueOrder(here));
        const order = new QueueOrder(there);
        const other = new Line(order);
        other.restore(sent(line.summary()), { nowMs: NOW_MS, refreshMs: REFRESH_MS });
        expect(other.size).toBe(count);
        expect(byPlace(order, keys).map((key) => other.poll(key, NOW_MS))).toEqual(keys.map((_, index) => index + 1));
        expect(other.size).toBe(count);
        expect(other.join(NOW_MS)).toBeGreaterThan(Math.max(...keys));
      }),
      { numRuns: 40 },
    );
  });

  test("has no more places than visitors who come back, in whatever order their line was before", () => {
    const orders = [FIFO, RANDOM, SHUFFLED];
    for (const [before, after] of orders.flatMap((one) => orders.map((other) => [one, other] as const))) {
      const { line, keys } = lineOf(3_000, before);
      const other = new Line(after);
      other.restore(sent(line.summary()), { nowMs: NOW_MS, refreshMs: REFRESH_MS });
      for (const key of keys) other.poll(key, NOW_MS);
      whole(other);
      expect(other.size).toBe(keys.length);
      expect(byPlace(after, keys).map((key) => other.positionOf(key))).toEqual(keys.map((_, index) => index + 1));
    }
  });
});

test("a long line is put in the order of a draw in parts, also where nobody moves", () => {
  const drawn = { seed: "", isRandom: false, shuffleMs: NOW_MS + 1, isDrawn: true };
  // Nobody is known to have been drawn, and nobody has joined since.
  const line = new Line(new QueueOrder(drawn), { moves: () => [] });
  for (let index = 0; index < 5_000; index++) line.join(NOW_MS - 5_000 + index);
  line.follow(new QueueOrder({ ...drawn, seed: "seed" }));
  let parts = 0;
  while (line.rearrange(100)) parts += 1;
  expect(parts).toBeGreaterThanOrEqual(29);
});

/** Does the rest of the work on a long line that is put in another order. */
function whole(line: Line): void {
  while (line.isRearranging) line.rearrange();
}
