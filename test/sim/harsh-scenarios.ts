/**
 * Small meshes, few slots, and faults of all kinds, drawn by the seed; and the same with doors, events, or as a large
 * mesh works.
 */

import type { Room } from "../../node/config/room.ts";
import { harshDoors } from "./doors.ts";
import { eventScript } from "./event-script.ts";
import { DRIFT_MINUTE_MS } from "./fault-scenes.ts";
import { type Drawn, type DrawnScenario, type Scenario, SHORT_TIMES } from "./scenario.ts";
import { ABANDONER, BOT, MOVER, PATIENT, REFRESHER, SPRAYED } from "./visitor.ts";

/** Long enough for a clock that walks away and comes back. One seed in so many has them, as they take more time. */
const LONG_TIMES = { minuteMs: DRIFT_MINUTE_MS, leaseMs: 8_000, minutes: 3 };
const LONG_MINUTES_EVERY = 7;

const HARSH_LOCALITIES = [
  ["sjc", "sjc", "lon"],
  ["sjc", "lon", "del"],
  ["sjc", "sjc", "sjc", "lon"],
  ["sjc", "sjc", "lon", "lon", "del"],
];

export const HARSH_SCENARIOS: readonly DrawnScenario[] = [
  {
    name: "harsh",
    summary:
      "3 to 5 nodes, two rooms of few slots, faults of all kinds, and what people do to rooms and nodes meanwhile; the default",
    draw: harsh,
  },
  {
    name: "harsh-doors",
    summary: "harsh, with lanes, invite-only rooms, proofs of work, and slots kept for visitors to enter",
    draw: harshWithDoors,
  },
  {
    name: "harsh-events",
    summary: "harsh, with rooms that change their method while visitors wait, and events that begin and end",
    draw: harshEvents,
  },
  {
    name: "harsh-history",
    summary: "harsh, with nodes that count minutes: all have the same in the end, whatever was lost or cut off",
    draw: (seed) => ({ ...harsh(seed), hasHistory: true }),
  },
];

/** Small and harsh: few slots and short minutes, so that much happens in little time. Varied by the seed. */
export function harsh(seed: number): Drawn {
  const localities = HARSH_LOCALITIES[seed % HARSH_LOCALITIES.length] ?? [];
  const room = (index: number): Partial<Room> => ({
    totalActiveUsers: 4 + ((seed + 7 * index) % 17),
    // What is used twice is found out where many come in at once; the limit on arrivals where few may.
    newUsersPerMinute: (seed + index) % 2 === 0 ? 2 + ((seed + 3 * index) % 7) : 40,
    sessionDuration: 1 + ((seed + index) % 3),
    refreshIntervalSeconds: 2,
  });
  return {
    localities,
    ...(seed % LONG_MINUTES_EVERY === 0 ? LONG_TIMES : { ...SHORT_TIMES, minutes: 20 }),
    room: room(0),
    more: [room(1)],
    // A third room costs a quarter more time.
    late: seed % 3 === 0 ? [room(2)] : [],
    rate: harshRate(localities),
    sprays: seed % 3 === 1,
    stayMinutes: 7,
    crowd: [PATIENT, PATIENT, ABANDONER, ABANDONER, SPRAYED, REFRESHER, MOVER, BOT],
    faults: { everyMs: 2_000 * 2 ** (seed % 3), disks: true, hasScenes: true },
    limitsChange: seed % 5 === 0,
  };
}

/** The same, with rooms that ask for passes and proofs. */
function harshWithDoors(seed: number): Drawn {
  const { room, more = [], late = [], ...scenario } = harsh(seed);
  const doors = harshDoors(seed, 1 + more.length + late.length);
  const withDoor = (one: Partial<Room>, index: number): Partial<Room> => ({ ...one, ...doors[index] });
  return {
    ...scenario,
    room: withDoor(room, 0),
    more: more.map((one, index) => withDoor(one, 1 + index)),
    late: late.map((one, index) => withDoor(one, 1 + more.length + index)),
    hasDoors: true,
  };
}

/** The same, and what an operator does with methods and events. */
function harshEvents(seed: number): Drawn {
  return { ...harsh(seed), script: eventScript(seed) };
}

/**
 * A crowd that fills all rooms before much has happened, then as many as keep them full: a slot that is used twice is
 * not seen while one is free.
 */
function harshRate(localities: readonly string[]): Scenario["rate"] {
  const places = new Set(localities).size;
  return (minute) => (minute < 2 ? 36 : 10) / places;
}
