/**
 * Checks on the waits that visitors in line were shown: most of the true waits should lie in their range. Under harsh
 * faults nodes are lost with their sessions, which no forecast knows: these are figures only.
 */

import { atLeast, atMost, type Check } from "../../cmd/checks.ts";
import { figure, percent } from "./figure.ts";
import type { Scenario } from "./scenario.ts";
import type { SeedResult } from "./seed-result.ts";

/**
 * In percent of the ranges that visitors in line were shown: so many of the true waits should lie in theirs. Of the
 * shown times of admission, so many may jump from one answer to the next.
 */
const WAITS = { least: 40, jumps: 8, scenarios: ["flash", "ramp", "event"] };

/** Whether the shown waits were honest. */
export function waitChecks(results: readonly SeedResult[], scenario: Pick<Scenario, "name">): Check[] {
  const sum = (of: (waits: SeedResult["waits"]) => number): number =>
    results.reduce((total, { waits }) => total + of(waits), 0);
  const [within, below, above] = (["within", "below", "above"] as const).map((where) => sum(({ all }) => all[where]));
  const all = (within ?? 0) + (below ?? 0) + (above ?? 0);
  if (all === 0) return [];
  const isCalm = WAITS.scenarios.includes(scenario.name);
  const first = sum(({ first: { below, within, above } }) => below + within + above);
  const note = `${percent(below ?? 0, all).toFixed(0)} % were shorter, ${percent(above ?? 0, all).toFixed(0)} % longer`;
  const value = percent(within ?? 0, all);
  const promise = "never lost";
  return [
    atLeast({
      promise,
      name: "true waits within the shown range",
      value,
      unit: "%",
      limit: isCalm ? WAITS.least : null,
      note,
    }),
    figure(
      promise,
      "  of the first range that each visitor was shown",
      percent(
        sum(({ first: { within } }) => within),
        first,
      ),
      "%",
    ),
    atMost({
      promise,
      name: "shown waits that jumped",
      value: percent(
        sum(({ jumps }) => jumps),
        sum(({ steps }) => steps),
      ),
      limit: isCalm ? WAITS.jumps : null,
      unit: "%",
    }),
  ];
}
