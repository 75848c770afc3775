/** When a world counts as at rest, in a world whose nodes never stop to publish. */

import { describe, expect, test } from "vitest";
import { BrokenPromise } from "../sim/oracle.ts";
import { rest, restPasses } from "../sim/rest.ts";

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

test("states that always differ are no rest", () => {
  const world = worldWith(() => ["states differ"]);
  expect(() => rest(world, HEALED)).toThrow("no rest after healing: states differ");
});

describe("a pass that two visitors have in a world at rest", () => {
  const MINUTE_MS = 6_000;
  const hadTwice = (forMs: number) => {
    const world = worldWith(() => []);
    const doors = {
      get twice() {
        return world.elapsedMs - FROM_MS < forMs ? ["shop-pass"] : [];
      },
    };
    return { world, doors };
  };

  test("is a broken promise after that", () => {
    const { world, doors } = hadTwice(51_000);
    expect(() => restPasses(world, doors, MINUTE_MS)).toThrow("two visitors still have shop-pass");
  });
});
