import { describe, expect, test } from "vitest";
import { type AccountId, accountOf, type Minute, type NodeId } from "../../../../mesh/core/ids.ts";
import { Revocations } from "../../../../node/admission/mesh/revocations.ts";
import type { Revoked } from "../../../../node/admission/sessions.ts";
import { at, FakeRoomNode, M, ROOM, SELF } from "./fake-room-node.ts";

const BERT = "bert" as NodeId;
const CORA = "cora" as NodeId;
const HERE = accountOf(SELF);

function gate() {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([["here", [SELF, BERT, CORA]]]);
  roomNode.others = [BERT, CORA];
  const released: [id: string, home: AccountId][] = [];
  const refused: Revoked[] = [];
  const revocations = new Revocations({
    id: ROOM,
    roomNode,
    release: (id, home) => released.push([id, home]),
    refused: () => refused,
  });
  return { roomNode, revocations, released, refused };
}

test("a slot is free when every member has answered, and not before", () => {
  const { roomNode, revocations, released } = gate();
  revocations.begin("anna", HERE, at(0));
  expect(roomNode.asked.map(({ to, question }) => [to, question])).toEqual(
    [BERT, CORA].map((to) => [to, { kind: "revoke", room: ROOM, id: "anna", lastGood: roomNode.refusedTo }]),
  );
  roomNode.asked[0]?.answer({ kind: "noted" }, at(0));
  expect(released).toEqual([]);
  roomNode.asked[0]?.answer({ kind: "noted" }, at(0));
  expect(released).toEqual([["anna", HERE]]);
  revocations.tick(at(1));
  expect(roomNode.asked).toEqual([]);
});

test("who has not answered in time is asked again at the next look, not at each answer", () => {
  const { roomNode, revocations } = gate();
  const dora = "dora" as NodeId;
  roomNode.others = [BERT, CORA, dora];
  roomNode.localities = new Map([["here", [SELF, BERT, CORA, dora]]]);
  revocations.begin("anna", HERE, at(0));
  roomNode.asked[0]?.answer(undefined, at(0));
  roomNode.asked[0]?.answer({ kind: "noted" }, at(0));
  expect(roomNode.asked.map(({ to }) => to)).toEqual([dora]);
  revocations.tick(at(1));
  expect(roomNode.asked.map(({ to }) => to)).toEqual([dora, BERT]);
});

test("the home of the session is told if it is another node", () => {
  const { roomNode, revocations, released } = gate();
  revocations.begin("anna", accountOf(BERT), at(0));
  for (const { answer } of [...roomNode.asked]) answer({ kind: "noted" }, at(0));
  expect(released).toEqual([]);
  const message = { kind: "release", room: ROOM, id: "anna", home: accountOf(BERT) };
  expect(roomNode.outbox.take().sent).toEqual([{ to: BERT, message }]);
});

test("nothing is free early while a node that was removed may run on; then it is", () => {
  const { roomNode, revocations, released } = gate();
  roomNode.mayOthersRunOn = true;
  revocations.begin("anna", HERE, at(0));
  for (const { answer } of [...roomNode.asked]) answer({ kind: "noted" }, at(0));
  revocations.tick(at(1));
  expect(released).toEqual([]);
  roomNode.mayOthersRunOn = false;
  revocations.tick(at(2));
  expect(released).toEqual([["anna", HERE]]);
});

test("a node that joins after the slot was freed is told once, as long as a cookie could be good", () => {
  const { roomNode, revocations, released } = gate();
  revocations.begin("anna", HERE, at(0));
  for (const { answer } of [...roomNode.asked]) answer({ kind: "noted" }, at(0));
  for (const [name, second] of [
    ["dora", 60],
    // In the last minute to which one may be good.
    ["emma", 20 * 60 + 30],
    ["fred", 21 * 60],
  ] as const) {
    revocations.tick(at(second - 1));
    roomNode.others = [...roomNode.others, name as NodeId];
    roomNode.localities = new Map([["here", [SELF, ...roomNode.others]]]);
    revocations.tick(at(second));
    expect(roomNode.asked.map(({ to }) => to)).toEqual(name === "fred" ? [] : [name]);
    for (const { answer } of [...roomNode.asked]) answer({ kind: "noted" }, at(second));
    revocations.tick(at(second + 1));
    expect(roomNode.asked).toEqual([]);
  }
  expect(released).toHaveLength(1);
});

describe("sessions that were ended at another gate, or before a restart", () => {
  const DORA = "dora" as NodeId;
  const ANNA: Revoked = { id: "anna", lastGood: (M + 5) as Minute };

  /** A gate that refuses anna, after its first look at the members. */
  function started() {
    const one = gate();
    one.refused.push(ANNA);
    one.revocations.tick(at(0));
    return one;
  }

  const asked = ({ roomNode }: ReturnType<typeof gate>): readonly NodeId[] => roomNode.asked.map(({ to }) => to);

  function joins({ roomNode, revocations }: ReturnType<typeof gate>, node: NodeId, second: number): void {
    roomNode.others = [...roomNode.others, node];
    roomNode.localities = new Map([["here", [SELF, ...roomNode.others]]]);
    revocations.tick(at(second));
  }

  test("are told to all members after a restart, once, and no slot is free early for it", () => {
    const one = started();
    expect(asked(one)).toEqual([BERT, CORA]);
    for (const { answer } of [...one.roomNode.asked]) answer({ kind: "noted" }, at(0));
    joins(one, DORA, 1);
    expect(asked(one)).toEqual([DORA]);
    one.roomNode.question.answer({ kind: "noted" }, at(1));
    one.revocations.tick(at(2));
    expect([asked(one), one.released]).toEqual([[], []]);
  });

  test("are told by the heir of a gate that is gone, and by no other node", () => {
    for (const heir of [SELF, CORA]) {
      const one = gate();
      one.revocations.tick(at(0));
      one.refused.push(ANNA);
      one.revocations.tick(at(1));
      one.roomNode.others = [CORA];
      one.roomNode.writers.set(accountOf(BERT), heir);
      one.revocations.tick(at(2));
      expect(asked(one)).toEqual(heir === SELF ? [CORA] : []);
    }
  });
});
