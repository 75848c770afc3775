import { expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import { NAMES_MAX } from "../../../node/peer/message-kinds.ts";
import { NodeNames } from "../../../node/peer/node-names.ts";

const SELF = "node1" as NodeId;
const [BERT, CORA] = ["node2", "node3"] as NodeId[] as [NodeId, NodeId];

function names(restored: ReadonlyMap<string, unknown> = new Map()) {
  const outbox = new Outbox();
  return { outbox, names: new NodeNames({ self: SELF, name: "gate1", restored, outbox }) };
}

test("a node's own word about its name counts more than that of others", () => {
  const { names: known } = names();
  known.hear([
    [BERT, "gate-x"],
    [SELF, "gate-y"],
  ]);
  expect(known.forOthers).toEqual([
    [SELF, "gate1"],
    [BERT, "gate-x"],
  ]);
  known.said(BERT, "gate2");
  known.hear([[BERT, "gate-x"]]);
  known.said(CORA, undefined);
  known.said(CORA, "not a name");
  expect(Object.fromEntries(known.all)).toEqual({ [SELF]: "gate1", [BERT]: "gate2" });
});

test("names outlive the process", () => {
  const { outbox, names: known } = names();
  known.said(BERT, "gate2");
  const { names: later } = names(new Map(outbox.take().writes));
  expect(later.all.get(BERT)).toBe("gate2");
});

test("names of nodes that are gone are forgotten, on the disk too, and the own one never is", () => {
  const { outbox, names: known } = names();
  known.said(BERT, "gate2");
  known.said(CORA, "gate3");
  known.keepOnly((node) => node === CORA);
  expect(Object.fromEntries(known.all)).toEqual({ [SELF]: "gate1", [CORA]: "gate3" });
  const { names: later } = names(new Map(outbox.take().writes));
  expect(Object.fromEntries(later.all)).toEqual({ [SELF]: "gate1", [CORA]: "gate3" });
});

test("no more names are kept than fit into a message", () => {
  const { names: known } = names();
  for (let at = 0; at < 2 * NAMES_MAX; at += 1) known.said(`other${at}` as NodeId, `gate${at}`);
  expect(known.all.size).toBe(NAMES_MAX);
});
