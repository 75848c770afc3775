/** What a replica makes of a view that drops members: their gifts end, and what is late of them changes nothing. */

import { describe, expect, test } from "vitest";
import type { AccountId } from "../../../../mesh/core/ids.ts";
import type { OpeningsData } from "../../../../mesh/core/ledger/openings.ts";
import { UNITS } from "../../../../mesh/core/ledger/shares.ts";
import { active, exchange, hear, NOW, newMesh, ROOM, start, type TestNode } from "./replica-nodes.ts";

const [anna, bert, carl] = ["anna", "bert", "carl"] as AccountId[] as [AccountId, AccountId, AccountId];

/** Anna has given to Bert and Carl, and Bert to Carl; all know all. */
function trio() {
  const mesh = newMesh("anna", "bert", "carl");
  const nodes = ["anna", "bert", "carl"].map((name) => start(name, mesh)) as [TestNode, TestNode, TestNode];
  const [one, two, three] = nodes;
  const give = (from: TestNode, to: TestNode, units: number) =>
    to.replica.receive(from.id, from.replica.give({ ...active(), to: to.account, units }));
  give(one, two, 100);
  give(one, three, 40);
  give(two, three, 10);
  const part = two.publish();
  for (const node of [one, three]) hear(node, part, two);
  for (const node of nodes) node.publish();
  for (const [from, to] of [
    [one, two],
    [two, three],
    [one, three],
  ] as const)
    exchange(from, to);
  return { mesh, one, two, three, part };
}

/** The view that drops Carl: Anna's gift of 40 to him and Bert's of 10 are openings. */
const OPENINGS: OpeningsData = {
  openings: [
    [anna, [[ROOM, -40, 0, 0]]],
    [bert, [[ROOM, -10, 0, 0]]],
    [carl, [[ROOM, 50, 0, 0]]],
  ],
  root: anna,
};

function fold(node: TestNode, names: readonly AccountId[] = [carl], members = [anna, bert]): void {
  node.replica.fold({ openings: OPENINGS, members: new Set(members), names: new Set(names) });
  node.commit();
}

const unitsOf = ({ replica }: TestNode) => [anna, bert, carl].map((each) => replica.ledger.unitsOf(each, active()));
const keysOf = ({ disk }: TestNode) => [...disk].filter(([, value]) => value !== undefined).map(([key]) => key);

describe("a view that drops a member", () => {
  test("changes no balance, and leaves none of its gifts, on the disk either", () => {
    const { one, two } = trio();
    for (const node of [one, two]) {
      const before = unitsOf(node);
      fold(node);
      expect(unitsOf(node)).toEqual(before);
      expect(JSON.stringify(node.replica.rows(node.replica.ledger.accounts()))).not.toContain('"carl","totals"');
      expect(keysOf(node).filter((key) => key.startsWith("ledger/cell"))).toEqual([
        "ledger/cell/anna/shop/active/bert",
      ]);
      fold(node);
      expect(unitsOf(node)).toEqual(before);
    }
    expect(unitsOf(one)).toEqual([UNITS - 140, 90, 50]);
  });

  test("lets nothing late of it count, and takes nobody for one who takes back what he gave", () => {
    const { one, two, part } = trio();
    fold(one);
    const before = unitsOf(one);
    hear(one, part, two);
    expect(unitsOf(one)).toEqual(before);
    fold(two);
    // Bert's next part does not name Carl any more.
    two.replica.give({ ...active(), to: anna, units: 5 });
    expect(hear(one, two.publish(), two)).toMatchObject({ faults: 0, changed: true });
    expect([one.replica.refused.takenBack, unitsOf(one)]).toEqual([0, [UNITS - 135, 85, 50]]);
  });

  test("goes without what a part says of a node that is known only later, until its view is", () => {
    const { mesh, one, two } = trio();
    for (const node of [one, two]) fold(node, []);
    const dora = "dora" as AccountId;
    mesh.writers.set(dora, "dora" as never);
    // Bert knows the view that takes her in, and Anna does not.
    fold(two, [], [anna, bert, dora]);
    two.replica.give({ ...active(), to: dora, units: 5 });
    hear(one, two.publish(), two);
    expect(one.replica.ledger.unitsOf(dora, active())).toBe(0);
    fold(one, [], [anna, bert, dora]);
    expect(one.replica.ledger.unitsOf(dora, active())).toBe(5);
  });

  test("keeps what it had counted until its name goes, and passes it on", () => {
    const { mesh, one, two, three } = trio();
    three.replica.record(ROOM, { minute: NOW, kind: "in", count: 7 });
    hear(one, three.publish(), three);
    for (const node of [one, two]) fold(node);
    const counted = ({ replica }: TestNode) => replica.ledger.count(ROOM, { minute: NOW, kind: "in" });
    exchange(two, one);
    expect([one, two].map(counted)).toEqual([7, 7]);
    mesh.writers.delete(carl);
    one.replica.fold({ openings: { openings: [], root: anna }, members: new Set([anna, bert]), names: new Set() });
    expect([counted(one), one.replica.ledger.accounts()]).toEqual([0, [anna, bert]]);
    expect(JSON.stringify(one.replica.digest())).not.toContain("carl");
  });
});
