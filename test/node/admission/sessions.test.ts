import { describe, expect, test } from "vitest";
import type { Minute } from "../../../mesh/core/ids.ts";
import { GRACE_MS, MINUTE_MS } from "../../../mesh/core/minute.ts";
import { Sessions, type SessionsRecord } from "../../../node/admission/sessions.ts";

const M = 1_000;
const GRACE_MINUTES = 10;

function minute(number: number): Minute {
  return number as Minute;
}

/** First ms after the last good minute `number`, the grace not counted. */
function endOf(number: number): number {
  return (number + 1) * MINUTE_MS;
}

function sessions(restored?: SessionsRecord): Sessions {
  return new Sessions({ minuteMs: MINUTE_MS, rememberMinutes: GRACE_MINUTES, restored });
}

describe("a session", () => {
  test("holds its slot for a grace in proportion when minutes are short", () => {
    const room = new Sessions({ minuteMs: 6_000, rememberMinutes: GRACE_MINUTES });
    room.admit("anna", minute(M));
    expect(room.held((M + 1) * 6_000 + 499)).toBe(1);
    expect(room.held((M + 1) * 6_000 + 500)).toBe(0);
  });

  test("keeps its slot for the longest of its cookies, whichever checks in", () => {
    const room = sessions();
    room.admit("anna", minute(M + 5));
    expect(room.checkIn("anna", minute(M), minute(M + 1))).toEqual({ kind: "acknowledged", lastGood: M + 1 });
    expect(room.held(endOf(M + 5) + GRACE_MS - 1)).toBe(1);
    expect(room.checkIn("anna", minute(M + 5), minute(M + 5)).kind).toBe("acknowledged");
  });
});

describe("after a restart", () => {
  test("a claimed slot is held as long as an unclaimed one: another cookie of the session may be good for so long", () => {
    const room = sessions({ slots: [[minute(M + 4), 1]] });
    expect(room.checkIn("anna", minute(M), minute(M + 3))).toEqual({ kind: "acknowledged", lastGood: M + 3 });
    expect(room.held(endOf(M + 4) + GRACE_MS - 1)).toBe(1);
    expect(room.checkIn("anna", minute(M + 4), minute(M + 4)).kind).toBe("acknowledged");
  });

  test("the slot that would come free first is claimed first, so that all who come back find one", () => {
    const slots = [
      [minute(M + 1), 1],
      [minute(M + 3), 1],
      [minute(M + 5), 1],
    ] as const;
    const room = sessions({ slots });
    expect(room.checkIn("good to 5", minute(M + 1), minute(M + 6)).kind).toBe("acknowledged");
    expect(room.held(endOf(M + 1) + GRACE_MS)).toBe(3);
    expect(room.checkIn("good to 3", minute(M + 2), minute(M + 7)).kind).toBe("acknowledged");
    expect(room.checkIn("good to 1, and late", minute(M + 6), minute(M + 11)).kind).toBe("not-mine");
  });
});

test("the sessions of an account that is taken over are claimed with those of before a restart, the one that ends first before the others", () => {
  const room = sessions({ slots: [[minute(M + 4), 1]] });
  room.takeOver({ slots: [[minute(M + 1), 1]] }, []);
  expect(room.checkIn("anna", minute(M), minute(M + 5)).kind).toBe("acknowledged");
  expect(room.record.slots).toEqual([
    [M + 4, 1],
    [M + 5, 1],
  ]);
});

describe("a table absorbed by another", () => {
  function absorbed(): Sessions {
    const other = sessions({ slots: [[minute(M + 3), 2]] });
    other.checkIn("anna", minute(M), minute(M + 3));
    other.admit("bert", minute(M + 5));
    other.revoke("bert", minute(M));
    const room = sessions();
    room.admit("carl", minute(M + 3));
    room.absorb(other);
    return room;
  }

  test("continues with the sessions it knew, each on its slot, and with as many unknown ones", () => {
    const room = absorbed();
    const kinds = ["anna", "carl", "dora", "eric"].map((id) => room.checkIn(id, minute(M + 1), minute(M + 6)).kind);
    expect(kinds).toEqual(["acknowledged", "acknowledged", "acknowledged", "not-mine"]);
    expect(room.held(endOf(M + 3) + GRACE_MS)).toBe(3);
  });
});

describe("an ended session's id", () => {
  test("is remembered for as long as its place in line could be shown again, then forgotten", () => {
    const room = sessions();
    room.admit("anna", minute(M));
    for (let sweeps = 0; sweeps < 3; sweeps++) room.sweep(minute(M + GRACE_MINUTES));
    expect(room.lastGoodOf("anna")).toBe(M);
    for (let sweeps = 0; sweeps < 3; sweeps++) room.sweep(minute(M + GRACE_MINUTES + 1));
    expect(room.lastGoodOf("anna")).toBeUndefined();
  });

  test("is forgotten a bounded number at a time, and every one in the end", () => {
    const room = sessions();
    const ids = Array.from({ length: 50_000 }, (_, index) => `visitor-${index}`);
    for (const id of ids) room.admit(id, minute(M));
    const known = () => ids.filter((id) => room.lastGoodOf(id) !== undefined).length;
    room.sweep(minute(M + 100));
    expect(known()).toBe(30_000);
    for (let sweeps = 0; sweeps < 3; sweeps++) room.sweep(minute(M + 100));
    expect(known()).toBe(0);
  });
});

test("after a restart, who came with an older cookie first has the later slot by the newer one", () => {
  const room = sessions({
    slots: [
      [minute(M + 2), 1],
      [minute(M + 3), 1],
    ],
  });
  const [older, newer] = [minute(M + 2), minute(M + 3)];
  expect(room.checkIn("anna", minute(M), older, older)).toEqual({ kind: "acknowledged", lastGood: older });
  expect(room.checkIn("anna", newer, newer, newer)).toEqual({ kind: "acknowledged", lastGood: newer });
  expect(room.checkIn("berta", newer, newer, newer)).toEqual({ kind: "not-mine" });
});
