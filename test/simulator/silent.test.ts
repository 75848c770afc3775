/** Programs that join a line and never ask again, over a whole mesh: they keep no slots from visitors who ask. */

import { expect, test } from "vitest";
import { run } from "../sim/run.ts";
import { scenarioOf } from "../sim/scenarios.ts";

test("four of five who ask get in within 7 s, while 25 programs a second join 100 slots in three localities and never ask again", () => {
  const scenario = scenarioOf("silent-joins", 1);
  if (scenario === undefined) throw new Error("unreachable");
  const { broken, oracle } = run({ scenario: { ...scenario, minutes: 4 }, seed: 1 });
  expect(broken).toBeUndefined();
  expect(oracle.counts.arrived).toBeGreaterThan(4_000);
  expect(oracle.counts.admitted).toBeGreaterThan(50);
  expect(oracle.counts.insideMax).toBeLessThan(100);
});
