/** Rooms before one origin: what all rooms of a site hold together is counted, and how much of the site they use. */

import { expect, test } from "vitest";
import { run } from "../sim/run.ts";
import { part, type Scenario } from "../sim/scenario.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import { ROOM_NAME } from "../sim/sim-node.ts";

/** In percent, of the slots that visitors in line could have. */
const USE_MIN = 97;
/** Of some 300 who wait. Lines of several localities hear of each other a moment late; by polls alone, ten are. */
const OVERTAKEN_MAX = 2;

function scenario(name: string): Scenario {
  const found = scenarioOf(name, 1);
  if (found === undefined) throw new Error("unreachable");
  return found;
}

test("each room of a site has all that the others leave, all have no more than the site, and go in as they came", () => {
  const limits = { totalActiveUsers: 60, newUsersPerMinute: 30, sessionDuration: 2, refreshIntervalSeconds: 20 };
  const member = { ...limits, site: ROOM_NAME };
  const { broken, oracle, overtakes } = run({
    scenario: {
      ...scenario("site"),
      localities: ["sjc", "sjc", "lon"],
      minutes: 6,
      room: limits,
      more: [member, member],
      wanted: (minute) => (minute < 2 ? [1] : minute < 4 ? [2] : [1, 2]),
      rate: (_, locality) => 80 * part(locality),
      stayMinutes: 6,
    },
    seed: 1,
  });
  expect(broken).toBeUndefined();
  const { fullest, usedSeconds, usableSeconds } = oracle.counts;
  expect(fullest).toEqual({ inside: 60, limit: 60 });
  expect((100 * usedSeconds) / usableSeconds).toBeGreaterThan(USE_MIN);
  expect(overtakes.beyondInterval).toBeLessThanOrEqual(OVERTAKEN_MAX);
});

test("a cut lets the rooms of a site have no more than its limits, on all sides together", () => {
  const { broken, oracle } = run({ scenario: scenario("site-cut"), seed: 1 });
  expect(broken).toBeUndefined();
  expect(oracle.counts.fullest).toEqual({ inside: 12, limit: 12 });
});
