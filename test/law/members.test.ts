/**
 * The promises of membership, for whole schedules of faults drawn from a seed: limits hold, nothing is decided twice,
 * no unit has two owners, and once all is healed all agree. The checks are in members-world.ts.
 */

import { describe, expect, test } from "vitest";
import { MembersWorld, type WorldOptions } from "./members-world.ts";

const SCHEDULE_MS = 30_000;

/** Schedules that broke an earlier state of the rules. */
const BROKEN_ONCE: readonly { readonly seed: number; readonly ms: number; readonly by: string }[] = [
  { seed: 21, ms: 60_000, by: "a cookie that was over claimed the slot of another after a restart" },
  { seed: 30, ms: 60_000, by: "a leaver's heir was lost with the offer" },
  { seed: 40, ms: 60_000, by: "a removed node lacked rows and was never told" },
  { seed: 566, ms: 60_000, by: "a gift to a removed node was lost with its giver, after it had been given on" },
  { seed: 1_230, ms: 60_000, by: "a node left to one that had left to it" },
  { seed: 1_937, ms: 60_000, by: "two that had fenced each other seemed silent to each other" },
  { seed: 2_385, ms: 60_000, by: "a node became an heir after it had stopped to leave" },
  { seed: 3_173, ms: 60_000, by: "an heir that had missed its view lacked the rows" },
  { seed: 100_163, ms: 60_000, by: "the last two left to each other" },
  { seed: 300_935, ms: 60_000, by: "only the node that was removed knew of it" },
  { seed: 10_143, ms: 30_000, by: "a removed node had a lease by the answer of a leaver, whose heir had not heard it" },
  { seed: 803_793, ms: 30_000, by: "all who knew the rows that one lacked were gone" },
];

function run(seeds: Iterable<number>, ms: number, options: WorldOptions = {}): MembersWorld["counts"][] {
  return Array.from(seeds, (seed) => {
    const world = new MembersWorld(seed, options);
    try {
      world.run(ms);
    } catch (cause) {
      throw new Error(`seed ${seed} of ${ms} ms: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    return world.counts;
  });
}

function* from(first: number, count: number): Iterable<number> {
  for (let seed = first; seed < first + count; seed++) yield seed;
}

describe("nodes that crash, pause, leave, lose their disks and are cut off", () => {
  test.each([0, 1])("never pass a limit or decide twice, and agree when all is healed: %i", (part) => {
    const counts = run(from(100 * part, 100), SCHEDULE_MS);
    const sum = (key: keyof MembersWorld["counts"]) => counts.reduce((total, each) => total + each[key], 0);
    // A world in which nothing happens would prove nothing.
    for (const key of ["admitted", "extended", "removals", "ceilings", "leaves", "forgets", "crashes"] as const)
      expect(sum(key), key).toBeGreaterThan(0);
    expect(sum("meshesLost")).toBeLessThan(2);
  });

  test("the same with messages and disks that go through the codec", () => {
    run(from(1_000, 12), SCHEDULE_MS, { isPacked: true });
  });

  test("seed 357, in which a promise must tell of an earlier vote", () => {
    run([357], SCHEDULE_MS);
  });

  test.each(BROKEN_ONCE)("seed $seed, broken once: $by", ({ seed, ms }) => {
    run([seed], ms, { isAsBefore: true });
  });
});
