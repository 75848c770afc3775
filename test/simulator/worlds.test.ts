/**
 * Whole nodes in simulated worlds: harsh faults for some minutes, then everything is healed. At every second no more
 * may be inside than the limits allow, nobody inside may be refused, and in the end all must come to rest.
 */

import { expect, test } from "vitest";
import { run } from "../sim/run.ts";
import { scenarioOf } from "../sim/scenarios.ts";

// CI runs hundreds of whole ones.
test("worlds with harsh faults keep all promises and come to rest, and are the same each time: the first minutes of seed 3", () => {
  const scenario = scenarioOf("harsh", 3);
  const runs = [1, 2].map(() => {
    const trace: string[] = [];
    const log = (atMs: number, text: string) => trace.push(`${atMs} ${text}`);
    const { broken, oracle } = run({ scenario: { ...scenario, minutes: 8 }, seed: 3, log });
    return { broken, counts: oracle.counts, trace };
  });
  expect(runs[0]?.broken).toBeUndefined();
  expect(runs[0]).toEqual(runs[1]);
});
