import { describe, expect, test } from "vitest";
import { type AccountId, accountOf, type NodeId, type RoomId } from "../../../../mesh/core/ids.ts";
import { freeUnitsOf, heldOf } from "../../../../mesh/core/ledger/pot-share.ts";
import { UNITS } from "../../../../mesh/core/ledger/shares.ts";
import {
  type EarlierPledge,
  type KeptPledge,
  KeptPledges,
  type StoredPledge,
} from "../../../../mesh/core/members/kept-pledges.ts";
import { ceilingsOf } from "../../../../mesh/core/members/pledged-bound.ts";
import { Pledges, type PledgeWord } from "../../../../mesh/core/members/pledges.ts";
import type { View } from "../../../../mesh/core/members/view.ts";

const [anna, bert, cora, dora] = ["anna", "bert", "cora", "dora"] as NodeId[] as [NodeId, NodeId, NodeId, NodeId];
const VOTERS = [anna, bert, cora];
const view = (number: number, members = [anna, bert, cora, dora], heirs: View["heirs"] = []): View => ({
  number,
  members: members.map((node) => ({ node, locality: "here", sinceMs: 0 })),
  voters: VOTERS,
  heirs,
  openings: [],
  root: accountOf(anna),
});
const [shop, cafe] = ["shop", "cafe"] as RoomId[] as [RoomId, RoomId];

function slots(shopSlots: number, cafeSlots?: number): Map<RoomId, number> {
  return new Map([[shop, shopSlots], ...(cafeSlots === undefined ? [] : [[cafe, cafeSlots] as const])]);
}

/** A node that has pledged, and whose pledges two of three voters have acknowledged. */
function acknowledged(...pledged: Map<RoomId, number>[]): Pledges {
  const pledges = new Pledges(1_000);
  for (const one of pledged) {
    pledges.pledge(one);
    for (const voter of [anna, bert]) pledges.answered(voter, pledges.newest);
    expect(pledges.settle(VOTERS, dora)).toBe(true);
  }
  return pledges;
}

describe("a node's pledges", () => {
  test("allow nothing before a majority of the voters has acknowledged the first, and nothing in a new view", () => {
    const pledges = new Pledges(1_000);
    expect(pledges.ceiling(shop)).toBe(0);
    pledges.pledge(slots(5));
    pledges.answered(anna, pledges.newest);
    expect([pledges.settle(VOTERS, dora), pledges.ceiling(shop)]).toEqual([false, 0]);
    pledges.answered(bert, pledges.newest);
    expect([pledges.settle(VOTERS, dora), pledges.ceiling(shop), pledges.ceiling(cafe)]).toEqual([true, 5, 0]);
    pledges.begin();
    expect([pledges.newest, pledges.ceiling(shop)]).toEqual([0, 0]);
  });

  test("a higher ceiling counts once it is acknowledged, a lower one from the moment it is sent", () => {
    const pledges = acknowledged(slots(5, 5));
    pledges.pledge(slots(9, 2));
    expect([pledges.ceiling(shop), pledges.ceiling(cafe), pledges.isOpen]).toEqual([5, 2, true]);
    pledges.answered(anna, pledges.newest);
    pledges.answered(bert, pledges.newest - 1);
    expect([pledges.settle(VOTERS, dora), pledges.ceiling(shop)]).toEqual([false, 5]);
    pledges.answered(cora, pledges.newest);
    expect([pledges.settle(VOTERS, dora), pledges.ceiling(shop), pledges.ceiling(cafe)]).toEqual([true, 9, 2]);
  });

  test("a node counts as its own voter, and not for those that left to it", () => {
    const pledges = new Pledges(1_000);
    pledges.pledge(slots(5));
    expect(pledges.settle(VOTERS, cora)).toBe(false);
    pledges.answered(anna, pledges.newest);
    expect(pledges.settle(VOTERS, cora)).toBe(true);
  });

  test("a voter receives what it lacks: the differences, everything if it has forgotten, nothing if it knows", () => {
    const pledges = acknowledged(slots(5, 3));
    const first = pledges.newest;
    pledges.pledge(slots(7));
    expect(pledges.wordFor(anna, 70)).toEqual({
      to: 70,
      version: first + 1,
      since: first,
      isWhole: false,
      rooms: [
        [shop, 7],
        [cafe, 0],
      ],
    });
    expect(pledges.wordFor(cora, 71)).toMatchObject({ to: 71, since: 0, rooms: [[shop, 7]] });
    pledges.answered(anna, 0);
    expect(pledges.wordFor(anna, 72)).toMatchObject({ since: 0, rooms: [[shop, 7]] });
    pledges.answered(anna, pledges.newest);
    expect(pledges.wordFor(anna, 72)).toBeUndefined();
  });

  test("everything, and numbers again afterwards, are sent in full", () => {
    const pledges = acknowledged(slots(5));
    pledges.pledge("whole");
    expect([pledges.ceiling(shop), pledges.wordFor(anna, 1)?.isWhole]).toEqual([5, true]);
    for (const voter of [anna, bert]) pledges.answered(voter, pledges.newest);
    pledges.settle(VOTERS, dora);
    expect(pledges.ceiling(shop)).toBe(Number.POSITIVE_INFINITY);
    pledges.pledge(slots(4));
    expect([pledges.ceiling(shop), pledges.wordFor(anna, 1)]).toMatchObject([4, { since: 0, isWhole: false }]);
  });
});

