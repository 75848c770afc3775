import { expect, test } from "vitest";
import { accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import { Fences } from "../../../../mesh/core/members/fences.ts";

const [anna, bert, cora] = ["anna", "bert", "cora"] as NodeId[] as [NodeId, NodeId, NodeId];

test("a fence stands over restarts, until it is lifted", () => {
  const fences = new Fences();
  fences.add([bert], [accountOf(bert)]);
  fences.add([bert, cora], [accountOf(bert), accountOf(cora)]);
  const again = new Fences();
  again.restore(fences.record(7));
  for (const each of [fences, again]) {
    expect([anna, bert, cora].map((node) => each.has(node))).toEqual([false, true, true]);
    expect([anna, bert, cora].map((node) => each.isFenced(accountOf(node)))).toEqual([false, true, true]);
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
