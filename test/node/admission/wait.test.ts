import { describe, expect, test } from "vitest";
import { forecast, type Prospect, sessionsAhead } from "../../../node/admission/wait.ts";
import { type Waits, waitsIn } from "./waits-world.ts";

const FULL: Prospect = {
  free: { active: 0, arrivals: 0 },
  perMinute: () => 100,
  isEven: false,
  toEdge: 0.5,
  grace: 0.1,
  ended: 0,
  ending: [5, 7],
  seen: 40,
  sessionMinutes: 2,
  goesOn: 0.5,
};

/** Slots that there will have been so many minutes from now. */
function slotsAt(prospect: Partial<Prospect>, minutes: number): number {
  const steps = forecast({ ...FULL, ...prospect }, 1_000);
  return steps.findLast((step) => step.minutes <= minutes)?.slots ?? 0;
}

describe("the forecast", () => {
  test("has the slots of sessions that were last seen long enough ago at the coming edges, after the grace", () => {
    expect([0.55, 0.6, 1.6].map((minutes) => slotsAt({}, minutes))).toEqual([0, 5, 12]);
  });

  test("learns from the counts of minutes how many sessions go on", () => {
    const counts = { entered: (ago: number) => (ago <= 4 ? 1_000 : 0), moved: (ago: number) => (ago >= 1 ? 800 : 0) };
    const { goesOn, ending } = sessionsAhead(counts, { held: 10_000, sessionMinutes: 2, passed: 0.1 });
    expect(goesOn).toBeCloseTo(0.8, 2);
    expect(ending[0]).toBe(200);
    expect(ending[1]).toBeCloseTo(200, -1);
  });
});

describe("what is known of sessions", () => {
  const opened = { entered: (ago: number) => (ago === 1 ? 100 : 0), moved: (ago: number) => (ago === 1 ? 30 : 0) };

  test("is learned from the first minute's visitors as soon as most have been seen again", () => {
    const goesOn = (passed: number) => sessionsAhead(opened, { held: 100, sessionMinutes: 1, passed }).goesOn;
    expect(goesOn(0.2)).toBeCloseTo(0.7, 6);
    expect(goesOn(0.6)).toBeLessThan(0.4);
  });
});

const ROOM = { totalActiveUsers: 300, newUsersPerMinute: 100, sessionDuration: 2, refreshIntervalSeconds: 20 };
const WORLDS: readonly (readonly [string, Omit<Waits, "seed">])[] = [
  ["flash", { room: ROOM, minutes: 12, rate: (minute) => (minute >= 2 && minute < 3 ? 1_200 : 10), stayMinutes: 3 }],
  ["ramp", { room: ROOM, minutes: 15, rate: (minute) => 14 * minute, stayMinutes: 3 }],
  [
    "opening",
    {
      room: { ...ROOM, queueAll: true },
      minutes: 15,
      rate: (minute) => (minute < 3 ? 250 : 25),
      stayMinutes: 3,
      change: { minute: 3, room: { queueAll: false } },
    },
  ],
  [
    "a sale that begins a ramp",
    {
      room: {
        ...ROOM,
        sessionDuration: 1,
        queueAll: true,
        ramp: { start: 30, unit: "min", percent: 50, minutes: 1 },
      },
      minutes: 19,
      rate: (minute) => (minute < 3 ? 333 : minute < 4 ? 100 : 0),
      stayMinutes: 1,
      change: { minute: 3, room: { queueAll: false } },
    },
  ],
  ["short stays", { room: { ...ROOM, totalActiveUsers: 100 }, minutes: 20, rate: () => 40, stayMinutes: 0.2 }],
];

/** Each takes a second of a processor that has nothing else to do. */
const BUSY_MS = 60_000;

describe("the range that visitors are shown", () => {
  test.each(WORLDS)(
    "holds four of five true waits, does not jump, and its ends differ by a factor of three at most: %s",
    (_, world) => {
      let [within, all, steps, jumps, widest] = [0, 0, 0, 0, 0];
      for (const seed of [1, 2]) {
        const { counts, widest: ofSeed } = waitsIn({ ...world, seed });
        widest = Math.max(widest, ofSeed);
        within += counts.all.within;
        all += counts.all.below + counts.all.within + counts.all.above;
        steps += counts.steps;
        jumps += counts.jumps;
      }
      expect(within / all).toBeGreaterThan(0.8);
      expect(jumps / steps).toBeLessThan(0.05);
      expect(widest).toBeGreaterThan(1);
      expect(widest).toBeLessThanOrEqual(3);
    },
    BUSY_MS,
  );

  test("is short, and true, for those who ask among many who join and never ask again", () => {
    const { firsts } = waitsIn({
      room: { ...ROOM, totalActiveUsers: 100, newUsersPerMinute: 6_000, refreshIntervalSeconds: 5, queueAll: true },
      change: { minute: 1, room: { queueAll: false } },
      minutes: 4,
      rate: () => 5,
      silent: () => 1_500,
      stayMinutes: 3,
      seed: 1,
    });
    const later = firsts.filter(({ toldSeconds }) => toldSeconds !== undefined);
    expect(later.length).toBeGreaterThan(8);
    for (const { toldSeconds = 0, trueSeconds } of later) {
      expect(trueSeconds).toBeLessThan(6);
      expect(toldSeconds).toBeLessThan(12);
    }
  });
});

describe("a wait is shown", () => {
  const CROWD = { ...ROOM, totalActiveUsers: 100, newUsersPerMinute: 60, sessionDuration: 5 };

  test("once sessions were seen to end or to go on, and not in the first minute of a room", () => {
    const room = { ...CROWD, newUsersPerMinute: 6_000 };
    const { firsts } = waitsIn({ room, minutes: 20, rate: (at) => (at < 1 ? 200 : 40), stayMinutes: 3, seed: 1 });
    const told = firsts.map(({ toldSeconds }) => toldSeconds !== undefined);
    expect(told[0]).toBe(false);
    expect(told.slice(told.length / 2).filter((isTold) => isTold).length).toBeGreaterThan(told.length / 4);
  });

  test("by those in front who have polled: a flood that never does frightens nobody", () => {
    const world = { room: CROWD, minutes: 16, rate: () => 30, stayMinutes: 0.5, seed: 1 };
    const { firsts } = waitsIn({ ...world, silent: (minute) => (minute >= 10 && minute < 10.2 ? 30_000 : 0) });
    const longest = Math.max(...firsts.map(({ toldSeconds = 0 }) => toldSeconds));
    expect(firsts.some(({ toldSeconds }) => toldSeconds === undefined)).toBe(true);
    expect(longest).toBeLessThan(20 * 60);
  });
});