describe("what a voter keeps", () => {
  const word = (version: number, since: number, rooms: [RoomId, number][]): PledgeWord => ({
    to: 1,
    version,
    since,
    isWhole: false,
    rooms,
  });

  test("is the newest that it was sent, put together of differences that it can add to what it knows", () => {
    const kept = new KeptPledges();
    kept.hear(
      dora,
      word(3, 0, [
        [shop, 5],
        [cafe, 2],
      ]),
    );
    kept.hear(dora, word(2, 0, [[shop, 9]]));
    kept.hear(dora, word(6, 5, [[shop, 8]]));
    expect(kept.of([dora])).toEqual([
      {
        node: dora,
        version: 3,
        isWhole: false,
        rooms: [
          [shop, 5],
          [cafe, 2],
        ],
      },
    ]);
    kept.hear(dora, word(5, 2, [[cafe, 0]]));
    expect([kept.versionOf(dora), kept.of([dora])[0]?.rooms]).toEqual([5, [[shop, 5]]]);
    kept.begin(view(8));
    expect([kept.versionOf(dora), kept.of([anna, dora])]).toEqual([0, []]);
  });

  test("is remembered for some views, of members only, and not over a view that it missed", () => {
    const kept = new KeptPledges();
    kept.begin(view(2));
    kept.hear(dora, word(3, 0, [[shop, 5]]));
    expect(kept.earlierOf([dora])).toEqual([{ node: dora, since: 2 }]);
    kept.begin(view(3));
    const pledge = { view: 2, version: 3, isWhole: false, rooms: [[shop, 5]] };
    expect(kept.earlierOf([dora])).toEqual([{ node: dora, since: 2, pledge }]);
    kept.hear(dora, word(4, 0, [[shop, 6]]));
    kept.begin(view(4));
    expect(kept.earlierOf([dora, bert])).toMatchObject([
      { node: dora, since: 2, pledge: { view: 3, version: 4 } },
      { node: bert, since: 2 },
    ]);
    kept.begin(view(5));
    kept.begin(view(6));
    expect(kept.earlierOf([dora])).toMatchObject([{ since: 3, pledge: { view: 3 } }]);
    kept.begin(view(7));
    expect(kept.earlierOf([dora])).toEqual([{ node: dora, since: 4 }]);
    kept.hear(dora, word(5, 0, [[shop, 6]]));
    kept.begin(view(8, VOTERS));
    expect(kept.earlierOf([dora])).toEqual([{ node: dora, since: 5 }]);
    kept.begin(view(10));
    expect([kept.earlierOf([cora]), kept.views.map(({ number }) => number)]).toEqual([
      [{ node: cora, since: 10 }],
      [10],
    ]);
  });

  test("is written to disk when it changes, and is the same after a start from there", () => {
    const disk = new Map<NodeId, readonly StoredPledge[]>();
    let views: readonly View[] = [];
    let writes = 0;
    const kept = new KeptPledges({
      write: (node, pledges) => {
        writes += 1;
        disk.set(node, pledges);
      },
      writeViews: (written) => {
        views = written;
      },
    });
    const again = (number: number): KeptPledges => {
      const started = new KeptPledges();
      started.restore(number, { views, pledges: [...disk] });
      return started;
    };
    kept.begin(view(2));
    kept.hear(dora, word(3, 0, [[shop, 5]]));
    kept.hear(dora, word(3, 0, [[shop, 5]]));
    expect([writes, again(2).of([dora])]).toEqual([1, kept.of([dora])]);
    kept.begin(view(3));
    kept.hear(dora, word(4, 0, [[shop, 6]]));
    kept.begin(view(4));
    expect([writes, again(4).of([dora]), again(4).earlierOf([dora, bert])]).toEqual([
      2,
      [],
      kept.earlierOf([dora, bert]),
    ]);
    kept.begin(view(5, VOTERS));
    expect([writes, disk.get(dora)]).toEqual([3, []]);
  });

  test("is nothing after a start, not even that there is nothing", () => {
    expect(new KeptPledges().earlierOf([dora])).toEqual([]);
  });
});

