/**
 * Sessions that are ended at one gate while another cannot hear of it, or hears of it late.
 *
 * The room never fills, so that no limit shows a session that somebody still accepts: revoke-watch.ts looks for it.
 */

import type { Fault } from "./fault-kinds.ts";
import { CALM, type Scenario, SHORT_TIMES } from "./scenario.ts";
import { PATIENT } from "./visitor.ts";

/** Four rounds. After each, time to hear of what was ended, and for the watch to see whether each gate has. */
const ROUNDS = 4;
const ROUND_MS = 24_000;
/** Shorter than a removal takes. */
const CUT_MS = 5_000;
/** A message and its answer then take longer than the gate that asks waits. */
const CLOG_MS = 1_200;

export const LATE_REVOKES: Scenario = {
  ...CALM,
  name: "late-revokes",
  summary:
    "sessions are ended at one of 3 nodes while another one is cut off, or hears of it late: it refuses them soon",
  localities: ["sjc", "sjc", "lon"],
  ...SHORT_TIMES,
  minutes: 20,
  room: { totalActiveUsers: 200, newUsersPerMinute: 60, sessionDuration: 5, refreshIntervalSeconds: 2 },
  rate: () => 3,
  stayMinutes: 5,
  crowd: [PATIENT],
  faults: { everyMs: 1, disks: false },
  // Few wait, and those at a gate that is cut off.
  ...{ earlyMax: 100, useMin: 0 },
  plan: (seed) => ({ clocks: [], faults: Array.from({ length: ROUNDS }, (_, round) => roundOf(seed, round)).flat() }),
};

/** A gate that cannot hear, or be heard, or hears late; and sessions that are ended at another. */
function roundOf(seed: number, round: number): Fault[] {
  const fromMs = 15_000 + ROUND_MS * round + ((997 * seed) % 3_000);
  const [deaf, gate] = [(seed + round) % 3, (seed + round + 1) % 3];
  const all = [0, 1, 2];
  const troubles = [
    { what: "cut", node: deaf, others: all.filter((node) => node !== deaf), isOneWay: false },
    { what: "cut", node: gate, others: [deaf], isOneWay: true },
    { what: "cut", node: deaf, others: [gate], isOneWay: true },
    { what: "clog", node: deaf, delayMs: CLOG_MS, forMs: CUT_MS },
  ] as const;
  const trouble = troubles[(seed + round) % troubles.length] ?? troubles[0];
  return [
    { atMs: fromMs, ...trouble },
    { atMs: fromMs + 500, what: "revoke", node: gate, room: 0, sessions: 3 },
    { atMs: fromMs + CUT_MS, what: "heal links" },
  ];
}
