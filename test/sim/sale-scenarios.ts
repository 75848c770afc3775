/**
 * Sales in simulated worlds: a pre-queue, a shuffle, a start at which a ramp begins, and a crowd that the event lets
 * in.
 *
 * The script judges what a sale promises besides the limits: nobody is let in before its start, and all who came get
 * in.
 */

import type { Room } from "../../node/config/room.ts";
import { CALM, type Scenario } from "./scenario.ts";
import { LIGHT, PATIENT } from "./visitor.ts";
import { JOINING_MS, START_MS, type World } from "./world.ts";

const MINUTE_MS = 60_000;
const LARGE = 100_000;

interface Sale {
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

/** A sale of 10 minutes after a pre-queue of 5. */
const largeSale = (visitors: number): Sale => ({
  before: visitors,
  after: 0,
  prequeueMinutes: 5,
  minutes: 15,
  localities: ["sjc", "sjc", "lon", "lon", "del"],
  active: 0.3 * visitors,
  perMinute: 0.1 * visitors,
  refreshSeconds: 60,
});

/** The same with a draw that anybody can check, of so many visitors; each asks no more than needed. */
export const drawnSale = (visitors: number): Scenario => ({
  ...CALM,
  name: "draw-100000",
  summary: "a sale with a draw that anybody can check and 100,000 in its pre-queue; takes some minutes; no faults",
  ...saleOf({ ...largeSale(visitors), isDrawn: true }),
  crowd: [{ ...LIGHT, patienceMinutes: 1_000 }],
  stayMinutes: 0.5,
});

export const SALES: readonly Scenario[] = [
  {
    ...CALM,
    name: "event",
    summary: "a sale: 2,000 visitors in a pre-queue of 3 minutes, drawn at its start, which begins a ramp; no faults",
    ...saleOf({
      before: 2_000,
      after: 200,
      prequeueMinutes: 3,
      minutes: 17,
      localities: ["sjc", "sjc", "lon", "lon", "del"],
      active: 600,
      perMinute: 200,
      ramp: { start: 60, unit: "min", percent: 50, minutes: 1 },
      refreshSeconds: 20,
    }),
    stayMinutes: 1,
    useMin: 0,
  },
  {
    ...CALM,
    name: "sale",
    summary:
      "a sale with a pre-queue of 100,000 visitors on 5 nodes, drawn at its start; takes some minutes; no faults",
    ...saleOf(largeSale(LARGE)),
    stayMinutes: 0.5,
  },
  drawnSale(LARGE),
];

/** A sale whose pre-queue is drawn at its start; nobody comes later than a minute after that. */
function saleOf({ before, after, prequeueMinutes, minutes, localities, ...sale }: Sale) {
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
