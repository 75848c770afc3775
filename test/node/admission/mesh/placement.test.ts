import { describe, expect, test } from "vitest";
import type { Both } from "../../../../node/admission/mesh/own-slots.ts";
import { evenGifts, giftsFrom, type Place, type Scene } from "../../../../node/admission/mesh/placement.ts";

const SCENE: Scene = { limits: { active: 600, arrivals: 600 }, isLine: false, onTheirWay: 1 };

const active = (slots: number): Both => ({ active: slots, arrivals: 0 });
const both = (slots: number): Both => ({ active: slots, arrivals: slots });

/** A place of `nodes` nodes that have `free`, and saw so many new visitors last minute. */
function place(free: Both, { nodes = 1, seen = 0 } = {}): Place {
  return { nodes, free, seen };
}

/** Places beside the own one: a sibling, two nodes that count as one, and another single one. */
const OTHERS = [1, 2, 1].map((nodes) => place(both(0), { nodes }));

describe("free slots of a room that nobody waits for", () => {
  test("lie half evenly, half where the last minute's visitors came in", () => {
    const others = [place(both(0)), place(both(0), { seen: 900 })];
    expect(giftsFrom(place(both(600), { seen: 100 }), others, SCENE)).toEqual([both(100), both(370)]);
  });

  test.each([
    [60, [180, 234]],
    [0, [200, 200]],
  ])("lie evenly but for what is needed where visitors come in: %i", (needed, gifts) => {
    const others = [place(both(0)), place(both(0), { seen: 900 })];
    const scene = { ...SCENE, onTheirWay: needed / 1_000 };
    const given = giftsFrom(place(both(600), { seen: 100 }), others, scene);
    expect(given).toEqual(gifts.map(both));
  });

  test("of one resource beyond the other lie evenly, wherever the other one lies", () => {
    const others = [place(both(0), { seen: 100 }), place({ active: 0, arrivals: 20 })];
    expect(giftsFrom(place(active(50)), others, SCENE).map((gift) => gift.arrivals)).toEqual([0, 0]);
    expect(giftsFrom(place(active(50)), others, SCENE)).toEqual([active(23), active(13)]);
  });
});

describe("free slots while visitors wait", () => {
  const line: Scene = { ...SCENE, isLine: true };

  test("that cannot be used lie evenly: siblings have theirs one by one, another locality as one", () => {
    expect(giftsFrom(place(active(50)), OTHERS, line)).toEqual([active(10), active(20), active(10)]);
    const arrivals = { active: 0, arrivals: 20 };
    expect(giftsFrom(place(arrivals), OTHERS, line)[0]).toEqual({ active: 0, arrivals: 4 });
  });
});

test("slots are sent by each rich node in its part", () => {
  const others = OTHERS.map(({ nodes }, index) => place(active(index === 2 ? 25 : 0), { nodes }));
  expect(giftsFrom(place(active(25)), others, SCENE)).toEqual([5, 10, 0].map(active));
});

describe("gifts that make even", () => {
  test("are whole slots, and none is lost in rounding", () => {
    expect(evenGifts(3, [-0.75, -0.75, -0.75, -0.75])).toEqual([0, 1, 1, 1]);
    expect(evenGifts(10, [-2.5, -2.5, -2.5, -2.5])).toEqual([2, 3, 2, 3]);
  });

  test("are never more than what is lacking, nor than there is", () => {
    expect(evenGifts(10, [-2, 0, 5])).toEqual([1, 0, 0]);
    expect(evenGifts(4, [-10, -30])).toEqual([1, 3]);
    expect(evenGifts(0, [-1])).toEqual([0]);
  });
});
