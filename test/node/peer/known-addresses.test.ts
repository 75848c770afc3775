import { expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { KnownAddresses } from "../../../node/peer/known-addresses.ts";

const [anna, bert, carl] = ["anna", "bert", "carl"] as unknown as [NodeId, NodeId, NodeId];
const none = { put: () => {}, putLater: () => {}, putVote: () => {} };

test("what is neither a member nor connected is forgotten with each view, also where others pass it on again", () => {
  const addresses = new KnownAddresses(anna, none);
  for (let view = 0; view < 2; view++) {
    addresses.hear([
      [bert, ["bert:1"]],
      [carl, ["carl:1"]],
    ]);
    addresses.keepOnly((node) => node === bert);
    expect(addresses.all).toEqual([[bert, ["bert:1"]]]);
    expect(addresses.take().forgotten).toEqual([carl]);
  }
});
