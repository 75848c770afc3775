import { expect, test } from "vitest";
import { Handovers } from "../../../cmd/chaos/handovers.ts";

const KILL_MS = 10_000;

/** A kill of the counter in sjc, and one answer: where, asked how long after the kill, and how slow. */
function longest(locality: string, afterMs: number, ms: number) {
  const handovers = new Handovers();
  handovers.killed("sjc", KILL_MS);
  handovers.answered({ locality, askedMs: KILL_MS + afterMs, ms });
  return handovers.longest;
}

test.each([
  ["in another locality", "lon", 300, 1_600],
  ["at once", "sjc", 300, 100],
  ["to what was asked before the kill", "sjc", -100, 1_600],
  ["to what was asked long after it", "sjc", 2_500, 1_600],
])("an answer %s has nothing to do with it", (_, locality, afterMs, ms) => {
  expect(longest(locality, afterMs, ms).ms).toBe(0);
});

test("each kill of a locality's counter is measured from its own start", () => {
  const handovers = new Handovers();
  handovers.killed("sjc", KILL_MS);
  handovers.killed("lon", KILL_MS);
  handovers.killed("sjc", KILL_MS + 60_000);
  handovers.answered({ locality: "sjc", askedMs: KILL_MS + 60_100, ms: 700 });
  expect(handovers.longest).toEqual({ ms: 800, atMs: KILL_MS + 60_000 });
  expect(handovers.count).toBe(3);
});
