import fc from "fast-check";
import { expect, test } from "vitest";
import { Recent } from "../../node/recent.ts";

test("values are remembered for their time, and forgotten after twice of it", () => {
  const recent = new Recent<string, string>({ forMs: 1_000, max: 100 });
  recent.set("a", "one", 0);
  recent.turn(999);
  expect(recent.get("a")).toBe("one");
  recent.turn(1_000);
  expect(recent.get("a")).toBe("one");
  recent.turn(2_000);
  expect(recent.get("a")).toBeUndefined();
});

test("a value that is used is remembered on, one that is only read is not", () => {
  const recent = new Recent<string, number>({ forMs: 1_000, max: 100 });
  recent.set("used", 1, 0);
  recent.set("read", 2, 0);
  recent.turn(1_000);
  expect(recent.use("used", 1_500)).toBe(1);
  expect(recent.get("read")).toBe(2);
  recent.turn(2_000);
  expect(recent.get("used")).toBe(1);
  expect(recent.get("read")).toBeUndefined();
  expect(recent.use("read", 2_000)).toBeUndefined();
});

test("law: what was used last is kept, and never more than allowed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), fc.array(fc.nat(40), { maxLength: 300 }), (max, keys) => {
      const recent = new Recent<number, number>({ max, forMs: Number.POSITIVE_INFINITY });
      const used: number[] = [];
      for (const key of keys) {
        if (recent.use(key, 0) === undefined) recent.set(key, -key - 1, 0);
        used.push(key);
      }
      const last = [...new Set(used.toReversed())].slice(0, Math.floor(max / 2));
      expect(last.map((key) => recent.get(key))).toEqual(last.map((key) => -key - 1));
      const held = Array.from({ length: 41 }, (_, key) => recent.get(key)).filter((value) => value !== undefined);
      expect(held.length).toBeLessThanOrEqual(max);
    }),
  );
});
