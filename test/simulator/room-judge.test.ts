import { describe, expect, test } from "vitest";
import type { Minute } from "../../mesh/core/ids.ts";
import { RoomJudge, type RoomJudgeParts } from "../sim/room-judge.ts";

function judgeOf(active: number, ends: Pick<RoomJudgeParts, "isEndStored"> = {}) {
  const judge = new RoomJudge({
    ...ends,
    name: "shop",
    isStrict: true,
    fail: (text) => {
      throw new Error(text);
    },
  });
  judge.limit({ active, arrivals: 2 });
  return judge;
}

const at = (minute: number): Minute => minute as Minute;

test("a session counts to the last minute that any of its cookies is good for", () => {
  const judge = judgeOf(1);
  judge.received("one", at(5), at(1));
  judge.received("one", at(3), at(1));
  expect([4, 5, 6].map((minute) => judge.inside(at(minute)))).toEqual([1, 1, 0]);
  expect(() => judge.received("other", at(6), at(5))).toThrow("never over: shop: 2 sessions inside, 1 allowed");
});

test("a revoked session counts to the end of its minute, and again when it is served all the same", () => {
  const judge = judgeOf(1);
  judge.received("one", at(9), at(1));
  judge.revoked("one", at(2));
  expect([2, 3].map((minute) => judge.inside(at(minute)))).toEqual([1, 0]);
  judge.received("other", at(9), at(3));
  expect(() => judge.served("one", at(4))).toThrow("2 sessions inside, 1 allowed");
});

describe("a session whose end was ordered", () => {
  function ordered(isEndStored: boolean): RoomJudge {
    const judge = judgeOf(1, { isEndStored: () => isEndStored });
    judge.received("one", at(9), at(1));
    judge.revoking("one");
    return judge;
  }

  test("counts until that is on a disk, and again when it is served", () => {
    expect(() => ordered(false).received("two", at(9), at(2))).toThrow("2 sessions inside, 1 allowed");
    const judge = ordered(true);
    judge.received("two", at(9), at(2));
    expect([judge.isRevoked("one"), judge.inside(at(2))]).toEqual([true, 1]);
    expect(() => judge.served("one", at(3))).toThrow("2 sessions inside, 1 allowed");
  });

  test("counts in the minute in which it was last served", () => {
    const judge = ordered(true);
    judge.served("one", at(2));
    expect(() => judge.received("two", at(9), at(2))).toThrow("2 sessions inside, 1 allowed");
  });
});

test("a session that is on a disk as ended, and whose end nobody ordered, counts on", () => {
  const judge = judgeOf(1, { isEndStored: () => true });
  judge.received("one", at(9), at(1));
  expect(() => judge.received("two", at(9), at(2))).toThrow("2 sessions inside, 1 allowed");
});

test("an admission counts once, and too many in a minute are found", () => {
  const judge = judgeOf(9);
  judge.limit({ active: 9, arrivals: 1 });
  expect(judge.admitted("one", at(1))).toBe(0.5);
  judge.received("one", at(3), at(1));
  expect(judge.admitted("one", at(1))).toBeUndefined();
  judge.admitted("two", at(1));
  expect(() => judge.admitted("three", at(1))).toThrow("3 admitted in minute 1, 2 allowed");
});

test("a visitor who is admitted once more, after a lost session, counts in that minute as well", () => {
  const judge = judgeOf(9);
  judge.limit({ active: 9, arrivals: 1 });
  for (const stamped of [1, 2]) {
    for (const id of ["one", "two"]) judge.admitted(id, at(stamped));
    judge.received("one", at(3), at(1));
    expect(judge.admitted("one", at(stamped))).toBeUndefined();
  }
  expect(judge.admittedIn(at(2))).toBe(2);
  expect(() => judge.admitted("three", at(2))).toThrow("3 admitted in minute 2, 2 allowed");
});
