import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Message } from "../../../../mesh/core/wire/outbox.ts";
import type { Answer } from "../../../../node/admission/mesh/room-messages.ts";
import { at, FakeRoomNode, nodes, partsOf } from "./fake-room-node.ts";

const LIMITS = { totalActiveUsers: 10, newUsersPerMinute: 10 };
const SIBLINGS = nodes("a", "b", "c", "d");

/** A ticket client at a node that is the last to be asked of five. */
function gate(siblings: readonly NodeId[] = SIBLINGS) {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([["here", siblings]]);
  const parts = partsOf(roomNode, LIMITS);
  const told: [string, Answer["kind"] | "none"][] = [];
  const ask = (id: string, nowMs = at(0)) =>
    parts.ticketClient.ask([id, 0, "first"], nowMs, (answer) => told.push([id, answer?.kind ?? "none"]));
  return { roomNode, ...parts, told, ask };
}

function idsOf(question: Message): string[] {
  return (question as Message & { asked: [string][] }).asked.map(([id]) => id);
}

function goes(count: number, row?: object): Message {
  return { kind: "told", answers: Array.from({ length: count }, () => ({ kind: "go" })), row } as Message;
}

test("visitors who come while four questions are under way go together, and the gate's slots are offered once", () => {
  const { roomNode, told, ask } = gate();
  for (const id of "abcdefg") ask(id);
  expect(roomNode.asked.map(({ question }) => idsOf(question))).toEqual([["a"], ["b"], ["c"], ["d"]]);
  const offered = roomNode.asked.map(
    ({ question }) => (question as Message & { free: { active: number } }).free.active,
  );
  expect(offered).toEqual([10, 0, 0, 0]);
  roomNode.asked[0]?.answer(goes(1), at(0));
  expect(idsOf(roomNode.asked.at(-1)?.question ?? { kind: "" })).toEqual(["e", "f", "g"]);
  roomNode.asked.at(-1)?.answer(goes(3), at(0));
  expect(told.map(([id]) => id)).toEqual(["a", "e", "f", "g"]);
});

test("WR-17: how long a ticket counter takes is counted, near and far apart", () => {
  const { roomNode, ticketClient, ask } = gate();
  roomNode.localities = new Map([...roomNode.localities, ["there", nodes("e")]]);
  ask("anna");
  roomNode.question.answer(goes(1), at(0) + 8);
  ticketClient.ask(["berta", 0, "first"], at(1), () => {}, { line: "there" });
  roomNode.question.answer(goes(1), at(1) + 65);
  const { near, far } = ticketClient.times;
  expect([near.sumSeconds, far.sumSeconds]).toEqual([0.008, 0.065]);
  expect([near.counts.indexOf(1), far.counts.indexOf(1)].map((at) => near.bounds[at])).toEqual([0.01, 0.1]);
});

test("beyond 50,000 waiting visitors the next gets a refusal at once", () => {
  const { roomNode, told, ask } = gate();
  for (let visitor = 0; visitor < 50_004; visitor++) ask(String(visitor));
  expect([roomNode.asked.length, told]).toEqual([4, []]);
  ask("one more");
  expect(told).toEqual([["one more", "none"]]);
});
