/** The laws of accounts that end with their node, whatever is given, lost and dropped meanwhile: folding-world.ts. */

import { expect, test } from "vitest";
import { seededRandom } from "../../cmd/crowd/random.ts";
import { SEED } from "../seed.ts";
import { FoldingWorld } from "./folding-world.ts";

const RUNS = 400;
const STEPS = 150;

test("no unit has two owners, none is lost, and a pot has all that its nodes may use", () => {
  const sums: Record<string, number> = {};
  for (let run = 0; run < RUNS; run++) {
    const seed = SEED + run;
    const world = new FoldingWorld(seededRandom(seed));
    try {
      for (let step = 0; step < STEPS; step++) world.step();
      world.rest();
    } catch (cause) {
      throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    for (const [what, count] of Object.entries(world.counts)) sums[what] = (sums[what] ?? 0) + count;
  }
  // A world in which nothing happens would prove nothing.
  for (const what of ["gifts", "lost", "joins", "leaves", "removals", "together", "potsAgain", "names"])
    expect(sums[what], what).toBeGreaterThan(0);
});
