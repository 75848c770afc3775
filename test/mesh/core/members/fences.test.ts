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
