/**
 * Worlds that work as a large mesh does: by one digest of each locality, and with slots that pass through a bank.
 */

import { describe, expect, test } from "vitest";
import { growthPage, growthText, measureGrowth } from "../../cmd/sim/growth.ts";
import { run } from "../../cmd/sim/run.ts";
import { scenarioOf } from "../../cmd/sim/scenarios.ts";

/** CI runs more. */
const SEEDS = [1];

describe("worlds of two tiers", () => {
  test("keep all promises under harsh faults and come to rest", () => {
    for (const seed of SEEDS) {
      const scenario = scenarioOf("harsh-tiers", seed);
      if (scenario === undefined) throw new Error("unreachable");
      expect(run({ scenario, seed }).broken).toBeUndefined();
    }
  });

  test("of 51 nodes let in all that fit, and throw nobody out", () => {
    const large = scenarioOf("scale", 1, 51);
    if (large === undefined) throw new Error("unreachable");
    const scenario = { ...large, minutes: 2, foundedMs: 20_000, rate: () => 200 };
    const { broken, oracle } = run({ scenario, seed: 1 });
    expect(broken).toBeUndefined();
    const { arrived, admitted, thrownOut } = oracle.counts;
    expect(thrownOut).toBe(0);
    expect(arrived).toBeGreaterThan(6_000);
    expect(admitted / arrived).toBeGreaterThan(0.98);
  });
});

test("growth is measured, told as a table and plotted", () => {
  const told: number[] = [];
  const results = measureGrowth(1, 10, ({ nodes }) => told.push(nodes));
  expect(told).toEqual([3, 10]);
  for (const { idle, load } of results) {
    expect(idle.bytes).toBeGreaterThan(100);
    expect(load.bytes).toBeGreaterThan(idle.bytes);
    expect(load.most_bytes).toBeGreaterThan(load.bytes);
  }
  expect(growthText(results, { color: false, width: 200 })).toContain("BYTES IDLE");
  expect(growthPage(results)).toContain("Bytes per node and second");
});
