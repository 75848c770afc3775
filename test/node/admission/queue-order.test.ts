import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Draws, FIFO, QueueOrder } from "../../../node/admission/queue-order.ts";

const NOW_MS = 1_790_000_000_000;
const NOW = NOW_MS * 1_000;
const SPAN = 2 ** 30;
const RANDOM: Draws = { seed: "shop", isRandom: true, shuffleMs: 0 };

const key = fc.integer({ min: NOW - 20 * 86_400_000_000, max: NOW + 2 * SPAN });
const anyDraws: fc.Arbitrary<Draws> = fc.record({
  seed: fc.constantFrom("shop", "tickets"),
  isRandom: fc.boolean(),
  shuffleMs: fc.constantFrom(0, NOW_MS, NOW_MS - 3_600_000, NOW_MS + 600_000),
});

/** Keys of visitors who joined `apart` µs from each other. */
function keysFrom(first: number, count: number, apart = 1_000): number[] {
  return Array.from({ length: count }, (_, index) => first + index * apart);
}

/** The part of all pairs that stands in another order than they came. */
function turned(order: QueueOrder, keys: readonly number[]): number {
  const places = keys.map((each) => order.placeOf(each));
  let count = 0;
  for (const [index, place] of places.entries())
    for (const later of places.slice(index + 1)) if (later < place) count += 1;
  return (2 * count) / (keys.length * (keys.length - 1));
}

describe("the order of a line", () => {
  test("gives each key a place of its own, and knows the key of each place", () => {
    fc.assert(
      fc.property(anyDraws, fc.uniqueArray(key, { maxLength: 50 }), (draws, keys) => {
        const order = new QueueOrder(draws);
        const places = keys.map((each) => order.placeOf(each));
        expect(new Set(places).size).toBe(keys.length);
        expect(places.map((place) => order.keyAt(place))).toEqual(keys);
      }),
    );
  });

  test("shuffles all who joined before the moment of a shuffle, however long before, and nobody else", () => {
    const shuffleMs = NOW_MS;
    const order = new QueueOrder({ seed: "shop", isRandom: false, shuffleMs });
    const before = keysFrom(NOW - 3_600_000_000, 300, 11_000_000);
    expect(turned(order, before)).toBeGreaterThan(0.43);
    expect(Math.max(...before.map((each) => order.placeOf(each)))).toBeLessThan(NOW);
    const after = keysFrom(NOW, 100);
    expect(after.map((each) => order.placeOf(each))).toEqual(after);
  });

  test("leaves nothing of the order in which visitors came, whatever the seed", () => {
    for (let seed = 0; seed < 20; seed++) {
      const part = turned(new QueueOrder({ ...RANDOM, seed: `seed ${seed}` }), keysFrom(NOW, 300));
      expect(Math.abs(part - 0.5)).toBeLessThan(0.07);
    }
  });

  test("shuffles those before and after the moment apart from each other, also where places are always drawn", () => {
    const order = new QueueOrder({ seed: "shop", isRandom: true, shuffleMs: NOW_MS });
    const before = keysFrom(NOW - 1_000_000, 100, 10_000).map((each) => order.placeOf(each));
    const after = keysFrom(NOW, 100, 10_000).map((each) => order.placeOf(each));
    expect(Math.max(...before)).toBeLessThan(Math.min(...after));
  });

  test("says until when a place is not known", () => {
    const order = new QueueOrder({ seed: "shop", isRandom: false, shuffleMs: NOW_MS });
    expect([-1, 0].map((afterMs) => order.isDrawing(NOW - 5, NOW_MS + afterMs))).toEqual([true, false]);
    expect(order.isDrawing(NOW, NOW_MS)).toBe(false);
    const random = new QueueOrder(RANDOM);
    const start = Math.floor(NOW / SPAN) * SPAN;
    expect(random.isDrawing(start, start / 1_000)).toBe(true);
    expect(random.isDrawing(start, (start + SPAN) / 1_000 + 1)).toBe(false);
  });

  test("is like another one that shuffles nobody else, whatever the seed", () => {
    expect(FIFO.isLike({ seed: "shop", isRandom: false, shuffleMs: 0 })).toBe(true);
    expect(FIFO.isLike(RANDOM)).toBe(false);
    expect(new QueueOrder(RANDOM).isLike({ ...RANDOM, seed: "other" })).toBe(false);
    expect(new QueueOrder(RANDOM).isLike({ ...RANDOM })).toBe(true);
  });
});
