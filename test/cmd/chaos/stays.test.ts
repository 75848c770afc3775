import { describe, expect, test } from "vitest";
import { Stays } from "../../../cmd/chaos/stays.ts";
import type { AccountId, Minute } from "../../../mesh/core/ids.ts";

const MINUTE_MS = 1_000;
const home = "a" as AccountId;

/** Sessions of two minutes; `lastGood` of an admission is two minutes after it. */
function stays() {
  const made = new Stays({ minuteMs: MINUTE_MS, sessionMinutes: 2 });
  return {
    made,
    served: (id: string, atMs: number, lastGood: number, more: { acceptedAt?: number; home?: AccountId } = {}) =>
      made.served({ id, home, acceptedAt: 0, lastGood: lastGood as Minute, ...more }, atMs),
  };
}

describe("visitors with a session", () => {
  test("is so from the origin's answer to the end of the cookie's last good minute", () => {
    const { made, served } = stays();
    served("one", 500, 2);
    expect([499, 500, 2_999, 3_000].map((nowMs) => made.inside(nowMs))).toEqual([0, 1, 1, 0]);
  });

  test("stays longer by a later cookie, and not shorter by an older one that comes late", () => {
    const { made, served } = stays();
    served("one", 500, 2);
    served("one", 1_500, 3);
    served("one", 1_600, 2);
    expect([made.inside(3_999), made.inside(4_000), made.count]).toEqual([1, 0, 1]);
  });

  test("counts at most once at a time, and again when admitted again", () => {
    const { made, served } = stays();
    served("one", 500, 2);
    served("one", 5_500, 7, { acceptedAt: 5_400 });
    expect([made.count, made.peakInside().count]).toEqual([2, 1]);
  });

  test("takes a slot of the account that let it in, and when adopted one of the other too, to the end of the first", () => {
    const { made, served } = stays();
    served("one", 500, 2);
    served("one", 1_500, 3, { home: "b" as AccountId });
    const held = (nowMs: number) => [made.heldBy(home, nowMs), made.heldBy("b" as AccountId, nowMs)];
    expect([held(1_600), held(3_000), held(4_000)]).toEqual([
      [1, 1],
      [0, 1],
      [0, 0],
    ]);
    expect(made.admitted(0 as Minute, home)).toBe(1);
  });
});

test("the peak inside is that of any moment: who leaves makes room for who comes just then", () => {
  const { made, served } = stays();
  served("one", 500, 0);
  served("two", 700, 3);
  served("three", 1_000, 3);
  expect(made.peakInside()).toEqual({ count: 2, atMs: 700 });
  served("late", 999, 3);
  expect(made.peakInside()).toEqual({ count: 3, atMs: 999 });
});

test("arrivals count in the minute that was stamped, whenever the origin was reached", () => {
  const { made, served } = stays();
  served("one", 900, 2);
  served("two", 1_100, 2);
  served("three", 1_200, 3);
  expect([made.admitted(0 as Minute), made.admitted(1 as Minute)]).toEqual([2, 1]);
  expect(made.peakAdmitted()).toEqual({ count: 2, atMs: 0 });
});
