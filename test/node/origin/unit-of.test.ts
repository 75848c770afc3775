import { describe, expect, test } from "vitest";
import { unitOf } from "../../../node/origin/unit-of.ts";

/** Chi-square of `texts` over 20 equal parts of 0 to 1: 19 degrees of freedom, above 43.8 once in a thousand times. */
function unevenness(texts: readonly string[]): number {
  const parts = new Array<number>(20).fill(0);
  for (const text of texts) {
    const at = Math.floor(unitOf(text) * 20);
    parts[at] = (parts[at] ?? 0) + 1;
  }
  const mean = texts.length / 20;
  return parts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
}

describe("a text as a number", () => {
  test("is the same each time, and at each node", () => expect(unitOf("anteroom")).toBe(0.40330925841459997));

  test.each([
    ["counted up", (index: number) => `session ${index}`],
    ["by time", (index: number) => `${1_757_590_000_000 + index * 37}`],
    ["of one character more each", (index: number) => "a".repeat(index % 500) + index],
  ])("CT-8: names %s make no hot spots", (_, name) => {
    expect(unevenness(Array.from({ length: 20_000 }, (_, index) => name(index)))).toBeLessThan(43.8);
  });
});
