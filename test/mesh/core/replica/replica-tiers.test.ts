import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { active, exchange, hear, NOW, NOW_MS, newMesh, ROOM, start, type TestNode } from "./replica-nodes.ts";

/** Anna and Bert are of one locality, Carl and Dora of another. */
function two() {
  const mesh = newMesh("anna", "bert", "carl", "dora");
  const west = new Set(["anna", "bert"]);
  const one = (name: string): TestNode =>
    start(name, mesh, { isNear: (node: NodeId) => west.has(node) === west.has(name) });
  const [anna, bert, carl, dora] = [one("anna"), one("bert"), one("carl"), one("dora")];
  return { anna, bert, carl, dora };
}

function give(from: TestNode, to: TestNode, units: number): void {
  to.replica.receive(from.id, from.replica.give({ ...active(), to: to.account, units }));
  from.commit();
}

describe("what a speaker reports about its locality", () => {
  test("is all of it at first, then what has changed, and nothing of others", () => {
    const { anna, bert, carl, dora } = two();
    give(anna, bert, 100);
    give(anna, carl, 50);
    hear(bert, anna.publish(), anna);
    carl.replica.record(ROOM, { minute: NOW, kind: "seen", count: 1 });
    hear(bert, carl.publish(), carl);
    const accounts = () => bert.replica.news().flatMap(({ logs }) => logs.map(({ account }) => account));
    expect(accounts()).toEqual(["anna"]);
    expect(accounts()).toEqual([]);
    give(bert, dora, 10);
    bert.publish();
    expect(accounts()).toEqual(["bert"]);
    bert.replica.forgetTold();
    expect(accounts().sort()).toEqual(["anna", "bert"]);
  });

  test("can be taken in by a node of another locality", () => {
    const { anna, bert, carl, dora } = two();
    give(anna, bert, 100);
    give(bert, carl, 30);
    hear(bert, anna.publish(), anna);
    bert.publish();
    for (const rows of bert.replica.news()) expect(hear(dora, rows, bert)).toMatchObject({ faults: 0, changed: true });
    expect(dora.replica.ledger.unitsOf(carl.account, active())).toBe(30);
    const known = ({ replica }: TestNode) => replica.digest().known.toSorted();
    expect(known(dora)).toEqual(known(bert));
  });

  test("is checked when it comes from there, also from its writer itself: it will be passed on", () => {
    const { anna, bert, carl } = two();
    give(anna, bert, 100);
    const published = anna.publish();
    hear(bert, published, anna);
    const before = [bert.checks.count, carl.checks.count];
    hear(carl, published, anna);
    expect([before, carl.checks.count]).toEqual([[0, 0], 1]);
  });

  test("has the rooms that were changed in it, and none that it heard of from elsewhere", () => {
    const { anna, bert, carl } = two();
    anna.replica.setRegister(ROOM, { firstName: "shop", document: "{}", createdMs: NOW_MS }, NOW_MS);
    hear(bert, anna.publish(), anna);
    expect(bert.replica.hasNewRegisters).toBe(true);
    const [news, ...more] = bert.replica.news();
    expect([news?.registers.length, more.length, bert.replica.hasNewRegisters]).toEqual([1, 0, false]);
    hear(carl, news, bert);
    expect(carl.replica.hasNewRegisters).toBe(false);
  });
});

describe("digests of one locality", () => {
  test("have only its rows, and bring only these", () => {
    const { anna, bert, carl } = two();
    give(anna, bert, 100);
    give(anna, carl, 50);
    carl.replica.record(ROOM, { minute: NOW, kind: "seen", count: 1 });
    hear(anna, carl.publish(), carl);
    anna.publish();
    const asked = bert.replica.digest({ isNear: true });
    expect(asked.known).toEqual([]);
    const answers = hear(anna, asked, bert).answers;
    expect(answers.flatMap((each) => (each.kind === "rows" ? each.logs.map(({ account }) => account) : []))).toEqual([
      "anna",
    ]);
    exchange(bert, anna);
    expect(bert.replica.digest()).toEqual(anna.replica.digest());
  });

  test("are answered by one's own where it is wanted", () => {
    const { anna, bert } = two();
    const kinds = (wantsBack: boolean) =>
      hear(anna, bert.replica.digest({ wantsBack }), bert).answers.map(({ kind }) => kind);
    expect(kinds(false)).toEqual([]);
    expect(kinds(true)).toEqual(["digest"]);
  });
});
