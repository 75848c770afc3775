/**
 * Sales in simulated worlds: a pre-queue, a shuffle, a start at which a ramp begins, and a crowd that the event lets
 * in.
 *
 * The script judges what a sale promises besides the limits: nobody is let in before its start, and all who came get
 * in.
 */

import type { Room } from "../../node/config/room.ts";
import { LIGHT, PATIENT } from "./visitor.ts";
import { JOINING_MS, START_MS, type World } from "./world.ts";

const MINUTE_MS = 60_000;

export interface Sale {
  /** Visitors who come before the start, and in the minute after it. */
  readonly before: number;
  readonly after: number;
  /** Minutes of the pre-queue, and after the start. */
  readonly prequeueMinutes: number;
  readonly minutes: number;
  readonly localities: readonly string[];
  /** Limits while the sale lasts. */
  readonly active: number;
  readonly perMinute: number;
  readonly ramp?: Room["ramp"];
  readonly refreshSeconds: number;
  /** Whether it is a draw that anybody can check. */
  readonly isDrawn?: boolean;
}

/** A sale whose pre-queue is drawn at its start; nobody comes later than a minute after that. */
export function saleOf({ before, after, prequeueMinutes, minutes, localities, ...sale }: Sale) {
  const startMs = START_MS + JOINING_MS + prequeueMinutes * MINUTE_MS;
  const places = new Set(localities).size;
  const { active, perMinute, ramp, refreshSeconds } = sale;
  const room: Partial<Room> = {
    totalActiveUsers: active,
    newUsersPerMinute: perMinute,
    sessionDuration: 1,
    refreshIntervalSeconds: refreshSeconds,
    events: [
      {
        name: "sale",
        description: "",
        suspended: false,
        startMs,
        endMs: startMs + 2 * minutes * MINUTE_MS,
        prequeueMs: START_MS,
        shuffles: true,
        isDrawn: sale.isDrawn === true,
        drawValue: "",
        totalActiveUsers: undefined,
        newUsersPerMinute: undefined,
        sessionDuration: undefined,
        disableSessionRenewal: undefined,
        queueingMethod: undefined,
        customPageHtml: "",
        ramp,
      },
    ],
  };
  return {
    localities,
    room,
    minutes: prequeueMinutes + minutes,
    rate: (minute: number) => {
      if (minute < prequeueMinutes) return before / prequeueMinutes / places;
      return minute < prequeueMinutes + 1 ? after / places : 0;
    },
    crowd: [before > 10_000 ? LIGHT : PATIENT].map((one) => ({ ...one, patienceMinutes: 1_000 })),
    script: (world: World, minute: number) =>
      judge(world, { startMs, isOver: minute > prequeueMinutes + minutes - 0.1 }),
  };
}

function judge(world: World, { startMs, isOver }: { readonly startMs: number; readonly isOver: boolean }): void {
  const { counts } = world.oracle;
  if (world.time.nowMs < startMs && counts.admitted > 0)
    world.broken("never over: somebody is in before the start of the sale");
  if (isOver && counts.arrived > counts.admitted)
    world.broken(
      `never lost: ${counts.arrived - counts.admitted} of ${counts.arrived} visitors of the sale never got in`,
    );
}
