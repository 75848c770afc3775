/** How soon slots that come free with a minute are used again, where a line waits for them at several nodes. */

import { expect, test } from "vitest";
import { GRACE_MS, scaledMs } from "../../mesh/core/minute.ts";
import { run } from "../sim/run.ts";
import { CALM, type Scenario } from "../sim/scenario.ts";
import { PATIENT } from "../sim/visitor.ts";

const MINUTE_MS = 5_000;
const LOOK_MS = 50;

const ROOM = { totalActiveUsers: 60, newUsersPerMinute: 24, sessionDuration: 3, refreshIntervalSeconds: 2 };

/** Part of the slots that nobody has, from one time to another after those of ended sessions are free. */
function idlePart(fromMs: number, toMs: number): number {
  let [idle, slots, isWatched] = [0, 0, false];
  const scenario: Scenario = {
    ...CALM,
    ...{ name: "freed", summary: "", localities: ["a", "b", "c", "a", "b"], room: ROOM },
    ...{ minuteMs: MINUTE_MS, minutes: 20, leaseMs: 4_000, stayMinutes: 2.4 },
    rate: (minute, locality) => (minute < 1 ? 60 : 16) * (locality === "c" ? 0.2 : 0.4),
    crowd: [{ ...PATIENT, browses: [0.15, 0.7] }],
    script: (world, minute) => {
      if (isWatched || minute < 5) return;
      isWatched = true;
      world.time.every(LOOK_MS, () => {
        const [room] = world.rooms;
        const sinceMs = (world.time.nowMs % MINUTE_MS) - scaledMs(GRACE_MS, MINUTE_MS);
        if (room === undefined || room.waiting === 0 || sinceMs < fromMs || sinceMs >= toMs) return true;
        slots += ROOM.totalActiveUsers;
        idle += ROOM.totalActiveUsers - room.judge.inside(world.minute);
        return true;
      });
    },
  };
  expect(run({ scenario, seed: 1 }).broken).toBeUndefined();
  expect(slots).toBeGreaterThan(0);
  return idle / slots;
}

test("slots of ended sessions are used within half a second, as their visitors poll then", () => {
  expect(idlePart(500, 1_000)).toBeLessThan(0.03);
});
