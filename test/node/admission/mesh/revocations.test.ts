import { expect, test } from "vitest";
import { type AccountId, accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import { Revocations } from "../../../../node/admission/mesh/revocations.ts";
import { at, FakeMesh, ROOM, SELF } from "./fake-mesh.ts";

const BERT = "bert" as NodeId;
const CORA = "cora" as NodeId;
const HERE = accountOf(SELF);

function gate() {
  const mesh = new FakeMesh();
  mesh.localities = new Map([["here", [SELF, BERT, CORA]]]);
  mesh.others = [BERT, CORA];
  const released: [id: string, home: AccountId][] = [];
  const revocations = new Revocations({ id: ROOM, mesh, release: (id, home) => released.push([id, home]) });
  return { mesh, revocations, released };
}

test("a slot is free when every member has answered, and not before", () => {
  const { mesh, revocations, released } = gate();
  revocations.begin("anna", HERE, at(0));
  expect(mesh.asked.map(({ to, question }) => [to, question])).toEqual(
    [BERT, CORA].map((to) => [to, { kind: "revoke", room: ROOM, id: "anna" }]),
  );
  mesh.asked[0]?.answer({ kind: "noted" }, at(0));
  expect(released).toEqual([]);
  mesh.asked[0]?.answer({ kind: "noted" }, at(0));
  expect(released).toEqual([["anna", HERE]]);
  revocations.tick(at(1));
  expect(mesh.asked).toEqual([]);
});

test("who has not answered is asked again, and no other", () => {
  const { mesh, revocations, released } = gate();
  revocations.begin("anna", HERE, at(0));
  mesh.asked[0]?.answer({ kind: "noted" }, at(0));
  revocations.tick(at(1));
  expect(mesh.asked).toHaveLength(1);
  mesh.asked[0]?.answer(undefined, at(2));
  revocations.tick(at(2));
  expect(mesh.asked.map(({ to }) => to)).toEqual([CORA]);
  mesh.asked[0]?.answer({ kind: "noted" }, at(2));
  expect(released).toEqual([["anna", HERE]]);
});

test("a silent member is told when it answers again, and the slot is held until then", () => {
  const { mesh, revocations, released } = gate();
  mesh.localities = new Map([["here", [SELF, BERT]]]);
  revocations.begin("anna", HERE, at(0));
  mesh.asked[0]?.answer({ kind: "noted" }, at(0));
  revocations.tick(at(1));
  expect([mesh.asked.length, released]).toEqual([0, []]);
  mesh.localities = new Map([["here", [SELF, BERT, CORA]]]);
  revocations.tick(at(2));
  expect(mesh.asked.map(({ to }) => to)).toEqual([CORA]);
});

test("no member is told about a session that must be over", () => {
  const { mesh, revocations } = gate();
  mesh.localities = new Map([["here", [SELF]]]);
  revocations.begin("anna", HERE, at(0));
  revocations.tick(at(20 * 60));
  mesh.localities = new Map([["here", [SELF, BERT, CORA]]]);
  revocations.tick(at(20 * 60 + 1));
  expect(mesh.asked).toEqual([]);
});

test("the home of the session is told if it is another node", () => {
  const { mesh, revocations, released } = gate();
  revocations.begin("anna", accountOf(BERT), at(0));
  for (const { answer } of [...mesh.asked]) answer({ kind: "noted" }, at(0));
  expect(released).toEqual([]);
  const message = { kind: "release", room: ROOM, id: "anna", home: accountOf(BERT) };
  expect(mesh.outbox.take().sent).toEqual([{ to: BERT, message }]);
});

test("nothing is free early while a node that was removed may run on; then it is", () => {
  const { mesh, revocations, released } = gate();
  mesh.mayOthersRunOn = true;
  revocations.begin("anna", HERE, at(0));
  for (const { answer } of [...mesh.asked]) answer({ kind: "noted" }, at(0));
  revocations.tick(at(1));
  expect(released).toEqual([]);
  mesh.mayOthersRunOn = false;
  revocations.tick(at(2));
  expect(released).toEqual([["anna", HERE]]);
});

test("a node that joins after the slot was freed is told once, as long as a cookie could be good", () => {
  const { mesh, revocations, released } = gate();
  revocations.begin("anna", HERE, at(0));
  for (const { answer } of [...mesh.asked]) answer({ kind: "noted" }, at(0));
  for (const [name, second] of [
    ["dora", 60],
    ["emma", 19 * 60],
    ["fred", 21 * 60],
  ] as const) {
    revocations.tick(at(second - 1));
    mesh.others = [...mesh.others, name as NodeId];
    mesh.localities = new Map([["here", [SELF, ...mesh.others]]]);
    revocations.tick(at(second));
    expect(mesh.asked.map(({ to }) => to)).toEqual(name === "fred" ? [] : [name]);
    for (const { answer } of [...mesh.asked]) answer({ kind: "noted" }, at(second));
    revocations.tick(at(second + 1));
    expect(mesh.asked).toEqual([]);
  }
  expect(released).toHaveLength(1);
});

test("a node that joins before all know is told as well", () => {
  const { mesh, revocations, released } = gate();
  const dora = "dora" as NodeId;
  revocations.begin("anna", HERE, at(0));
  mesh.asked[0]?.answer({ kind: "noted" }, at(0));
  mesh.others = [BERT, CORA, dora];
  mesh.localities = new Map([["here", [SELF, BERT, CORA, dora]]]);
  mesh.asked[0]?.answer({ kind: "noted" }, at(0));
  expect(released).toEqual([]);
  expect(mesh.question.to).toBe(dora);
  mesh.question.answer({ kind: "noted" }, at(0));
  expect(released).toEqual([["anna", HERE]]);
});
