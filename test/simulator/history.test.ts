/**
 * Short seeds of meshes whose nodes count minutes; more of them: `npm run simulate -- --scenario harsh-history --seeds
 * 40`.
 */

import { describe, expect, test } from "vitest";
import { run } from "../sim/run.ts";
import { scenarioOf } from "../sim/scenarios.ts";

describe("meshes that count minutes", () => {
  // Seed 16 was looked at just when a minute was over.
  test.each([2, 16])("have the same records at all nodes after all faults, in seed %i", (seed) => {
    const scenario = scenarioOf("harsh-history", seed);
    expect(run({ scenario: { ...scenario, minutes: Math.min(scenario.minutes, 12) }, seed }).broken).toBeUndefined();
  });
});
