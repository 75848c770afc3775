/** One kind of fault each, always at the same places; and a storm of drawn ones in a larger mesh. */

import { CALM, part, type Scenario, SHORT_TIMES } from "./scenario.ts";
import { ABANDONER, MOVER, PATIENT, SPRAYED } from "./visitor.ts";

const THREE = ["sjc", "sjc", "sjc", "sjc", "lon", "lon", "lon", "lon", "del", "del", "del", "del"];

export const FAULT_SCENARIOS: readonly Scenario[] = [
  {
    ...CALM,
    name: "restarts",
    summary: "3 nodes, double demand, one of them restarted every 25 s: nobody inside may notice",
    localities: ["sjc", "sjc", "lon"],
    minutes: 8,
    room: { totalActiveUsers: 45, newUsersPerMinute: 30, sessionDuration: 2, refreshIntervalSeconds: 20 },
    rate: () => 20,
    stayMinutes: 4,
    plan: (seed) => ({
      clocks: [],
      faults: Array.from({ length: 16 }, (_, index) => ({
        atMs: 60_000 + 25_000 * index,
        what: "crash" as const,
        node: (seed + index) % 3,
        at: "now" as const,
        forMs: 2_000,
      })),
    }),
  },
  {
    ...CALM,
    name: "cut-off",
    summary: "one of 3 nodes is cut off for longer than its sessions last, and the others restart meanwhile",
    localities: ["sjc", "lon", "del"],
    ...SHORT_TIMES,
    minutes: 22,
    room: { totalActiveUsers: 9, newUsersPerMinute: 9, sessionDuration: 2, refreshIntervalSeconds: 2 },
    rate: () => 3,
    stayMinutes: 30,
    faults: { everyMs: 1, disks: false },
    plan: (seed) => {
      const node = seed % 3;
      const cutMs = 30_000 + ((997 * seed) % 6_000);
      // In every other run before they remove it.
      const isEarly = seed % 2 === 0;
      const restart = { what: "crash", at: "now", forMs: 200 } as const;
      const restartMs = cutMs + (isEarly ? 500 : 16_000);
      return {
        clocks: [],
        faults: [
          {
            atMs: cutMs,
            what: "cut",
            node,
            others: [0, 1, 2].filter((other) => other !== node),
            isOneWay: seed % 4 === 3,
          },
          { atMs: restartMs, ...restart, node: (node + 1) % 3 },
          { atMs: restartMs + (isEarly ? 1_500 : 4_000), ...restart, node: (node + 2) % 3 },
          { atMs: cutMs + 80_000, what: "heal links" },
        ],
      };
    },
  },
  {
    ...CALM,
    name: "old-disks",
    summary: "one of 2 nodes is started from an old copy of its disk",
    localities: ["sjc", "lon"],
    ...SHORT_TIMES,
    minutes: 10,
    room: { totalActiveUsers: 10, newUsersPerMinute: 6, sessionDuration: 3, refreshIntervalSeconds: 2 },
    rate: () => 6,
    stayMinutes: 30,
    faults: { everyMs: 1, disks: true },
    plan: (seed) => ({
      clocks: [],
      faults: [
        { atMs: 2_000 + ((997 * seed) % 6_000), what: "back up disk", node: seed % 2 },
        { atMs: 9_000 + ((1_999 * seed) % 9_000), what: "roll back disk", node: seed % 2 },
      ],
    }),
  },
  {
    ...CALM,
    name: "storm",
    summary: "12 nodes, double demand, ten minutes of faults every 5 s, then rest",
    localities: THREE,
    minutes: 10,
    rate: (_, locality) => 400 * part(locality),
    crowd: [PATIENT, PATIENT, SPRAYED, MOVER, ABANDONER],
    faults: { everyMs: 5_000, disks: true },
  },
];
