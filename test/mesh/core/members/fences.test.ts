import { expect, test } from "vitest";
import { accountOf, type NodeId, type RoomId } from "../../../../mesh/core/ids.ts";
import { AT_ONCE, type RowData } from "../../../../mesh/core/ledger/row.ts";
import { Fences } from "../../../../mesh/core/members/fences.ts";

const [anna, bert, cora] = ["anna", "bert", "cora"] as NodeId[] as [NodeId, NodeId, NodeId];

function row(from: NodeId, units: number): RowData {
  const gift = { room: "shop" as RoomId, resource: "active" as const, to: accountOf(anna) };
  return { account: accountOf(from), gifts: [{ ...gift, totals: [[AT_ONCE, units]] }], counts: [] };
}

test("a fence keeps the copy that it was put up with, whatever is fenced later, and over restarts", () => {
  const fences = new Fences();
  fences.add([bert], [row(bert, 1)]);
  fences.add([bert, cora], [row(bert, 2), row(cora, 3)]);
  const again = new Fences();
  again.restore(fences.record(7));
  for (const each of [fences, again]) {
    expect([anna, bert, cora].map((node) => each.has(node))).toEqual([false, true, true]);
    expect(each.copiesOf([anna, bert, cora].map(accountOf))).toEqual([row(bert, 1), row(cora, 3)]);
  }
  again.lift();
  expect([again.stand, again.isFenced(accountOf(bert))]).toEqual([false, false]);
});

test("a fence keeps what its node had pledged then, over restarts", () => {
  const fences = new Fences();
  const pledge = (node: NodeId, version: number) => ({ node, version, isWhole: false, rooms: [] });
  const earlier = (node: NodeId, since: number) => ({ node, since });
  fences.add([bert], [], { pledges: [pledge(bert, 1)], earlier: [earlier(bert, 4)] });
  fences.add([bert, cora], [], {
    pledges: [pledge(bert, 2), pledge(cora, 3)],
    earlier: [earlier(bert, 5), earlier(cora, 6)],
  });
  const again = new Fences();
  again.restore(fences.record(7));
  const known = { pledges: [pledge(bert, 1), pledge(cora, 3)], earlier: [earlier(bert, 4), earlier(cora, 6)] };
  for (const each of [fences, again]) expect(each.pledgesOf([bert, cora])).toEqual(known);
  again.lift();
  expect(again.pledgesOf([bert, cora])).toEqual({ pledges: [], earlier: [] });
});
