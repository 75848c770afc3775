import { describe, expect, test } from "vitest";
import type { AccountId, Minute } from "../../../mesh/core/ids.ts";
import { GRACE_MS } from "../../../mesh/core/minute.ts";
import { at, M, OneRoom } from "./one-room.ts";

const TWO = { totalActiveUsers: 10, newUsersPerMinute: 2 };

/** A group of pots, and another. */
const POT = "view 2";
const OTHER = "view 3";
const HOME = "lost" as AccountId;

function minute(number: number): Minute {
  return number as Minute;
}

/** A key that the line has given to a visitor who joined. */
function joinedKey(room: OneRoom, id: string, nowMs: number): number {
  expect(room.arrive(id, nowMs).kind).toBe("waiting");
  return room.keys.get(id) ?? 0;
}

describe("the decision for another gate", () => {
  test("puts nobody back in line who has come in, whatever a node says that has not heard of it", () => {
    const room = new OneRoom(TWO);
    room.fill(at(0));
    const [anna, bert] = [joinedKey(room, "anna", at(1)), joinedKey(room, "bert", at(2))];
    const before = { ...room.admission.lineSummary, ranges: [anna, bert].map((key) => [key, key, 1] as const) };
    room.admission.followLine(before, at(2));
    expect(room.admission.enter(anna, at(3), 1).kind).toBe("go");
    room.admission.notePolls([anna, bert], at(3.5));
    expect(room.admission.lineSummary.ranges).toEqual([[bert, bert, 1]]);
    room.admission.followLine(before, at(4));
    expect(room.admission.lineSummary.ranges).toEqual([[bert, bert, 1]]);
    // Whoever asks is in line again: the slot may have been lost.
    expect(room.admission.enter(anna, at(5), 0).kind).toBe("waiting");
    expect(room.admission.waiting).toBe(2);
  });

  test("estimates waits by the outlook of the node that keeps the line, as long as it is heard", () => {
    const { admission } = new OneRoom({ totalActiveUsers: 1_000, newUsersPerMinute: 100 });
    admission.followOutlook(
      {
        steps: [
          [10, 0, true],
          [20, 30, true],
        ],
        isEven: false,
      },
      at(0),
    );
    expect(admission.waitAt(20, at(0))?.seconds).toBe(1_800);
    expect(admission.waitAt(20, at(2))?.seconds).toBe(1_798);
    expect(admission.waitAt(20, at(10))?.seconds).toBeLessThan(60);
  });
});

describe("a session that asked to be adopted and found no slot", () => {
  const FULL = { totalActiveUsers: 2, newUsersPerMinute: 10 };

  /** A full room whose slots all come free together, where sessions have asked to be adopted. */
  function asked(...ids: readonly (readonly [id: string, lastGood: number])[]): OneRoom {
    const room = new OneRoom(FULL);
    expect(room.fill(at(0))).toBe(2);
    for (const [id, lastGood] of ids)
      expect(room.admission.sessions.adopt(id, minute(lastGood), at(1)).kind).toBe("not-mine");
    return room;
  }

  const FREE = at(6 * 60) + GRACE_MS;
  const SILENT = () => true;

  test("has the next free slot, to the end of its cookie, and its next request is acknowledged", () => {
    const { admission } = asked(["anna", M + 6]);
    expect([admission.sessions.adoptNext(FREE - 1, SILENT), admission.sessions.adoptNext(FREE, SILENT)]).toEqual([
      false,
      true,
    ]);
    expect(admission.sessions.record.slots).toEqual([[M + 6, 1]]);
    expect(admission.sessions.adopt("anna", minute(M + 6), FREE)).toEqual({ kind: "acknowledged", lastGood: M + 11 });
    expect(admission.sessions.record.slots).toEqual([[M + 11, 1]]);
  });

  test("has none once its cookie is over, or it has ended, or has a slot", () => {
    const { admission } = asked(["over", M + 5], ["ended", M + 6], ["home", M + 6]);
    admission.sessions.refuse({ id: "ended", lastGood: minute(M + 6) });
    expect(admission.sessions.checkIn("home", minute(M + 6), FREE).kind).toBe("acknowledged");
    expect(admission.sessions.adoptNext(FREE, SILENT)).toBe(false);
    expect(admission.inside(FREE)).toBe(1);
  });

  test("is forgotten when its cookie is over, although no slot has come free", () => {
    const { admission } = asked(["anna", M + 6], ["bert", M + 7]);
    admission.tick(at(7 * 60) - 1);
    expect([...admission.sessions.adoptions.asked.keys()]).toEqual(["anna", "bert"]);
    admission.tick(at(7 * 60));
    expect([...admission.sessions.adoptions.asked.keys()]).toEqual(["bert"]);
  });
});