describe("the ceilings of removed nodes", () => {
  const kept = (node: NodeId, version: number, shopSlots: number, isWhole = false): KeptPledge => ({
    node,
    version,
    isWhole,
    rooms: [[shop, shopSlots]],
  });
  type Answer = [NodeId, KeptPledge[]] | [NodeId, KeptPledge[], EarlierPledge[]];
  const over = (views: readonly [View, ...View[]], removed: NodeId[], ...answers: Answer[]) =>
    ceilingsOf(removed, {
      views,
      answers: new Map(answers.map(([node, pledges, earlier = []]) => [node, { pledges, earlier }])),
    });
  const of = (removed: NodeId[], ...answers: Answer[]) => over([view(9)], removed, ...answers);
  /** Who has forgotten nothing since view `since`, and knows a pledge of dora of an earlier one. */
  const since = (number: number, pledged?: { view: number; version: number; slots: number; isWhole?: boolean }) => [
    {
      node: dora,
      since: number,
      ...(pledged && { pledge: { isWhole: false, ...pledged, rooms: [[shop, pledged.slots] as const] } }),
    },
  ];

  test("are the sum of the newest that a majority of the voters knows of each", () => {
    expect(of([cora], [anna, [kept(cora, 2, 5)]], [bert, [kept(cora, 3, 4)]])).toEqual([[shop, 4]]);
    const both: [NodeId, KeptPledge[]][] = [anna, bert].map((node) => [node, [kept(cora, 2, 5), kept(dora, 9, 6)]]);
    expect(of([cora, dora], ...both)).toEqual([[shop, 11]]);
  });

  test("are not known where too few voters know one, who are voters themselves, or one pledged everything", () => {
    expect(of([cora], [anna, [kept(cora, 2, 5)]])).toBeUndefined();
    expect(of([cora], [anna, [kept(cora, 2, 5)]], [dora, [kept(cora, 2, 5)]])).toBeUndefined();
    expect(of([cora, dora], [anna, [kept(cora, 2, 5)]], [bert, [kept(cora, 2, 5)]])).toBeUndefined();
    expect(of([cora], [anna, [kept(cora, 2, 5)]], [bert, [kept(cora, 3, 0, true)]])).toBeUndefined();
  });

  test("are what one voter knows, where a majority has forgotten nothing in this view", () => {
    expect(of([dora], [anna, [kept(dora, 2, 5)], since(9)], [bert, [], since(9)])).toEqual([[shop, 5]]);
    expect(of([dora], [anna, [kept(dora, 2, 5)], since(9)], [bert, []])).toBeUndefined();
    expect(of([dora], [anna, [kept(dora, 2, 5)], since(9)], [bert, [], since(10)])).toBeUndefined();
  });

  test("are those of the view before, where a majority of each view's voters is sure that there is no later one", () => {
    const views = [view(9), view(8), view(7)] as const;
    const before = { view: 8, version: 4, slots: 6 };
    expect(over([...views], [dora], [anna, [], since(7, before)], [bert, [], since(8)])).toEqual([[shop, 6]]);
    // One of two may have forgotten a later one.
    expect(over([...views], [dora], [anna, [], since(7, before)], [bert, [], since(9)])).toBeUndefined();
    expect(over([...views], [dora], [anna, [], since(7, before)], [bert, []])).toBeUndefined();
    expect(over([view(9)], [dora], [anna, [], since(7, before)], [bert, [], since(7)])).toBeUndefined();
    const oldest = { view: 7, version: 3, slots: 2 };
    expect(over([...views], [dora], [anna, [], since(7, oldest)], [bert, [], since(7, before)])).toEqual([[shop, 6]]);
    expect(over([...views], [dora], [anna, [], since(7, oldest)], [bert, [], since(7)])).toEqual([[shop, 2]]);
    const whole = { ...before, isWhole: true };
    expect(over([...views], [dora], [anna, [], since(7, whole)], [bert, [], since(7)])).toBeUndefined();
  });

  test("are not known where accounts came to the node since, nor where nobody pledged, and are nothing of one that has just joined", () => {
    const answers: Answer[] = [
      [anna, [], since(7, { view: 8, version: 4, slots: 6 })],
      [bert, [], since(7)],
    ];
    const heir = view(9, [anna, bert, cora, dora], [["emma" as AccountId, dora, 0]]);
    expect(over([heir, view(8)], [dora], ...answers)).toBeUndefined();
    expect(over([view(9), view(8, [bert, dora]), view(7)], [dora], ...answers)).toBeUndefined();
    const joined: Answer[] = [anna, bert].map((node) => [node, [], since(7)]);
    expect(over([view(9), view(8, VOTERS)], [dora], ...joined)).toEqual([]);
    expect(over([heir, view(8, VOTERS)], [dora], ...joined)).toBeUndefined();
  });
});

test("of a pot what the ceiling says is held, and the rest is free, by the limit of now; all is held without one", () => {
  const units = UNITS / 2;
  expect([heldOf({ limit: 8, units, ceiling: 3 }), freeUnitsOf({ limit: 8, units, ceiling: 3 })]).toEqual([
    3,
    UNITS / 8,
  ]);
  // Two of four slots at half the limit: what is held does not become less.
  expect([heldOf({ limit: 4, units, ceiling: 3 }), freeUnitsOf({ limit: 4, units, ceiling: 3 })]).toEqual([2, 0]);
  expect([
    heldOf({ limit: 8, units, ceiling: undefined }),
    freeUnitsOf({ limit: 8, units, ceiling: undefined }),
  ]).toEqual([4, 0]);
});
