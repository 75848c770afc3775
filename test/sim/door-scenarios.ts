/** Rooms with lanes, invitations and proofs of work, and no faults but a cut. */

import { INVITED_ROOM, LANES_ROOM, PROOF_ROOM } from "./doors.ts";
import { CALM, type Scenario, SHORT_TIMES } from "./scenario.ts";
import { ABANDONER, PATIENT } from "./visitor.ts";

const DOORS_ROOM = { totalActiveUsers: 40, newUsersPerMinute: 30, sessionDuration: 1, refreshIntervalSeconds: 2 };

/** One room for each kind of door, and as many visitors as keep all of them full. */
const DOORS = {
  localities: ["sjc", "sjc", "lon", "lon"],
  ...SHORT_TIMES,
  minutes: 30,
  room: { ...DOORS_ROOM, ...LANES_ROOM },
  more: [INVITED_ROOM, PROOF_ROOM].map((door) => ({ ...DOORS_ROOM, ...door })),
  rate: () => 30,
  stayMinutes: 2,
  // Visitors who owe a proof, or whose pass is refused, leave their slots to others a moment later.
  useMin: 95,
  crowd: [PATIENT, PATIENT, PATIENT, ABANDONER],
  hasDoors: true,
};

export const DOOR_SCENARIOS: readonly Scenario[] = [
  {
    ...CALM,
    ...DOORS,
    name: "doors",
    summary: "rooms with lanes, invitations and proofs of work, at double demand: passes, shares; no faults",
  },
  {
    ...CALM,
    ...DOORS,
    name: "doors-cut",
    summary:
      "the same, and one of 3 nodes is cut off to the end: a pass that was used on both sides is the earlier visitor's",
    localities: ["sjc", "sjc", "lon"],
    minutes: 15,
    // Visitors of the side that is cut off wait at gates of the other one.
    earlyMax: 25,
    faults: { everyMs: 1, disks: false },
    plan: (seed) => ({
      clocks: [],
      faults: [{ atMs: 30_000 + ((997 * seed) % 6_000), what: "split", groups: [[0, 1], [2]] }],
    }),
  },
];
