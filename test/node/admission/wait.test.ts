import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../cmd/crowd/random.ts";
import { forecast, type Prospect, sessionsAhead } from "../../../node/admission/wait-forecast.ts";
import {
  ERROR_MAX,
  type Errors,
  type Forecast,
  quartilesOfWait,
  WaitRecord,
} from "../../../node/admission/wait-record.ts";
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

  test("has those of the sessions that are seen now when they are expected to end", () => {
    // Half of 40 are not seen in the next minute: they end two minutes after this one. So do the others, half by half.
    expect(slotsAt({ ending: [0, 0] }, 2.6)).toBe(20);
    expect(slotsAt({ ending: [0, 0] }, 3.6)).toBe(30);
  });

  test("goes no faster than new visitors may come in, and as soon as they may", () => {
    const empty = { free: { active: 1_000, arrivals: 30 }, ending: [0, 0], seen: 0 };
    expect([0, 0.5, 1.5].map((minutes) => slotsAt(empty, minutes))).toEqual([30, 130, 230]);
  });

  test("spreads slots over the minute where a rate holds back", () => {
    const steps = forecast({ ...FULL, free: { active: 900, arrivals: 0 }, perMinute: () => 60, isEven: true }, 200);
    expect(steps.slice(0, 3)).toEqual([
      { slots: 0, minutes: 0 },
      { slots: 30, minutes: 0.5 },
      { slots: 90, minutes: 1.5 },
    ]);
  });

  test("counts slots that have ended and are not free yet", () => {
    expect(slotsAt({ ended: 9, free: { active: 0, arrivals: 100 }, toEdge: 0.95 }, 0.06)).toBe(9);
  });

  test("is finite where nothing moves", () => {
    const steps = forecast({ ...FULL, ending: [0, 0], seen: 0 }, 10);
    expect(steps.at(-1)?.slots).toBe(10);
    expect(Number.isFinite(steps.at(-1)?.minutes)).toBe(true);
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

  test("has slots whose sessions nobody counted among those that end some day, so that a line moves", () => {
    const none = { entered: () => 0, moved: () => 0 };
    const ahead = sessionsAhead(none, { held: 40, sessionMinutes: 2, passed: 0.5 });
    expect(ahead.seen).toBe(40);
    const steps = forecast({ ...FULL, ...ahead }, 10);
    expect(steps.find(({ slots }) => slots >= 10)?.minutes).toBeLessThan(5);
  });
});

