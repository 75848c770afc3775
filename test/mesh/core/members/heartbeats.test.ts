import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Instant } from "../../../../mesh/core/instant.ts";
import { Heartbeats } from "../../../../mesh/core/members/heartbeats.ts";

const bert = "bert" as NodeId;
const cora = "cora" as NodeId;

function at(ms: number, steppedMs = 0): Instant {
  return { wallMs: 1_790_000_000_000 + ms + steppedMs, steadyMs: ms };
}

function followed(): Heartbeats {
  const heartbeats = new Heartbeats(30_000, at(0));
  heartbeats.follow([bert, cora], at(0));
  return heartbeats;
}

/** Ticks up to `toMs`; returns when each node was pinged. `answers`: who answers at once. */
function run(heartbeats: Heartbeats, fromMs: number, toMs: number, answers: NodeId[] = []): Map<NodeId, number[]> {
  const pinged = new Map<NodeId, number[]>();
  for (let ms = fromMs; ms < toMs; ms += 100) {
    heartbeats.step(at(ms));
    for (const { node, id } of heartbeats.due(at(ms), [])) {
      pinged.set(node, [...(pinged.get(node) ?? []), ms]);
      if (answers.includes(node)) heartbeats.answered(node, { id, wallMs: at(ms).wallMs }, at(ms));
    }
  }
  return pinged;
}

describe("heartbeats of the first run of an identity", () => {
  test("know that nobody was heard before the first nodes are followed, until one is heard", () => {
    const unheard = (heartbeats: Heartbeats) => [bert, cora].map((node) => heartbeats.isUnheard(node));
    expect(unheard(followed())).toEqual([false, false]);
    const first = new Heartbeats(30_000, at(0), true);
    first.follow([bert, cora], at(0));
    expect(unheard(first)).toEqual([true, true]);
    first.heard(bert, at(100));
    expect(unheard(first)).toEqual([false, true]);
    run(first, 200, 300, [cora]);
    expect(unheard(first)).toEqual([false, false]);
  });

  test("know nothing of a node that is followed again", () => {
    const first = new Heartbeats(30_000, at(0), true);
    first.follow([bert, cora], at(0));
    first.follow([cora], at(1_000));
    first.follow([bert, cora], at(2_000));
    expect([bert, cora].map((node) => first.isUnheard(node))).toEqual([false, true]);
  });
});

