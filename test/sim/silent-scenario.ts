/**
 * Programs that join a line and never ask again, beside visitors who do: those must get in while slots are free.
 *
 * The room is closed to all for a minute, so that a line is there when its slots are free. Then each second some 25
 * programs join, over all nodes, and every other second a visitor who asks again.
 */

import { CALM, part, type Scenario } from "./scenario.ts";
import { PATIENT, SILENT, type Visitor } from "./visitor.ts";
import type { World } from "./world.ts";

/** Until here nobody is let in, in minutes. */
const OPENS = 1;
const REFRESH_SECONDS = 5;
/**
 * In s: how long those wait who ask again, most of them and each. Their first poll comes after up to 6 s, and
 * lets them in; the rest is for slots that were called for others, or lie in another locality. If each program kept a
 * slot, it would be 9 s and 11 s.
 */
const WAIT_SECONDS = { most: 7, each: 15 };
/** It is 94 % over ten seeds, and 87 to 99 % of the hundred or so of one. */
const MOST = 0.8;
/** From so many on, a part of them says something. */
const ASKED_MIN = 60;
/** Of those who join. */
const ASKING = 1 / 50;

export const SILENT_SCENARIO: Scenario = {
  ...CALM,
  name: "silent-joins",
  summary: `25 programs a second join a room of 100 slots and never ask again: four of five who ask get in within ${WAIT_SECONDS.most} s; no faults`,
  minutes: 5,
  room: {
    totalActiveUsers: 100,
    newUsersPerMinute: 6_000,
    sessionDuration: 1,
    refreshIntervalSeconds: REFRESH_SECONDS,
    queueAll: true,
  },
  rate: (_, locality) => 1_530 * part(locality),
  crowd: [PATIENT, ...Array<typeof SILENT>(1 / ASKING - 1).fill(SILENT)],
  // They use about half of the slots.
  stayMinutes: 0.3,
  useMin: 0,
  // A new visitor joins the line first, as it may be a program, and is called by the first poll: up to 6 s beside free
  // slots.
  earlyMax: 100,
  script: openThenJudge,
};

function openThenJudge(world: World, minute: number): void {
  const [at] = world.nodes;
  if (minute < OPENS || at === undefined) return;
  if (world.room.queueAll) world.configure({ queueAll: false }, at);
  const openForMs = (minute - OPENS) * world.options.minuteMs;
  const opensMs = world.time.nowMs - openForMs;
  for (const visitor of world.visitors) {
    const waitsMs = world.time.nowMs - Math.max(opensMs, visitor.arrivedMs);
    if (isInLine(visitor) && waitsMs > 1_000 * WAIT_SECONDS.each)
      world.broken(`never early: ${visitor.number} asks, and waits for ${WAIT_SECONDS.each} s among many who do not`);
  }
  const waits = world.oracle.waits.filter(({ atMs, ms }) => atMs - ms > world.elapsedMs - openForMs);
  const soon = waits.filter(({ ms }) => ms <= 1_000 * WAIT_SECONDS.most).length;
  if (waits.length >= ASKED_MIN && soon < MOST * waits.length)
    world.broken(`never early: ${soon} of ${waits.length} who ask get in within ${WAIT_SECONDS.most} s`);
}

function isInLine({ cookie, behaviour }: Visitor): boolean {
  return cookie?.kind === "waiting" && behaviour !== SILENT;
}