describe("the record of waits", () => {
  const MINUTE_MS = 60_000;
  const SHORT = { minutes: 0.8, places: 100, outage: 0 };
  const TWELVE = { minutes: 12, places: 100, outage: 0 };

  /** After a wait of so many minutes for each visitor with that forecast. */
  function errorsAfter(forecast: Forecast, ...minutes: number[]): Errors {
    const record = new WaitRecord(MINUTE_MS);
    let atMs = 0;
    for (const [key, wait] of minutes.entries()) {
      atMs += 100 * MINUTE_MS;
      record.note(key, forecast, atMs);
      record.admitted(key, atMs + wait * MINUTE_MS);
    }
    return record.errors(atMs);
  }

  test("says the same errors again that another node has told, however often they are passed on", () => {
    const told = new WaitRecord(MINUTE_MS).errors(0);
    let errors = told;
    for (let node = 0; node < 20; node++) {
      const record = new WaitRecord(MINUTE_MS);
      record.assume(errors);
      errors = record.errors(0);
    }
    for (const [length, quartiles] of errors.entries())
      for (const [which, error] of quartiles.entries()) expect(error).toBeCloseTo(told[length]?.[which] ?? 0);
  });

  test("counts what another node has seen from the moment that it is heard", () => {
    const record = new WaitRecord(MINUTE_MS);
    const before = record.errors(0);
    record.assume(before.map(() => [-1, 0, 1] as const));
    expect(record.errors(0)).not.toEqual(before);
    expect(record.errors(0)).toEqual(record.errors(1));
  });

  test("tells no error that other nodes refuse", () => {
    const record = new WaitRecord(MINUTE_MS);
    record.assume(record.errors(0).map(() => [-ERROR_MAX, 0, ERROR_MAX] as const));
    for (const error of record.errors(0).flat()) expect(Math.abs(error)).toBeLessThanOrEqual(ERROR_MAX);
  });

  test("assumes that a forecast is right on average before any wait is over, and that chance makes a range", () => {
    const [low, middle, high] = quartilesOfWait(TWELVE, errorsAfter(TWELVE));
    expect(middle).toBeCloseTo(12, 6);
    expect(low).toBeLessThan(11.5);
    expect(high).toBeGreaterThan(12.5);
  });

  test("knows a wait behind many places better than one behind few", () => {
    const width = (places: number): number => {
      const [low, , high] = quartilesOfWait({ minutes: 12, places, outage: 0 }, errorsAfter(TWELVE));
      return high - low;
    };
    expect(width(1_000)).toBeLessThan(width(10) / 2);
  });

  test.each([1, 2, 4, 8])(
    "holds most waits behind %i places that vary by chance alone before any is compared, and half of them later",
    (places) => {
      const random = seededRandom(places);
      const forecast = { minutes: 12, places, outage: 0 };
      // Each place in front ends a session at a random time.
      const wait = (): number => {
        let sum = 0;
        for (let place = 0; place < places; place++) sum -= Math.log(1 - random());
        return (12 * sum) / places;
      };
      const waits = Array.from({ length: 4_000 }, wait);
      const within = (errors: Errors): number => {
        const [low, , high] = quartilesOfWait(forecast, errors);
        return waits.filter((minutes) => low <= minutes && minutes <= high).length / waits.length;
      };
      expect(within(errorsAfter(forecast))).toBeGreaterThan(0.6);
      expect(within(errorsAfter(forecast))).toBeLessThan(0.85);
      const later = within(errorsAfter(forecast, ...Array.from({ length: 40 }, wait)));
      expect(later).toBeGreaterThan(0.35);
      expect(later).toBeLessThan(0.65);
    },
  );

  test("reaches further up than down for a short wait before any is compared, and has the forecast in it", () => {
    const [low, middle, high] = quartilesOfWait({ ...SHORT, places: 5 }, errorsAfter(SHORT));
    expect(middle).toBeCloseTo(0.8, 6);
    expect(high - middle).toBeGreaterThan(5 * (middle - low));
  });

  test("takes little more from a visitor who asks once a second than from others", () => {
    const record = new WaitRecord(MINUTE_MS);
    for (let key = 0; key < 30; key++) {
      const atMs = key * MINUTE_MS;
      record.note(key, SHORT, atMs);
      // One of them is in line for three minutes, and always next.
      for (let second = 0; key === 29 && second < 180; second++) record.note(key, SHORT, atMs + second * 1_000);
      record.admitted(key, atMs + (key === 29 ? 3 : 0.8) * MINUTE_MS);
    }
    expect(quartilesOfWait(SHORT, record.errors(40 * MINUTE_MS))[1]).toBeCloseTo(0.8, 1);
  });

  test("is wider where a part of the wait is an outage, whose length nobody knows", () => {
    const width = (outage: number): number => {
      const [low, middle, high] = quartilesOfWait({ minutes: 12, places: 100, outage }, errorsAfter(TWELVE));
      return (high - low) / middle;
    };
    expect(width(0)).toBeLessThan(0.4);
    expect(width(6)).toBeGreaterThan(1);
  });

  test("has the quartiles of the waits that there were", () => {
    const waits = Array.from({ length: 40 }, (_, index) => 0.8 * 1.045 ** index);
    const [low, middle, high] = quartilesOfWait(SHORT, errorsAfter(SHORT, ...waits));
    for (const [told, part] of [
      [low, 0.25],
      [middle, 0.5],
      [high, 0.75],
    ] as const)
      expect(Math.abs(waits.filter((wait) => wait < told).length / waits.length - part)).toBeLessThan(0.05);
  });

  test("does not move a long wait by errors that are known when what made them is over, but widens its range", () => {
    const waits = Array.from({ length: 41 }, (_, index) => 15 + index / 10);
    const [low, middle, high] = quartilesOfWait(TWELVE, errorsAfter(TWELVE, ...waits));
    expect(middle).toBeCloseTo(12, 6);
    expect(low).toBeLessThan(9);
    expect(high).toBeCloseTo(17, 0);
  });

  test("counts a wait that is longer than forecast before it is over, unless its visitor was never heard again", () => {
    const errors = (isHeard: boolean): Errors => {
      const record = new WaitRecord(MINUTE_MS);
      for (let key = 0; key < 40; key++) record.note(key, SHORT, key * MINUTE_MS);
      if (isHeard) for (let key = 0; key < 40; key++) record.note(key, SHORT, 39 * MINUTE_MS);
      return record.errors(80 * MINUTE_MS);
    };
    expect(quartilesOfWait(SHORT, errors(true))[1]).toBeGreaterThan(2);
    expect(quartilesOfWait(SHORT, errors(false))[1]).toBeCloseTo(0.8, 6);
  });

  test("compares what was told before the line was kept elsewhere, once its visitor was heard again", () => {
    const record = new WaitRecord(MINUTE_MS);
    for (let round = 0; round < 2; round++)
      for (let key = 0; key < 40; key++) record.note(key, SHORT, (40 * round + key) * MINUTE_MS);
    record.unhear();
    // Nobody knows who was let in meanwhile.
    expect(quartilesOfWait(SHORT, record.errors(80 * MINUTE_MS))[1]).toBeCloseTo(0.8, 6);
    for (let key = 0; key < 40; key++) record.admitted(key, 80 * MINUTE_MS);
    expect(quartilesOfWait(SHORT, record.errors(80 * MINUTE_MS))[1]).toBeGreaterThan(2);
  });

  test("makes room for new waits where nothing was heard of the oldest", () => {
    const middle = (isHeard: boolean): number => {
      const record = new WaitRecord(MINUTE_MS);
      for (let key = 0; key < 1_000; key++) record.note(key, SHORT, key * MINUTE_MS);
      for (let key = 0; isHeard && key < 1_000; key++)
        record.note(key, { ...SHORT, minutes: 40 }, (1_000 + key) * MINUTE_MS);
      for (let key = 2_000; key < 2_020; key++) {
        record.note(key, SHORT, key * MINUTE_MS);
        record.admitted(key, (key + 0.1) * MINUTE_MS);
      }
      return record.errors(2_000 * MINUTE_MS)[3]?.[1] ?? 0;
    };
    expect(middle(false)).toBeLessThan(-1);
    expect(middle(true)).toBeGreaterThan(1);
  });

  test("forgets what was told before the room was changed", () => {
    const record = new WaitRecord(MINUTE_MS);
    for (let key = 0; key < 40; key++) record.note(key, SHORT, key * MINUTE_MS);
    record.forget();
    for (let key = 0; key < 40; key++) record.admitted(key, 80 * MINUTE_MS);
    expect(quartilesOfWait(SHORT, record.errors(80 * MINUTE_MS))[1]).toBeCloseTo(0.8, 6);
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
        ramp: { start: 30, percent: 50, minutes: 1 },
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
    "holds half of all true waits, and does not jump: %s",
    (_, world) => {
      let [within, all, steps, jumps] = [0, 0, 0, 0];
      for (const seed of [1, 2]) {
        const { counts } = waitsIn({ ...world, seed });
        within += counts.all.within;
        all += counts.all.below + counts.all.within + counts.all.above;
        steps += counts.steps;
        jumps += counts.jumps;
      }
      expect(within / all).toBeGreaterThan(0.4);
      expect(within / all).toBeLessThan(0.6);
      expect(jumps / steps).toBeLessThan(0.05);
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
