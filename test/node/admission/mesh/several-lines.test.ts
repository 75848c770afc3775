import { describe, expect, test } from "vitest";
import { RoomsWorld } from "./rooms-world.ts";

/**
 * A held room of 90, owned by the first of three localities; so many joined the line of each within one minute. Then it
 * is opened.
 */
function opened(waiting: readonly number[], change: { readonly newUsersPerMinute?: number } = {}) {
  const world = new RoomsWorld(["a", "b", "c"], {
    ...{ totalActiveUsers: 90, newUsersPerMinute: 90, queueAll: true },
    ...change,
  });
  for (const [node, visitors] of waiting.entries())
    for (let visitor = 0; visitor < visitors; visitor++) {
      world.arrive(node);
      world.pass(10);
    }
  world.pass(3_000);
  let moves = 0;
  world.loses = ({ kind }) => {
    if (kind === "recall" || kind === "gift") moves += 1;
    return false;
  };
  world.configure({ queueAll: false });
  const movesIn = (ms: number): number => {
    const before = moves;
    world.pass(ms);
    return moves - before;
  };
  return { world, movesIn };
}

const pairs = (world: RoomsWorld): number[] => world.free().map(([active, arrivals]) => Math.min(active, arrivals));

describe("slots for the lines of several localities", () => {
  test("are shared out by how many wait, and then lie still", () => {
    const { world, movesIn } = opened([60, 60, 60]);
    world.pass(4_000);
    for (const own of pairs(world)) expect(Math.abs(own - 30)).toBeLessThanOrEqual(2);
    expect(movesIn(10_000)).toBe(0);
  });

  test("lie evenly beyond what arrivals allow, and lie still", () => {
    const { world, movesIn } = opened([60, 60, 60], { newUsersPerMinute: 15 });
    world.pass(4_000);
    for (const [active, arrivals] of world.free()) {
      expect(arrivals).toBe(5);
      expect(Math.abs(active - 30)).toBeLessThanOrEqual(6);
    }
    expect(movesIn(10_000)).toBe(0);
  });
});
