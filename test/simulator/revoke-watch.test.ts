/** Sessions that are ended at one gate of a whole world: the judge finds no gate that has not heard of it in time. */

import { expect, test } from "vitest";
import { run } from "../sim/run.ts";
import { scenarioOf } from "../sim/scenarios.ts";

test("in worlds whose gates hear late of it all have heard in time", () => {
  for (const seed of [1, 2]) {
    const scenario = scenarioOf("late-revokes", seed);
    if (scenario === undefined) throw new Error("unreachable");
    const { broken, oracle } = run({ scenario, seed });
    expect(broken).toBeUndefined();
    expect(oracle.counts.endedByOrder).toBeGreaterThan(5);
    // No limit would show a session that goes on.
    expect(oracle.counts.insideMax).toBeLessThan(200);
  }
});
