import { describe, expect, test } from "vitest";
import type { AccountId, Minute } from "../../../mesh/core/ids.ts";
import { PotSessions } from "../../../node/admission/pot-sessions.ts";
import { Sessions } from "../../../node/admission/sessions.ts";

const [LOST, OTHER] = ["lost", "other"] as string[] as [AccountId, AccountId];
const MINUTE_MS = 60_000;

const minute = (number: number) => number as Minute;
const sessions = () => new Sessions({ minuteMs: MINUTE_MS, rememberMinutes: 0 });

/** A table of slots held to these minutes, whose sessions' ids are not known. */
function table(...minutes: readonly number[]): Sessions {
  const held = sessions();
  held.takeOver({ slots: minutes.map((lastGood) => [minute(lastGood), 1] as const) }, []);
  return held;
}

/** Acknowledges a session in minute `at`, as one that lasts five minutes, by a cookie that is good to `cookie`. */
function show(
  pot: PotSessions,
  id: string,
  { at, cookie, home = LOST }: { at: number; cookie: number; home?: AccountId },
) {
  const extended = minute(Math.max(at + 5, cookie));
  return pot.checkIn({ id, home, lastGood: minute(cookie) }, minute(at), { extended, isFree: () => true }).kind;
}

/** What is held when a returned node's table is heard in `at`. */
function heard(pot: PotSessions, held: Sessions, at: number): readonly (readonly [Minute, number])[] {
  pot.moveTo(held, [LOST], minute(at));
  return held.record.slots;
}

describe("a session that was acknowledged while nobody knew what the lost node held", () => {
  test("is one of its table's, held to the later of both minutes", () => {
    const pot = new PotSessions(sessions());
    show(pot, "anna", { at: 12, cookie: 14 });
    show(pot, "bert", { at: 13, cookie: 15 });
    expect(heard(pot, table(14, 15, 16), 13)).toEqual([
      [16, 1],
      [17, 1],
      [18, 1],
    ]);
    expect(pot.sessions.held(0)).toBe(0);
  });

  test("leaves the later slots to others, whichever it had: the one held to longest takes the first", () => {
    const pot = new PotSessions(sessions());
    show(pot, "bert", { at: 11, cookie: 15 });
    show(pot, "anna", { at: 14, cookie: 15 });
    // Bert may have been extended at the lost node, and anna not.
    expect(heard(pot, table(15, 17), 14)).toEqual([
      [17, 1],
      [19, 1],
    ]);
  });

  test("is held besides if its cookie of the lost node's making is over, though a later one was made here", () => {
    const pot = new PotSessions(sessions());
    show(pot, "anna", { at: 12, cookie: 13 });
    show(pot, "anna", { at: 14, cookie: 17 });
    expect(heard(pot, table(18), 15)).toEqual([
      [18, 1],
      [19, 1],
    ]);
  });

  test("is one of the table's again if it was extended there since", () => {
    const pot = new PotSessions(sessions());
    show(pot, "anna", { at: 12, cookie: 13 });
    show(pot, "anna", { at: 15, cookie: 18 });
    expect(heard(pot, table(18), 16)).toEqual([[20, 1]]);
  });

  test("stays where it is if it is of another node of the group", () => {
    const pot = new PotSessions(sessions());
    show(pot, "anna", { at: 12, cookie: 14, home: OTHER });
    expect(heard(pot, table(14), 13)).toEqual([[14, 1]]);
    expect(pot.sessions.held(0)).toBe(1);
  });

  test("takes nobody's slot if its origin has ended it", () => {
    const pot = new PotSessions(sessions());
    show(pot, "anna", { at: 12, cookie: 14 });
    pot.sessions.refuse({ id: "anna", lastGood: minute(20) });
    expect(heard(pot, table(14), 13)).toEqual([[14, 1]]);
  });
});

test("after a restart nobody knows who was acknowledged", () => {
  const pot = new PotSessions(sessions());
  expect(pot.isComplete).toBe(true);
  pot.takeOver([[minute(14), 1]]);
  expect(pot.isComplete).toBe(false);
});

test("after a restart, a session that was never acknowledged leaves the held slots to those that were", () => {
  const pot = new PotSessions(sessions());
  pot.takeOver([[minute(15), 2]]);
  const isFree = () => pot.sessions.held(0) < 3;
  const checkIn = (id: string) =>
    pot.checkIn({ id, home: LOST, lastGood: minute(13) }, minute(12), { extended: minute(17), isFree }).kind;
  // Anna and Bert hold the two slots, and Carl has never been here.
  expect(["carl", "anna"].map(checkIn)).toEqual(["acknowledged", "acknowledged"]);
  expect(pot.sessions.record.slots).toEqual([
    [15, 1],
    [17, 2],
  ]);
  expect(["bert", "dora"].map(checkIn)).toEqual(["acknowledged", "not-mine"]);
  expect(pot.sessions.record.slots).toEqual([[17, 3]]);
});
