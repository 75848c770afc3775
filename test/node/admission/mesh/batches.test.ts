import { describe, expect, test } from "vitest";
import { Batches } from "../../../../node/admission/mesh/batches.ts";

/** Batches whose questions wait until the test says that they are over. */
function counter(limits: { itemsMax?: number; underWayMax?: number } = {}) {
  const sent: { batch: readonly string[]; nowMs: number; done: (nowMs: number) => void }[] = [];
  const batches = new Batches<string>({ itemsMax: 3, underWayMax: 2, ...limits }, (batch, nowMs, done) =>
    sent.push({ batch, nowMs, done }),
  );
  return { batches, sent, texts: () => sent.map(({ batch }) => batch.join("")) };
}

describe("questions in batches", () => {
  test("go at once while few are under way", () => {
    const { batches, texts } = counter();
    for (const item of "ab") batches.push(item, 0);
    expect(texts()).toEqual(["a", "b"]);
    expect([batches.size, batches.underWay]).toEqual([0, 2]);
  });

  test("go together once one that is under way is over", () => {
    const { batches, sent, texts } = counter();
    for (const item of "abcd") batches.push(item, 0);
    expect([texts(), batches.size]).toEqual([["a", "b"], 2]);
    sent[0]?.done(7);
    expect(texts()).toEqual(["a", "b", "cd"]);
    expect(sent[2]?.nowMs).toBe(7);
    expect([batches.size, batches.underWay]).toEqual([0, 2]);
  });

  test("hold no more than fits into one, the oldest first", () => {
    const { batches, sent, texts } = counter({ underWayMax: 1 });
    for (const item of "abcdefgh") batches.push(item, 0);
    sent[0]?.done(1);
    sent[1]?.done(2);
    expect(texts()).toEqual(["a", "bcd", "efg"]);
    expect(batches.size).toBe(1);
  });

  test("that are over at once don't wait for each other", () => {
    const sent: string[] = [];
    const batches = new Batches<string>({ itemsMax: 1, underWayMax: 1 }, ([item = ""], nowMs, done) => {
      sent.push(item);
      done(nowMs);
    });
    for (const item of "abc") batches.push(item, 0);
    expect(sent).toEqual(["a", "b", "c"]);
    expect([batches.size, batches.underWay]).toEqual([0, 0]);
  });
});
