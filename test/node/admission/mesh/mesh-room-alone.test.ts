/** One room at one node, which hears by hand what others say. */

import { expect, test } from "vitest";
import { type AccountId, accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import { minutePlus } from "../../../../mesh/core/minute.ts";
import type { RoomRequest } from "../../../../node/admission/mesh/room-messages.ts";
import { at, FakeRoomNode, M, ROOM, roomAt, SELF } from "./fake-room-node.ts";

/** A gate that owns all slots, with a ticket counter beside it. */
function gate() {
  const roomNode = new FakeRoomNode();
  const room = roomAt(roomNode, { totalActiveUsers: 5, newUsersPerMinute: 5 }, { nowMs: at(0) });
  /** Another node joins, and is the ticket counter from then on. */
  const joinsAsCounter = (): NodeId => {
    const before = roomNode.localities.get("here") ?? [];
    const names = Array.from({ length: 50 }, (_, index) => `node-${index}` as NodeId);
    const counter = names.find((name) => {
      roomNode.localities = new Map([["here", [...before, name]]]);
      return !before.includes(name) && room.counters()[0] === name;
    });
    if (counter === undefined) throw new Error("Broken: one of them ranks first");
    return counter;
  };
  const counter = joinsAsCounter();
  const arrive = (seconds: number): string => {
    let kind = "asked";
    room.arrive(`visitor ${seconds}`, at(seconds), (decision) => {
      kind = decision.kind;
    });
    return kind;
  };
  const hearLine = (seconds: number, waiting: number): void => {
    const key = at(0) * 1_000;
    const line = { horizon: 0, lastKey: key, ranges: waiting === 0 ? [] : [[key, key, waiting] as const] };
    room.receive(counter, { kind: "line", room: ROOM, line, isParting: false }, at(seconds));
  };
  return { roomNode, room, counter, joinsAsCounter, arrive, hearLine };
}

test("a gate with free slots lets new visitors in itself only while it knows lately that nobody waits", () => {
  const { roomNode, counter, arrive, hearLine } = gate();
  expect(arrive(1)).toBe("asked");
  hearLine(2, 0);
  expect(arrive(2.1)).toBe("admitted");
  hearLine(3, 1);
  expect(arrive(3.1)).toBe("asked");
  hearLine(4, 0);
  expect(arrive(5.9)).toBe("admitted");
  expect(arrive(6.1)).toBe("asked");
  expect(roomNode.asked.map(({ to }) => to)).toEqual([counter, counter, counter]);
});

test("what a gate has heard of the line counts only while it is of the ticket counter", () => {
  const { roomNode, joinsAsCounter, arrive, hearLine } = gate();
  hearLine(1, 0);
  expect(arrive(1.1)).toBe("admitted");
  const counter = joinsAsCounter();
  expect(arrive(1.2)).toBe("asked");
  expect(roomNode.question.to).toBe(counter);
});

test("two requests of one visitor are one question, and one that throws costs the other no answer", () => {
  const { roomNode, room } = gate();
  const told: string[] = [];
  room.poll("anna", 1, at(1), () => {
    throw new Error("broken");
  });
  room.poll("anna", 1, at(1), ({ kind }) => told.push(kind));
  const answer = { kind: "told", answers: [{ kind: "go" }] } as never;
  expect(() => roomNode.question.answer(answer, at(1.1))).toThrow("broken");
  expect(told).toEqual(["admitted"]);
});

test("who was let in at a node that knows nothing of it is asked for as a new visitor, though the page asks on meanwhile", () => {
  const { roomNode, room, counter } = gate();
  const poll = () => room.poll("anna", 1, at(1), () => undefined);
  poll();
  roomNode.question.answer({ kind: "told", answers: [{ kind: "inside", home: accountOf(counter) }] } as never, at(1.1));
  const atHome = roomNode.question;
  poll();
  atHome.answer({ kind: "checked", checked: ["not-mine"] } as never, at(1.2));
  expect(roomNode.asked.map(({ question }) => question)).toMatchObject([
    { kind: "ask", asked: [["anna", 1, "first"]] },
    { kind: "ask", asked: [["anna", 1, "as-new"]] },
  ]);
});

test("a node without a lease extends its own sessions, and adopts none", () => {
  const { roomNode, room, counter, arrive, hearLine } = gate();
  hearLine(1, 0);
  arrive(1.1);
  roomNode.mayAct = () => false;
  const lastGood = M + 5;
  const sessions = [
    ["visitor 1.1", accountOf(SELF), lastGood, "home"],
    ["stranger", "gone" as AccountId, lastGood, "adopt"],
  ];
  roomNode.outbox.take();
  room.receive(counter, { kind: "check-in", room: ROOM, call: 1, sessions } as unknown as RoomRequest, at(61));
  expect(roomNode.outbox.take().sent.map(({ message }) => message)).toMatchObject([
    { checked: [lastGood + 1, "later"] },
  ]);
  expect(room.admission.inside(at(61))).toBe(1);
});

test("a session that was ended elsewhere is refused for as long as its gate says, however far this clock is behind", () => {
  const { roomNode, room, counter } = gate();
  const revoke = { kind: "revoke", room: ROOM, call: 7 } as const;
  const later = minutePlus(roomNode.refusedTo, 7);
  room.receive(counter, { ...revoke, id: "long", lastGood: later }, at(2));
  room.receive(counter, { ...revoke, id: "short", lastGood: minutePlus(M, 0) }, at(2));
  expect(room.admission.sessions.revoked).toEqual([
    { id: "long", lastGood: later },
    { id: "short", lastGood: roomNode.refusedTo },
  ]);
});
