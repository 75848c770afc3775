/**
 * The promises of one room at one node, under random schedules: limits hold, nobody inside is refused, and no slot is
 * held or counted that no session has. The checks of the first two are in room-world.ts.
 */

import fc from "fast-check";
import { describe, test } from "vitest";
import { must } from "./onlooker.ts";
import type { Change, CrashPoint, Step } from "./room-steps.ts";
import { REFRESH_MS, RoomWorld } from "./room-world.ts";

const limit = fc.oneof({ arbitrary: fc.integer({ min: 1, max: 6 }), weight: 4 }, fc.integer({ min: 7, max: 40 }));
const room: fc.Arbitrary<Change> = fc.record({
  totalActiveUsers: limit,
  newUsersPerMinute: limit,
  sessionDuration: fc.integer({ min: 1, max: 4 }),
  disableSessionRenewal: fc.oneof({ arbitrary: fc.constant(false), weight: 4 }, fc.constant(true)),
});

const nearEdge = fc.constantFrom(0, 1, 2_000, 4_999, 5_000, 5_001);
const arrive: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("arrive"), times: fc.integer({ min: 1, max: 6 }) });
const ask: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("ask"),
  visitor: fc.nat(60),
  cookiesBack: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.nat(5)),
  lost: fc.oneof({ arbitrary: fc.constant(false), weight: 4 }, fc.constant(true)),
});
const round: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("round"), from: fc.nat(60) });
const revoke: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("revoke"), visitor: fc.nat(60) });
const pass: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("pass"),
  ms: fc.oneof(fc.nat(2_000), fc.nat(REFRESH_MS)),
});
const edge: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("edge"), minutes: fc.nat(2), afterMs: nearEdge });
const turn: fc.Arbitrary<Step> = fc.constant({ kind: "turn", disk: "works" });
const diskError: fc.Arbitrary<Step> = fc.constant({ kind: "turn", disk: "refuses" });
const crash: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("crash"),
  at: fc.constantFrom<CrashPoint>("decided", "committed", "told"),
  downMs: fc.oneof(fc.nat(3_000), fc.nat(150_000)),
});
const clock: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("clock"),
  ms: fc.oneof(fc.integer({ min: -3_000, max: 3_000 }), fc.integer({ min: -200_000, max: 200_000 })),
});
const configure: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("configure"),
  change: fc.record(
    {
      totalActiveUsers: limit,
      newUsersPerMinute: limit,
      sessionDuration: fc.integer({ min: 1, max: 4 }),
      disableSessionRenewal: fc.boolean(),
      queueAll: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
});

const usual = [arrive, arrive, ask, ask, round, round, turn, pass, edge, edge];
const steps = (...more: fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof(...usual, ...more), { minLength: 30, maxLength: 70, size: "max" });
const runs = { numRuns: 400 };

function play(change: Change, script: readonly Step[], options?: { keepsRevoked: boolean }): void {
  const world = new RoomWorld(change, options);
  for (const step of script) world.step(step);
}

describe("no more sessions are good, and no more are admitted in a minute, than the limits allow; no session is refused", () => {
  test("whatever visitors do with their cookies", () => {
    fc.assert(
      fc.property(room, steps(revoke, revoke, diskError), (change, script) =>
        play(change, script, { keepsRevoked: true }),
      ),
      runs,
    );
  });

  test("while the process is killed at any point and started again", () => {
    fc.assert(
      fc.property(room, steps(crash, crash, revoke, diskError), (change, script) => play(change, script)),
      runs,
    );
  });

  test("after a crash has undone a check-in that its visitor never heard of", () => {
    const later: Step = { kind: "edge", minutes: 0, afterMs: 0 };
    const withPlace = { kind: "ask", visitor: 1, lost: false } as const;
    play({ totalActiveUsers: 1, newUsersPerMinute: 2, sessionDuration: 1, disableSessionRenewal: false }, [
      { kind: "arrive", times: 2 },
      { kind: "turn", disk: "works" },
      { kind: "configure", change: { totalActiveUsers: 2 } },
      { ...withPlace, cookiesBack: 0 },
      later,
      { ...withPlace, cookiesBack: 0 },
      { kind: "crash", at: "decided", downMs: 0 },
      { kind: "configure", change: { disableSessionRenewal: true } },
      { ...withPlace, cookiesBack: 0 },
      later,
      { ...withPlace, cookiesBack: 2 },
    ]);
  });

  test("while limits, durations and buttons change", () => {
    fc.assert(
      fc.property(room, steps(configure, configure, crash, revoke), (change, script) => play(change, script)),
      runs,
    );
  });

  test("while the clock is set, forth and back", () => {
    fc.assert(
      fc.property(room, steps(clock, crash, revoke), (change, script) => play(change, script)),
      runs,
    );
  });
});

describe("what is counted is what there is", () => {
  test("free slots are exactly those that no session holds", () => {
    fc.assert(
      fc.property(room, steps(revoke, revoke), (change, script) => {
        const world = new RoomWorld(change);
        for (const step of script) {
          world.step(step);
          const { totalActiveUsers, newUsersPerMinute } = world.room;
          const admitted = [...world.seen.sessions.values()].filter(({ minute }) => minute === world.minute).length;
          const free = Math.max(
            0,
            Math.min(totalActiveUsers - world.seen.slotsHeld(world.nowMs), newUsersPerMinute - admitted),
          );
          const told = world.admission.free(world.nowMs);
          must(told === free, `free slots are ${free}, not ${told}`);
        }
      }),
      runs,
    );
  });

  test("the counts published for a minute are the sessions that rest on it", () => {
    fc.assert(
      fc.property(room, steps(revoke, revoke), (change, script) => {
        const world = new RoomWorld(change);
        for (const step of script) world.step(step);
        const resting = new Map<number, number>();
        for (const { lastGood, revokedIn } of world.seen.sessions.values()) {
          const minute = lastGood - world.room.sessionDuration;
          if (revokedIn === undefined) resting.set(minute, (resting.get(minute) ?? 0) + 1);
        }
        for (const key of new Set([...world.counts.keys()].map((key) => key.replace(/^\w+ /, "")))) {
          const counted = (world.counts.get(`in ${key}`) ?? 0) - (world.counts.get(`out ${key}`) ?? 0);
          const there = resting.get(Number(key)) ?? 0;
          must(counted === there, `minute ${key} counts ${there} sessions, not ${counted}`);
        }
      }),
      runs,
    );
  });
});
