/** What can be simulated, by name. */

import { CROWDS } from "./crowd-scenarios.ts";
import { DOOR_SCENARIOS } from "./door-scenarios.ts";
import { FAULT_SCENARIOS } from "./fault-scenarios.ts";
import { HARSH_SCENARIOS } from "./harsh-scenarios.ts";
import { LATE_REVOKES } from "./late-revokes.ts";
import { PACED_SCENARIO } from "./paced-scenario.ts";
import { SALES } from "./sale-scenarios.ts";
import type { DrawnScenario, Scenario } from "./scenario.ts";
import { SILENT_SCENARIO } from "./silent-scenario.ts";
import { HARSH_SITE, SITE_SCENARIOS } from "./site-scenarios.ts";

const FIXED: readonly Scenario[] = [
  ...CROWDS,
  SILENT_SCENARIO,
  ...SALES,
  ...DOOR_SCENARIOS,
  ...FAULT_SCENARIOS,
  LATE_REVOKES,
  ...SITE_SCENARIOS,
];
const DRAWN: readonly DrawnScenario[] = [...HARSH_SCENARIOS, HARSH_SITE, PACED_SCENARIO];

/** All names with their summaries. */
export const SCENARIOS: readonly Pick<Scenario, "name" | "summary">[] = [
  ...HARSH_SCENARIOS,
  HARSH_SITE,
  ...FIXED,
  PACED_SCENARIO,
];

/** The scenario of a name as the seed has it. */
export function scenarioOf(name: string, seed: number): Scenario {
  const drawn = DRAWN.find((one) => one.name === name);
  if (drawn !== undefined) return { name, summary: drawn.summary, ...drawn.draw(seed) };
  const fixed = FIXED.find((one) => one.name === name);
  if (fixed === undefined) throw new RangeError(`Cannot simulate ${name} as there is no such scenario`);
  return fixed;
}
