/** When a world counts as at rest, in a world whose nodes never stop to publish. */

import { expect, test } from "vitest";
import { BrokenPromise } from "../../cmd/sim/oracle.ts";
import { rest } from "../../cmd/sim/rest.ts";

const FROM_MS = 132_250;
const HEALED = { heal: () => {} };

/** A world in which something is wrong at some times, by ms since it was healed. */
function worldWith(unrest: (sinceMs: number) => string[]) {
  let elapsedMs = FROM_MS;
  return {
    forgotten: 0,
    get elapsedMs() {
      return elapsedMs;
    },
    pass(ms: number) {
      elapsedMs += ms;
    },
    unrest: () => unrest(elapsedMs - FROM_MS),
    forgetLost() {
      this.forgotten += 1;
    },
    broken(text: string): never {
      throw new BrokenPromise(text);
    },
  };
}

test("a world is at rest at the first look at which nothing is wrong", () => {
  const world = worldWith((sinceMs) => (sinceMs < 2_300 ? ["views 3, 4"] : []));
  expect([rest(world, HEALED), world.forgotten]).toEqual([2_500, 0]);
});

test("states that differ only for a moment twice a second, at each look, are at rest", () => {
  const world = worldWith((sinceMs) => (sinceMs % 500 < 100 ? ["states differ"] : []));
  expect(rest(world, HEALED)).toBeLessThan(111_000);
});

test("states that always differ are no rest", () => {
  const world = worldWith(() => ["states differ"]);
  expect(() => rest(world, HEALED)).toThrow("no rest after healing: states differ");
});

test("the operator says that lost nodes are gone in the second half of the time, and no more near its end", () => {
  const world = worldWith((sinceMs) => (sinceMs < 100_000 ? ["n1 may not act"] : []));
  expect([rest(world, HEALED), world.forgotten > 10, world.forgotten < 100]).toEqual([100_000, true, true]);
});
