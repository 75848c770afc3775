import fc from "fast-check";
import { expect, test } from "vitest";
import { Recent } from "../../../node/cookie/recent.ts";

test("what was used last is kept, and never more than allowed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), fc.array(fc.nat(40), { maxLength: 300 }), (entriesMax, keys) => {
      const recent = new Recent<number, number>(entriesMax);
      const used: number[] = [];
      for (const key of keys) {
        if (recent.get(key) === undefined) recent.set(key, -key - 1);
        used.push(key);
      }
      const last = [...new Set(used.toReversed())].slice(0, Math.floor(entriesMax / 2));
      expect(last.map((key) => recent.get(key))).toEqual(last.map((key) => -key - 1));
      const held = Array.from({ length: 41 }, (_, key) => recent.get(key)).filter((value) => value !== undefined);
      expect(held.length).toBeLessThanOrEqual(entriesMax);
    }),
  );
});
