/** Rooms before one origin: a site, and rooms that take slots of it beside their own. */

import { harsh } from "./harsh-scenarios.ts";
import { CALM, type Drawn, type DrawnScenario, part, type Scenario, SHORT_TIMES } from "./scenario.ts";
import { ROOM_NAME } from "./sim-node.ts";
import { PATIENT, REFRESHER } from "./visitor.ts";

const LIMITS = { totalActiveUsers: 300, newUsersPerMinute: 150, sessionDuration: 2, refreshIntervalSeconds: 20 };
const MEMBER = { ...LIMITS, site: ROOM_NAME };

export const SITE_SCENARIOS: readonly Scenario[] = [
  {
    ...CALM,
    name: "site",
    summary: "two rooms of one site at double demand: the visitors of one, of the other, then of both; no faults",
    room: LIMITS,
    more: [MEMBER, MEMBER],
    wanted: (minute) => (minute < 5 ? [1] : minute < 10 ? [2] : [1, 2]),
    rate: (_, locality) => 250 * part(locality),
    crowd: [PATIENT, PATIENT, REFRESHER],
  },
  {
    ...CALM,
    name: "site-cut",
    summary: "the same in 3 nodes, of which one is cut off until it is removed, and comes back",
    localities: ["sjc", "lon", "del"],
    ...SHORT_TIMES,
    minutes: 22,
    room: { ...LIMITS, totalActiveUsers: 12, newUsersPerMinute: 9, refreshIntervalSeconds: 2 },
    more: [1, 2].map(() => ({
      ...MEMBER,
      totalActiveUsers: 10,
      newUsersPerMinute: 9,
      refreshIntervalSeconds: 2,
    })),
    rate: () => 4,
    stayMinutes: 30,
    faults: { everyMs: 1, disks: false },
    plan: (seed) => {
      const node = seed % 3;
      const others = [0, 1, 2].filter((other) => other !== node);
      return {
        clocks: [],
        faults: [
          { atMs: 30_000 + ((997 * seed) % 6_000), what: "cut", node, others, isOneWay: seed % 4 === 3 },
          { atMs: 115_000, what: "heal links" },
        ],
      };
    },
  },
];

export const HARSH_SITE: DrawnScenario = {
  name: "harsh-site",
  summary: "harsh, with a room that is the site of the others",
  draw: harshSite,
};

function harshSite(seed: number): Drawn {
  const { room, more = [], late = [], ...scenario } = harsh(seed);
  // In every other run the limits of the site alone bind.
  const joined = (one: Scenario["room"]): Scenario["room"] => ({
    ...one,
    site: ROOM_NAME,
    ...(seed % 2 === 0 && { totalActiveUsers: 60, newUsersPerMinute: 60 }),
  });
  return { ...scenario, room, more: more.map(joined), late: late.map(joined) };
}
