/** Crowds that come in one way or another, to a mesh in which nothing fails. */

import { CALM, part, type Scenario } from "./scenario.ts";
import { cameInTwoDays, TWO_DAYS_FROM_MS, TWO_DAYS_MINUTES } from "./two-days.ts";
import { ABANDONER, BOT, MOVER, PATIENT, REFRESHER, SPRAYED } from "./visitor.ts";

const OFFSET: Readonly<Record<string, number>> = { sjc: 8, lon: 0, del: 4 };
const MOVING = ["sjc", "lon", "del"];

export const CROWDS: readonly Scenario[] = [
  {
    ...CALM,
    name: "steady",
    summary: "twice as many visitors as fit, evenly; no faults",
    rate: (_, locality) => 400 * part(locality),
  },
  {
    ...CALM,
    name: "wave",
    summary: "a day's wave of visitors in 24 minutes, each locality in its own daytime; no faults",
    minutes: 24,
    rate: (minute, locality) =>
      450 * part(locality) * Math.max(0, Math.sin((2 * Math.PI * (minute - (OFFSET[locality] ?? 0))) / 24)) ** 2,
  },
  {
    ...CALM,
    name: "flash",
    summary: "3,000 visitors within a minute on an empty room of 600; no faults",
    rate: (minute, locality) => (minute >= 2 && minute < 3 ? 3_000 : 20) * part(locality),
  },
  {
    ...CALM,
    name: "ramp",
    summary: "visitors grow slowly from none to twice what fits; no faults",
    rate: (minute, locality) => (400 * minute * part(locality)) / 15,
  },
  {
    ...CALM,
    name: "drawn",
    summary: "one locality, 400 visitors who come at once and draw their places; slots come one by one; no faults",
    localities: ["sjc", "sjc", "sjc"],
    minutes: 6,
    room: {
      totalActiveUsers: 100_000,
      newUsersPerMinute: 120,
      pace: true,
      sessionDuration: 2,
      refreshIntervalSeconds: 20,
      queueingMethod: "random",
    },
    // All before the first is let in: a later visitor may stand in front of those who wait.
    rate: (minute) => (minute < 0.1 ? 4_000 : 0),
    keepsOrder: true,
  },
  {
    ...CALM,
    name: "one-locality",
    summary: "all visitors come to the smallest locality; no faults",
    keepsOrder: true,
    rate: (_, locality) => (locality === "del" ? 400 : 0),
  },
  {
    ...CALM,
    name: "moving",
    summary: "demand moves from one locality to the next every 5 minutes, and visitors move with it; no faults",
    crowd: [PATIENT, MOVER],
    rate: (minute, locality) => (locality === MOVING[Math.floor(minute / 5) % MOVING.length] ? 300 : 10),
  },
  {
    ...CALM,
    name: "sprayed",
    summary: "a load balancer sends each request to a gate of any locality; no faults",
    minutes: 8,
    room: { totalActiveUsers: 60, newUsersPerMinute: 20, sessionDuration: 2, refreshIntervalSeconds: 20 },
    rate: (minute, locality) => (minute < 4 ? 60 : 20) * part(locality),
    sprays: true,
  },
  {
    ...CALM,
    name: "crowd",
    summary: "refreshers, people who give up, bots without cookies, movers, many requests at once; no faults",
    crowd: [PATIENT, PATIENT, REFRESHER, ABANDONER, BOT, MOVER, SPRAYED],
    rate: (_, locality) => 300 * part(locality),
  },
  {
    ...CALM,
    name: "two-days",
    summary:
      "9 to 11 September of Cloudflare's example: both limits 200, queueing at 11:45 and 15:00 on the 11th; no faults",
    localities: ["sjc", "lon", "del"],
    startsAtMs: TWO_DAYS_FROM_MS,
    minuteMs: 3_000,
    minutes: TWO_DAYS_MINUTES,
    room: { totalActiveUsers: 200, newUsersPerMinute: 200, sessionDuration: 5, refreshIntervalSeconds: 1 },
    rate: (minute, locality) => cameInTwoDays(minute) * part(locality),
    stayMinutes: 4,
  },
];
