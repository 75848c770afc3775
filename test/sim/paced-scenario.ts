/** A line that is let in at a held-back rate. */

import { CALM, type Drawn, type DrawnScenario } from "./scenario.ts";
import { HASTY, PATIENT } from "./visitor.ts";

/** Of slots that are released one by one, in percent; an odd locality's last ones are too few for a slot. */
const PACED_USE = 85;
const PACED_LOCALITIES = [
  ["sjc"],
  ["sjc", "sjc", "sjc"],
  ["sjc", "sjc", "lon"],
  ["sjc", "sjc", "sjc", "lon", "lon", "del"],
];
const PACED_RATES = [60, 240, 1_200, 12];

export const PACED_SCENARIO: DrawnScenario = {
  name: "paced",
  summary: "a line that is let in at a held-back rate, of 60 to 1,200 a minute: nobody may be overtaken; no faults",
  draw: paced,
};

/**
 * A rate that holds a line back, in ways that the seed draws: paced or along a ramp, in one locality or several, few or
 * many at once.
 */
function paced(seed: number): Drawn {
  const localities = PACED_LOCALITIES[seed % PACED_LOCALITIES.length] ?? [];
  const perMinute = PACED_RATES[Math.floor(seed / PACED_LOCALITIES.length) % PACED_RATES.length] ?? 0;
  const isRamp = seed % 2 === 0;
  const places = new Set(localities).size;
  return {
    ...CALM,
    localities,
    minutes: 6,
    room: {
      totalActiveUsers: 100_000,
      newUsersPerMinute: isRamp ? 100_000 : perMinute,
      pace: !isRamp,
      ...(isRamp && { ramp: { start: perMinute / 2, unit: "min" as const, percent: 50, minutes: 2 } }),
      sessionDuration: 5,
      refreshIntervalSeconds: 20,
    },
    // Two and a half minutes' worth come at once, then as many as may.
    rate: (minute) => (perMinute * (minute < 0.5 ? 5 : 0.8)) / places,
    crowd: [PATIENT, PATIENT, PATIENT, HASTY],
    keepsOrder: true,
    // Of a ramp's limit most is not released yet. What a ramp uses is tested in ramp.test.ts.
    useMin: isRamp ? 0 : PACED_USE,
  };
}