describe("sessions of accounts that were inherited by different views", () => {
  test("have slots of their own pots only, and rest on own slots when the time of those is over", () => {
    const room = new OneRoom({ totalActiveUsers: 5 });
    room.potSlots = 1;
    const { admission } = room;
    const checkIn = (group: string, id: string) =>
      admission.sessions.checkInPot(group, { id, home: HOME, lastGood: minute(M + 1) }, at(0)).kind;
    expect([checkIn(POT, "anna"), checkIn(OTHER, "bert")]).toEqual(["acknowledged", "acknowledged"]);
    expect([checkIn(POT, "cora"), checkIn(OTHER, "cora")]).toEqual(["not-mine", "not-mine"]);
    expect([admission.insidePots(at(0)), admission.inside(at(0))]).toEqual([2, 0]);
    admission.sessions.settlePot(POT);
    expect([admission.insidePots(at(0)), admission.inside(at(0)), admission.sessions.potGroups]).toEqual([
      1,
      1,
      [OTHER],
    ]);
  });

  test("are on disk apart, and are refused in all of them once the origin has ended them", () => {
    const before = new OneRoom();
    before.potSlots = 2;
    for (const [group, id] of [
      [POT, "anna"],
      [OTHER, "anna"],
      [OTHER, "bert"],
    ] as const)
      before.admission.sessions.checkInPot(group, { id, home: HOME, lastGood: minute(M) }, at(0));
    const { record } = before.admission.sessions;
    expect(record.pots).toEqual([
      [POT, [[M + 5, 1]]],
      [OTHER, [[M + 5, 2]]],
    ]);
    const { admission } = new OneRoom({}, { record, line: undefined });
    const revoked = admission.sessions.revoke("anna", at(1), POT);
    expect(revoked).toEqual({ id: "anna", lastGood: M + 5 });
    const again = admission.sessions.checkInPot(OTHER, { id: "anna", home: HOME, lastGood: minute(M + 5) }, at(2));
    expect([again.kind, admission.sessions.revoked]).toEqual(["revoked", [revoked]]);
  });
});

describe("what a node that left has handed over", () => {
  const RECORD = { slots: [[minute(M + 5), 2]] as const, minute: minute(M), admittedInMinute: 3 };

  test("counts its admissions of a minute that has not begun here, and those of one that is over no more", () => {
    const ahead = new OneRoom();
    ahead.arrive("anna", at(59.9));
    ahead.admission.sessions.takeOver({ ...RECORD, minute: minute(M + 1) }, [], at(59.9));
    expect([ahead.admission.admittedInMinute(at(59.9)), ahead.admission.admittedInMinute(at(60))]).toEqual([3, 3]);
    const behind = new OneRoom();
    behind.arrive("anna", at(60));
    behind.admission.sessions.takeOver(RECORD, [], at(60));
    expect(behind.admission.admittedInMinute(at(60))).toBe(1);
  });

  test("counts its admissions of this minute, also where the time was not known yet", () => {
    const room = new OneRoom({}, undefined, 0);
    for (const record of [RECORD, { ...RECORD, admittedInMinute: 1 }]) room.admission.sessions.takeOver(record, [], 0);
    expect(room.admission.admittedInMinute(at(1))).toBe(4);
    expect(room.admission.admittedInMinute(at(60))).toBe(0);
  });

  test("holds what it had in its pot in the pot here", () => {
    const room = new OneRoom();
    room.potSlots = 4;
    room.admission.sessions.takeOver({ ...RECORD, pots: [[POT, [[minute(M + 5), 3]]]] }, [], at(0));
    expect([room.admission.inside(at(0)), room.admission.insidePots(at(0))]).toEqual([2, 3]);
    room.admission.sessions.settlePot(POT);
    expect(room.admission.inside(at(0))).toBe(5);
  });
});

describe("a session that the origin ended at another gate", () => {
  const ENDED = { id: "ended", lastGood: minute(M + 20) };

  test("is refused whether it is at home here, inherited or to be adopted, and its slot is held until it is freed", () => {
    const room = new OneRoom();
    room.potSlots = 1;
    const { admission } = room;
    room.arrive("ended", at(0));
    expect([admission.sessions.refuse(ENDED), admission.sessions.refuse(ENDED)]).toEqual([true, false]);
    const asked = () => [
      admission.sessions.checkIn("ended", minute(M + 5), at(1)).kind,
      admission.sessions.checkInPot(POT, { id: "ended", home: HOME, lastGood: minute(M + 5) }, at(1)).kind,
      admission.sessions.adopt("ended", minute(M + 5), at(1)).kind,
    ];
    expect(asked()).toEqual(["revoked", "revoked", "revoked"]);
    admission.sessions.settlePot(POT);
    expect(asked()).toEqual(["revoked", "revoked", "revoked"]);
    expect(admission.inside(at(60) + GRACE_MS)).toBe(1);
  });

  test("has its slot freed once, at the end of a minute, and is refused for as long as before", () => {
    const room = new OneRoom();
    const { admission } = room;
    room.arrive("ended", at(0));
    admission.sessions.refuse(ENDED);
    expect(admission.sessions.revoke("ended", at(1))).toEqual({ id: "ended", lastGood: M + 5 });
    expect(admission.sessions.revoke("ended", at(2))).toBeUndefined();
    expect(admission.inside(at(60) + GRACE_MS)).toBe(0);
    expect(admission.tick(at(60 * 20))).toEqual([]);
    expect(admission.sessions.isRevoked("ended")).toBe(true);
    expect(new Set(admission.tick(at(60 * 21)))).toEqual(new Set(["ended"]));
  });
});
