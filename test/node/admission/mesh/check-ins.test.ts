import { describe, expect, test } from "vitest";
import { accountOf, type Minute, type NodeId } from "../../../../mesh/core/ids.ts";
import { ranked } from "../../../../mesh/core/members/ring.ts";
import type { Message } from "../../../../mesh/core/wire/outbox.ts";
import { type CheckInOutcome, CheckIns, type Session } from "../../../../node/admission/mesh/check-ins.ts";
import type { CheckedData, CheckInMode } from "../../../../node/admission/mesh/room-messages.ts";
import { at, FakeRoomNode, gaugeOf, M, nodes, ROOM, SELF } from "./fake-room-node.ts";

const [HOME, OTHER] = nodes("home", "other") as [NodeId, NodeId];
const DURATION = 5;

/** Check-ins at a node whose mesh has a home and another node; `here` says `answers` in turn, then the last of them. */
function gate(...answers: CheckedData[]) {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([
    ["here", [SELF, OTHER]],
    ["there", [HOME]],
  ]);
  const here: [string, CheckInMode][] = [];
  const free = { slots: 0 };
  const checkIns = new CheckIns({
    id: ROOM,
    roomNode,
    sessionDuration: () => DURATION,
    here: ({ id }, mode) => {
      here.push([id, mode]);
      return (answers.length > 1 ? answers.shift() : answers[0]) ?? "later";
    },
    free: () => free.slots,
    extendHere: (_, minutes) => (M + minutes) as Minute,
  });
  const told: CheckInOutcome[] = [];
  const ask = (session: Session, second = 0) =>
    checkIns.ask(session, { minute: Math.floor(at(second) / 60_000) as Minute, nowMs: at(second) }, (stay) =>
      told.push(stay),
    );
  return { roomNode, checkIns, here, free, told, ask };
}

/** A session of `home`, good for `minutesLeft` minutes more. */
function session(id: string, { home = HOME, minutesLeft = DURATION - 1 } = {}): Session {
  return { id, home: accountOf(home), lastGood: (M + minutesLeft) as Minute };
}

function checked(...checked: CheckedData[]): Message {
  return { kind: "checked", checked } as Message;
}

/** A session whose stand-in among this node and the other is `node`. */
function idWithStandIn(node: NodeId, home = HOME): string {
  for (let number = 0; ; number++) {
    const candidates = [SELF, OTHER, HOME].filter((one) => one !== home);
    if (ranked(`${ROOM} visitor ${number}`, candidates)[0] === node) return `visitor ${number}`;
  }
}

const GOOD: CheckInOutcome = { kind: "acknowledged", home: accountOf(HOME), lastGood: (M + DURATION) as Minute };
const UNCHANGED: CheckInOutcome = { kind: "unchanged" };

