import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "../../../mesh/core/minute.ts";
import { Admission } from "../../../node/admission/admission.ts";
import { at, OneRoom, placeOf } from "./one-room.ts";
import { poll } from "./without-mesh.ts";

test("a new visitor does not come in on a call that counts on no-shows of older ones", () => {
  const room = new OneRoom({ totalActiveUsers: 1_000, newUsersPerMinute: 1 });
  for (let minute = 0; minute < 100; minute++) {
    room.arrive(`first of ${minute}`, at(minute * 60));
    room.arrive(`gone of ${minute}`, at(minute * 60));
    room.pass(at(minute * 60), at(minute * 60 + 59.5));
  }
  const nowMs = at(6_000);
  expect(room.arrive("older", nowMs).kind).toBe("admitted");
  room.arrive("old", nowMs + 1);
  room.configure({ newUsersPerMinute: 2 });
  expect(room.arrive("new", nowMs + 2).kind).toBe("waiting");
  expect(room.poll("old", nowMs + 3).kind).toBe("admitted");
});

describe("the wait shown", () => {
  test("does not count those who have a slot and come in at their next poll", () => {
    const room = new OneRoom({ totalActiveUsers: 1_000, newUsersPerMinute: 10 });
    room.fill(at(0));
    for (let visitor = 0; visitor < 14; visitor++) room.arrive(`visitor-${visitor}`, at(0));
    const last = "visitor-13";
    room.admission.tick(at(1));
    const before = placeOf(room.poll(last, at(59))).wait?.seconds;
    const after = placeOf(room.poll(last, at(60))).wait?.seconds;
    expect([before, after]).toEqual([61, 60]);
  });

  test("is that of all who are in front, also where the position that is shown does not go back", () => {
    const room = new OneRoom({ totalActiveUsers: 1_000, newUsersPerMinute: 10 });
    room.fill(at(0));
    room.arrive("anna", at(10));
    // They were in line at another node.
    for (let second = 0; second < 95; second++)
      poll(room.admission, { id: `older-${second}`, key: at(1) * 1_000 + second }, at(20));
    const { position, wait } = placeOf(room.poll("anna", at(30)));
    expect(position).toBe(2);
    expect(wait?.earliestSeconds).toBeGreaterThan(300);
  });

  test("calculates with the slower of both limits", () => {
    const perMinute = new OneRoom({ totalActiveUsers: 1_000_000, newUsersPerMinute: 10 });
    expect(perMinute.admission.waitAt(10 + 100, at(0))?.seconds).toBe(600);
    // All 11 sessions last for 5 minutes at least.
    const inside = new OneRoom({ totalActiveUsers: 11, newUsersPerMinute: 1_000_000 });
    inside.fill(at(0));
    expect(inside.admission.waitAt(1, at(0))?.seconds).toBeGreaterThanOrEqual(300);
    expect(inside.admission.waitAt(30, at(0))?.seconds).toBeGreaterThan(600);
  });

  test("is as long as what holds new visitors back makes it, and nothing is said while nobody comes in at all", () => {
    for (const [perMinute, seconds] of [
      [5, 1_200],
      [0, undefined],
    ] as const) {
      const { room } = new OneRoom({ totalActiveUsers: 1_000_000, newUsersPerMinute: 10 });
      const account = {
        active: () => 1_000_000,
        arrivals: () => 0,
        pot: () => 0,
        ceiling: () => Number.POSITIVE_INFINITY,
        count: () => {},
      };
      const brake = { arrivals: () => 0, holding: { perMinute } };
      const held = new Admission({ room }, { account, minuteMs: MINUTE_MS, nowMs: at(0), restored: undefined, brake });
      expect(held.waitAt(100, at(0))?.seconds).toBe(seconds);
    }
  });
});

test("a pause in whole seconds is not shorter than the one in ms: who polls in time is expected no earlier", () => {
  const { admission } = new OneRoom();
  const place = {
    key: 1,
    rank: 1,
    position: 1,
    wait: { seconds: 2, earliestSeconds: 2, latestSeconds: 2, isKnown: true },
  };
  expect([admission.pauseMs(place, at(58.5)), admission.pauseSeconds(place, at(58.5))]).toEqual([1_751, 2]);
});
