import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { Batches, BatchesByNode, type SendBatch } from "../../../../node/admission/mesh/batches.ts";

type Send = SendBatch<string, string>;

/** Batches whose questions wait until the test answers them; records each callback and its time. */
function counter(limits: { itemsMax?: number; underWayMax?: number } = {}) {
  const sent: { batch: readonly string[]; nowMs: number; answered: Parameters<Send>[2] }[] = [];
  const told: [item: string, answer: string | undefined, nowMs: number][] = [];
  const batches = new Batches<string, string>({ itemsMax: 3, underWayMax: 2, ...limits }, (batch, nowMs, answered) =>
    sent.push({ batch, nowMs, answered }),
  );
  const push = (item: string) => batches.push(item, 0, (answer, nowMs) => told.push([item, answer, nowMs]));
  return { batches, sent, told, push, texts: () => sent.map(({ batch }) => batch.join("")) };
}

describe("questions in batches", () => {
  test("go together once one that is under way is over", () => {
    const { batches, push, sent, told, texts } = counter();
    for (const item of "abcd") push(item);
    expect([texts(), batches.size]).toEqual([["a", "b"], 2]);
    sent[0]?.answered(["A"], 7);
    expect(told).toEqual([["a", "A", 7]]);
    expect(texts()).toEqual(["a", "b", "cd"]);
    expect(sent[2]?.nowMs).toBe(7);
    expect([batches.size, batches.underWay]).toEqual([0, 2]);
  });

  test("hold no more than fits into one, the oldest first", () => {
    const { batches, push, sent, texts } = counter({ underWayMax: 1 });
    for (const item of "abcdefgh") push(item);
    sent[0]?.answered(["A"], 1);
    sent[1]?.answered(["B", "C", "D"], 2);
    expect(texts()).toEqual(["a", "bcd", "efg"]);
    expect(batches.size).toBe(1);
  });

  test("are over once: the caller gets the first answer, or learns that there was none", () => {
    const { batches, push, sent, told } = counter();
    push("a");
    sent[0]?.answered(undefined, 1);
    sent[0]?.answered(["A"], 2);
    expect([told, batches.underWay]).toEqual([[["a", undefined, 1]], 0]);
  });
});

describe("when something throws", () => {
  test("in a callback, the others of its question are called, the question ends, and the next ones go", () => {
    const { batches, push, sent, told, texts } = counter({ underWayMax: 1 });
    push("a");
    batches.push("b", 0, () => {
      throw new Error("broken");
    });
    for (const item of "cde") push(item);
    sent[0]?.answered(["A"], 1);
    expect(() => sent[1]?.answered(["B", "C", "D"], 2)).toThrow("broken");
    expect(told.map(([, answer]) => answer)).toEqual(["A", "C", "D"]);
    expect([texts(), batches.size, batches.underWay]).toEqual([["a", "bcd", "e"], 0, 1]);
  });

  test("in the sending, the caller learns that there was no answer", () => {
    const told: (string | undefined)[] = [];
    const batches = new Batches<string, string>({ itemsMax: 1, underWayMax: 1 }, () => {
      throw new Error("cannot send");
    });
    for (const item of "ab") expect(() => batches.push(item, 0, (answer) => told.push(answer))).toThrow("cannot send");
    expect([told, batches.size, batches.underWay]).toEqual([[undefined, undefined], 0, 0]);
  });
});

test("a node that is asked nothing any more is not remembered, and one that is keeps its limits", () => {
  const sent: (() => void)[] = [];
  const to: string[] = [];
  const batches = new BatchesByNode<string, string>(
    { itemsMax: 3, underWayMax: 1 },
    (node) => (asked, nowMs, answered) => {
      to.push(`${node} ${asked.join("")}`);
      sent.push(() => answered(undefined, nowMs));
    },
  );
  const ask = (node: string, item: string) => batches.to(node as NodeId).push(item, 0, () => {});
  for (const item of "ab") ask("bert", item);
  ask("cora", "c");
  expect([to, batches.size]).toEqual([["bert a", "cora c"], 2]);
  for (const answer of sent.splice(0)) answer();
  for (const answer of sent.splice(0)) answer();
  for (let at = 0; at < 100; at += 1) {
    ask(`node${at}`, "d");
    sent.pop()?.();
  }
  expect([to.slice(0, 3), batches.size]).toEqual([["bert a", "cora c", "bert b"], 1]);
});