describe("a session in its last minute", () => {
  const LAST = { minutesLeft: 0 };

  test("is asked for again a second after a home whose clock is behind did not extend it", () => {
    const { roomNode, told, ask } = gate();
    ask(session("anna", LAST));
    roomNode.question.answer(checked(M as Minute), at(0));
    ask(session("anna", LAST), 0.9);
    expect(roomNode.asked).toHaveLength(0);
    ask(session("anna", LAST), 1);
    roomNode.question.answer(checked((M + 1) as Minute), at(1));
    expect(told.map((outcome) => "lastGood" in outcome && outcome.lastGood)).toEqual([M, M, M + 1]);
  });

  test("is adopted here, if its stand-in has no free slot for it and this node has", () => {
    for (const answer of ["not-mine", "later"] as const) {
      const { roomNode, here, free, told, ask } = gate((M + DURATION) as Minute);
      free.slots = 1;
      const id = idWithStandIn(OTHER);
      ask(session(id, LAST));
      roomNode.question.answer(checked("not-mine"), at(0));
      roomNode.question.answer(checked(answer), at(0));
      expect([here, told]).toEqual([[[id, "adopt"]], [{ ...GOOD, home: accountOf(SELF) }]]);
    }
  });

  test("is adopted by a node that has reported a free slot, if this one is the stand-in and has none", () => {
    const { roomNode, told, ask } = gate("not-mine");
    roomNode.gauges.set(OTHER, gaugeOf({ active: 1, arrivals: 0 }));
    const id = idWithStandIn(SELF);
    ask(session(id, LAST));
    roomNode.question.answer(checked("not-mine"), at(0));
    expect(roomNode.question).toMatchObject({ to: OTHER, question: { sessions: [[id, HOME, M, "adopt"]] } });
    roomNode.question.answer(checked((M + DURATION) as Minute), at(0));
    expect(told).toEqual([{ ...GOOD, home: accountOf(OTHER) }]);
  });

  test("stays with its stand-in where no node has a free slot, or may use it, and where the stand-in does not answer", () => {
    const { roomNode, here, told, ask } = gate("not-mine");
    roomNode.gauges.set(OTHER, { ...gaugeOf(1), mayAct: false });
    ask(session(idWithStandIn(SELF), LAST));
    roomNode.question.answer(checked("not-mine"), at(0));
    expect([here.length, told, roomNode.asked]).toEqual([1, [UNCHANGED], []]);
    const silent = gate();
    silent.free.slots = 1;
    silent.ask(session(idWithStandIn(OTHER), LAST));
    silent.roomNode.question.answer(checked("not-mine"), at(0));
    silent.roomNode.question.answer(undefined, at(0));
    expect([silent.here, silent.told]).toEqual([[], [UNCHANGED]]);
  });

  test("is adopted where its home may not extend it, and not before", () => {
    const { roomNode, told, ask } = gate();
    const id = idWithStandIn(OTHER);
    ask(session(id, { minutesLeft: 1 }));
    roomNode.question.answer(checked("later"), at(0));
    expect([told, roomNode.asked]).toEqual([[UNCHANGED], []]);
    ask(session(id, { minutesLeft: 0 }), 1);
    roomNode.question.answer(checked("later"), at(1));
    roomNode.question.answer(checked((M + DURATION) as Minute), at(1));
    expect(told[1]).toEqual({ ...GOOD, home: accountOf(OTHER) });
  });
});

describe("a session whose home is silent", () => {
  test("is left alone only by a cookie of the time in which this node would have been told of its end", () => {
    const { roomNode, told, ask } = gate();
    roomNode.localities = new Map([["here", [SELF]]]);
    roomNode.believedTo = M + 3;
    ask(session("before", { minutesLeft: 3 }));
    ask(session("after", { minutesLeft: 4 }));
    ask(session("own", { home: SELF, minutesLeft: 4 }));
    expect(told).toEqual([UNCHANGED, { kind: "unsure" }, { kind: "unsure" }]);
    roomNode.believedTo = Number.POSITIVE_INFINITY;
    ask(session("after", { minutesLeft: 4 }), 2);
    expect(told.at(-1)).toEqual(UNCHANGED);
  });
});

test("a callback that throws costs no other request the answer, nor the session its next check-in", () => {
  const { roomNode, checkIns, told, ask } = gate();
  const broken = () => {
    throw new Error("broken");
  };
  for (const id of ["anna", "bert", "carl", "dora"]) {
    const one = session(id);
    checkIns.ask(one, { minute: M, nowMs: at(0) }, broken);
    ask(one);
    expect(() => roomNode.question.answer(checked((M + DURATION) as Minute), at(0))).toThrow("broken");
  }
  ask(session("anna"), 60);
  roomNode.question.answer(checked((M + DURATION) as Minute), at(60));
  expect(told).toEqual([GOOD, GOOD, GOOD, GOOD, GOOD]);
});

test("a session that could not be asked for is asked for again by its next request", () => {
  const roomNode = new FakeRoomNode();
  let isBroken = true;
  const here = (): CheckedData => {
    if (isBroken) throw new Error("broken");
    return (M + DURATION) as Minute;
  };
  const parts = { id: ROOM, roomNode, sessionDuration: () => DURATION, free: () => 0 };
  const checkIns = new CheckIns({ ...parts, here, extendHere: here });
  const told: CheckInOutcome[] = [];
  const ask = () =>
    checkIns.ask(session("anna", { home: SELF }), { minute: M, nowMs: at(0) }, (stay) => told.push(stay));
  expect(ask).toThrow("broken");
  isBroken = false;
  ask();
  expect(told).toEqual([{ ...GOOD, home: accountOf(SELF) }]);
});
