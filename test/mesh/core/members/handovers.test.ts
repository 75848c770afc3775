import { describe, expect, test } from "vitest";
import { accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import { Handovers } from "../../../../mesh/core/members/handovers.ts";

const [anna, bert, cora] = ["anna", "bert", "cora"] as NodeId[] as [NodeId, NodeId, NodeId];

/** Anna left to Bert, and Bert to this node; Cora left to it by herself. */
function taken() {
  const handovers = new Handovers();
  handovers.take(bert, { leavers: [bert, anna], accounts: [bert, anna].map(accountOf) });
  handovers.take(cora, { leavers: [cora], accounts: [accountOf(cora)] });
  return handovers;
}

describe("what was taken over", () => {
  test("is kept until a view has dropped the last of those that left together", () => {
    const handovers = taken();
    expect(handovers.keepOnly((node) => node !== anna)).toBe(false);
    expect(handovers.leavers).toEqual([bert, anna, cora]);
    expect(handovers.accounts).toEqual([bert, anna, cora].map(accountOf));
    expect(handovers.keepOnly((node) => node === cora)).toBe(true);
    expect([handovers.leavers, handovers.accounts]).toEqual([[cora], [accountOf(cora)]]);
    expect([handovers.has(bert), handovers.has(cora)]).toEqual([false, true]);
  });

  test("and refused outlives a restart", () => {
    const before = taken();
    before.refuse(anna, 3);
    const after = new Handovers();
    after.restore(before.record);
    expect([after.leavers, after.accounts]).toEqual([before.leavers, before.accounts]);
    expect([2, 3, 4].map((attempt) => after.hasRefused(anna, attempt))).toEqual([true, true, false]);
  });
});
