import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Permutation } from "../../../node/admission/permutation.ts";

const bits = fc.integer({ min: 1, max: 26 }).map((half) => 2 * half);

describe("a permutation", () => {
  test("is undone, whatever its size", () => {
    const drawn = fc.tuple(fc.string(), bits, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat());
    fc.assert(
      fc.property(drawn, ([seed, size, part, page]) => {
        const order = new Permutation(seed, size);
        const value = Math.floor(part * order.size);
        const place = order.of(value, page);
        expect(place).toBeGreaterThanOrEqual(0);
        expect(place).toBeLessThan(order.size);
        expect(order.undo(place, page)).toBe(value);
      }),
    );
  });

  test("leaves nothing of the order in which neighbours came, with any seed and page", () => {
    for (let seed = 0; seed < 20; seed++) {
      const order = new Permutation(`seed ${seed}`, 30);
      const places = Array.from({ length: 1_000 }, (_, value) => order.of(500_000_000 + 7 * value, seed));
      const rising = places.filter((place, index) => index > 0 && place > (places[index - 1] ?? 0)).length;
      expect(rising).toBeGreaterThan(430);
      expect(rising).toBeLessThan(570);
      const mean = places.reduce((sum, place) => sum + place, 0) / places.length / order.size;
      expect(Math.abs(mean - 0.5)).toBeLessThan(0.06);
    }
  });
});
