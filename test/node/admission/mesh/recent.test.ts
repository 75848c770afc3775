import { expect, test } from "vitest";
import { Recent } from "../../../../node/admission/mesh/recent.ts";

test("values are remembered for their time, and forgotten after twice of it", () => {
  const recent = new Recent<string>({ forMs: 1_000, max: 100 });
  recent.set("a", "one", 0);
  recent.turn(999);
  expect(recent.get("a")).toBe("one");
  recent.turn(1_000);
  expect(recent.get("a")).toBe("one");
  recent.turn(2_000);
  expect(recent.get("a")).toBeUndefined();
});

test("of too many the oldest half is forgotten, and never a younger one", () => {
  const recent = new Recent<number>({ forMs: 1_000, max: 10 });
  for (let each = 0; each < 100; each++) {
    recent.set(`${each}`, each, 0);
    for (let young = Math.max(0, each - 4); young <= each; young++) expect(recent.get(`${young}`)).toBe(young);
    expect(recent.get(`${each - 10}`)).toBeUndefined();
  }
});

test("a value set again is the new one", () => {
  const recent = new Recent<number>({ forMs: 1_000, max: 4 });
  recent.set("a", 1, 0);
  recent.turn(1_000);
  recent.set("a", 2, 1_500);
  expect(recent.get("a")).toBe(2);
});