describe("heartbeats", () => {
  test("go to all every 5 s at rest, and a node is suspected after 12.5 s", () => {
    const heartbeats = followed();
    heartbeats.near([bert], at(0));
    run(heartbeats, 0, 100, [bert, cora]);
    heartbeats.rest(at(100));
    const pinged = run(heartbeats, 100, 15_000, [bert, cora]);
    expect([...pinged.values()]).toEqual([
      [5_000, 10_000],
      [5_000, 10_000],
    ]);
    expect([bert, cora].map((node) => heartbeats.isAnswering(node, at(22_500)))).toEqual([true, true]);
    expect([bert, cora].map((node) => heartbeats.isAnswering(node, at(22_501)))).toEqual([false, false]);
  });

  test("after a rest all are pinged at once, and what was answered before counts as long as it did", () => {
    const heartbeats = followed();
    heartbeats.rest(at(0));
    run(heartbeats, 0, 9_000, [bert, cora]);
    heartbeats.near([bert], at(9_000));
    expect([bert, cora].map((node) => heartbeats.isAnswering(node, at(9_000)))).toEqual([true, true]);
    const pinged = run(heartbeats, 9_000, 9_100, [cora]);
    expect([...pinged.keys()]).toEqual([bert, cora]);
    run(heartbeats, 9_100, 14_100);
    expect([bert, cora].map((node) => heartbeats.isAnswering(node, at(10_100)))).toEqual([false, true]);
    expect(heartbeats.isAnswering(cora, at(14_100))).toBe(false);
  });

  test("a near node is suspected after 1.5 s, others after 5 s", () => {
    const heartbeats = followed();
    heartbeats.near([bert], at(0));
    run(heartbeats, 0, 10_000, [bert, cora]);
    expect([bert, cora].map((node) => heartbeats.isAnswering(node, at(10_000)))).toEqual([true, true]);
    run(heartbeats, 10_000, 11_200);
    expect([bert, cora].map((node) => heartbeats.isAnswering(node, at(11_200)))).toEqual([false, true]);
    run(heartbeats, 11_200, 13_200);
    expect(heartbeats.isAnswering(cora, at(13_200))).toBe(false);
  });

  test("a near node that falls silent does not come back by the longer time of others, but when it answers", () => {
    const heartbeats = followed();
    heartbeats.near([bert], at(0));
    run(heartbeats, 0, 2_000, [bert, cora]);
    run(heartbeats, 2_000, 3_600);
    expect(heartbeats.isAnswering(bert, at(3_600))).toBe(false);
    // Another node is used in its place.
    heartbeats.near([cora], at(3_600));
    expect([heartbeats.isAnswering(bert, at(3_600)), heartbeats.mayAnswer(bert, at(3_600))]).toEqual([false, false]);
    run(heartbeats, 3_600, 4_600, [bert, cora]);
    expect(heartbeats.isAnswering(bert, at(4_600))).toBe(true);
    heartbeats.near([cora], at(4_600));
    run(heartbeats, 4_600, 6_500, [cora]);
    expect(heartbeats.isAnswering(bert, at(6_500))).toBe(true);
  });

  test("a node that answers has time to answer as a near one", () => {
    const heartbeats = followed();
    run(heartbeats, 0, 3_900, [bert, cora]);
    heartbeats.near([cora], at(3_900));
    expect(heartbeats.isAnswering(cora, at(3_900))).toBe(true);
    run(heartbeats, 3_900, 4_500);
    expect(heartbeats.isAnswering(cora, at(4_500))).toBe(false);
  });

  test("a node that has fallen silent does not seem to answer for longer when rooms use it now and then", () => {
    const heartbeats = followed();
    run(heartbeats, 0, 100, [bert]);
    for (let ms = 100; ms < 10_000; ms += 400) {
      heartbeats.near(ms % 800 === 100 ? [bert] : [], at(ms));
      run(heartbeats, ms, ms + 400);
    }
    expect(heartbeats.isAnswering(bert, at(10_000))).toBe(false);
  });

  test("a stall of the own event loop is silence of nobody", () => {
    const heartbeats = followed();
    run(heartbeats, 0, 2_000, [bert, cora]);
    heartbeats.step(at(60_000));
    expect(heartbeats.isAnswering(cora, at(60_000))).toBe(true);
    expect(heartbeats.quietMs(cora, at(60_000))).toBeLessThan(2_500);
  });

  test("measure round trips and clocks, and take no answer twice", () => {
    const heartbeats = followed();
    const ping = heartbeats.due(at(0), []).find(({ node }) => node === bert);
    const answer = { id: ping?.id ?? 0, wallMs: at(20).wallMs + 700 };
    expect(heartbeats.answered(bert, answer, at(40))).toEqual(at(0));
    expect(heartbeats.answered(bert, answer, at(50))).toBeUndefined();
    expect(heartbeats.roundTripMs(bert)).toBe(40);
    expect(heartbeats.offsetMs(bert, at(40))).toBe(700);
    expect(heartbeats.offsetMs(bert, at(40, -2_000))).toBe(2_700);
    expect(heartbeats.clocks(at(40))).toEqual([{ node: bert, offsetMs: 700 }]);
  });

  test.each([
    { what: "ahead, as far as the way may have taken", aheadMs: 5_500, offsetMs: undefined },
    { what: "further ahead", aheadMs: 5_501, offsetMs: 4_001 },
    { what: "behind, by as much as clocks may differ", aheadMs: -4_000, offsetMs: undefined },
    { what: "further behind", aheadMs: -4_001, offsetMs: -5_501 },
  ])("an answer that took long shows only a clock that is surely wrong: $what", ({ aheadMs, offsetMs }) => {
    const heartbeats = followed();
    const ping = heartbeats.due(at(0), []).find(({ node }) => node === bert);
    heartbeats.answered(bert, { id: ping?.id ?? 0, wallMs: at(0).wallMs + aheadMs }, at(1_500));
    expect(heartbeats.offsetMs(bert, at(1_500))).toBe(offsetMs);
  });
});

describe("a node that answers nothing, and whose gossip comes", () => {
  test("is there for 20 s after it, at most for a lease, and not once its connection is gone", () => {
    const heartbeats = followed();
    expect(heartbeats.isThere(bert, at(0))).toBe(false);
    heartbeats.heardGossip(bert, at(1_000));
    expect([21_000, 21_001].map((ms) => heartbeats.isThere(bert, at(ms)))).toEqual([true, false]);
    expect([heartbeats.isAnswering(bert, at(2_000)), heartbeats.mayAnswer(bert, at(6_000))]).toEqual([false, false]);
    heartbeats.lost(bert);
    expect(heartbeats.isThere(bert, at(2_000))).toBe(false);
    const short = new Heartbeats(4_000, at(0));
    short.follow([bert], at(0));
    short.heardGossip(bert, at(0));
    expect([4_000, 4_001].map((ms) => short.isThere(bert, at(ms)))).toEqual([true, false]);
  });
});
