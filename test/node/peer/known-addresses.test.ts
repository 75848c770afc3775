import { expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import { KnownAddresses } from "../../../node/peer/known-addresses.ts";
import { ADDRESSES } from "../../../node/peer/stored-peer.ts";

const [ANNA, BERT, CORA, DORA] = ["anna", "bert", "cora", "dora"] as unknown as [NodeId, NodeId, NodeId, NodeId];

test("at a new view former members are forgotten, and at the second one what is neither a member nor connected", () => {
  const outbox = new Outbox();
  const known = new KnownAddresses(ANNA, outbox);
  const view = (former: NodeId[], around: NodeId[]) =>
    known.keepOnly({ isFormer: (node) => former.includes(node), isAround: (node) => around.includes(node) });
  const nodes = () => known.all.map(([node]) => node);

  for (const node of [BERT, CORA, DORA]) known.hear([[node, [`${node}:1`]]]);
  view([CORA], [BERT, CORA]);
  expect(nodes()).toEqual([BERT, DORA]);
  // The one that was only heard of may be asking to join.
  view([], [BERT, DORA]);
  view([], [BERT]);
  expect(nodes()).toEqual([BERT, DORA]);
  view([], [BERT]);
  expect(nodes()).toEqual([BERT]);

  expect(known.take()).toEqual({ known: [[BERT, ["bert:1"]]], forgotten: [CORA, DORA] });
  expect(ADDRESSES.read(new Map(outbox.take().writes))).toEqual([[BERT, ["bert:1"]]]);
});

test("a node that is heard of again after it was forgotten is dialled again", () => {
  const known = new KnownAddresses(ANNA, new Outbox());
  known.hear([[BERT, ["bert:1"]]]);
  known.take();
  known.keepOnly({ isFormer: () => true, isAround: () => false });
  known.hear([[BERT, ["bert:1"]]]);
  expect(known.take()).toEqual({ known: [[BERT, ["bert:1"]]], forgotten: [] });
});
