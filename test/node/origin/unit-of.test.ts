import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../cmd/crowd/random.ts";
import { unitOf } from "../../../node/origin/unit-of.ts";
import { GateWorld, SHOP } from "../gate/gate-world.ts";

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
  test("is from 0 up to 1, and the same each time", () => {
    const random = seededRandom(1);
    for (let turn = 0; turn < 1_000; turn++) {
      const text = String(random());
      const unit = unitOf(text);
      expect(unit).toBeGreaterThanOrEqual(0);
      expect(unit).toBeLessThan(1);
      expect(unitOf(text)).toBe(unit);
    }
    expect(unitOf("anteroom")).toBe(0.40330925841459997);
  });

  test.each([
    ["counted up", (index: number) => `session ${index}`],
    ["by time", (index: number) => `${1_757_590_000_000 + index * 37}`],
    ["of one character more each", (index: number) => "a".repeat(index % 500) + index],
  ])("CT-8: names %s make no hot spots", (_, name) => {
    expect(unevenness(Array.from({ length: 20_000 }, (_, index) => name(index)))).toBeLessThan(43.8);
  });

  test("CT-8: ids of sessions that the gate draws one after the other are spread evenly", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, total_active_users: 2_000, new_users_per_minute: 2_000 }] });
    const ids: string[] = [];
    for (let visitor = 0; visitor < 1_000; visitor++) {
      const cookie = await world.comeIn();
      const opened = world.seal.open(cookie.slice(cookie.indexOf("=") + 1), world.room().id, world.nowMs);
      if (opened.kind === "good") ids.push(opened.cookie.id);
    }
    expect(new Set(ids).size).toBe(1_000);
    // Drawn again in each run: above 60 once in 300,000 times. By their first letters they would do as well.
    expect(unevenness(ids)).toBeLessThan(60);
    expect(unevenness(ids.map((id) => id.slice(0, 4)))).toBeLessThan(60);
  });
});
