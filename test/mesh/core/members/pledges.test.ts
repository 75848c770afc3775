import { describe, expect, test } from "vitest";
import type { NodeId, RoomId } from "../../../../mesh/core/ids.ts";
import { freeUnitsOf, heldOf } from "../../../../mesh/core/ledger/pot-share.ts";
import { UNITS } from "../../../../mesh/core/ledger/shares.ts";
import type { KeptPledge } from "../../../../mesh/core/members/ceilings.ts";
import { KeptPledges } from "../../../../mesh/core/members/kept-pledges.ts";
import { boundOf, ceilingsOf } from "../../../../mesh/core/members/pledged-bound.ts";
import { Pledges, type PledgeWord } from "../../../../mesh/core/members/pledges.ts";

const [anna, bert, cora, dora] = ["anna", "bert", "cora", "dora"] as NodeId[] as [NodeId, NodeId, NodeId, NodeId];
const VOTERS = [anna, bert, cora];
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
    const { kept } = keptOn();
    kept.hear(
      dora,
      word(3, 0, [
        [shop, 5],
        [cafe, 2],
      ]),
    );
    kept.hear(dora, word(2, 0, [[shop, 9]]));
    kept.hear(dora, word(6, 5, [[shop, 8]]));
    expect(kept.all).toEqual([
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
    expect([kept.versionOf(dora), kept.all[0]?.rooms]).toEqual([5, [[shop, 5]]]);
  });

  test("is what the view says, in a new one, until a node pledges in it", () => {
    const { kept } = keptOn();
    kept.hear(cora, word(2, 0, [[shop, 9]]));
    const pledged = { node: dora, version: 3, isWhole: false, rooms: [[shop, 5]] } as const;
    kept.begin([pledged]);
    expect([kept.versionOf(cora), kept.all]).toEqual([0, [pledged]]);
    kept.hear(dora, word(4, 0, [[cafe, 6]]));
    expect(kept.all).toEqual([{ ...pledged, version: 4, rooms: [[cafe, 6]] }]);
  });

  test("is on the disk", () => {
    const { kept, disk } = keptOn();
    const isOnDisk = () => expect([...disk.values()]).toEqual(kept.all);
    kept.hear(cora, word(2, 0, [[shop, 9]]));
    isOnDisk();
    const again = keptOn(disk).kept;
    expect(again.all).toEqual(kept.all);
    kept.begin([{ node: dora, version: 3, isWhole: false, rooms: [[shop, 5]] }]);
    isOnDisk();
  });
});

/** What a voter keeps, and the disk that it is on. */
function keptOn(disk = new Map<NodeId, KeptPledge>()) {
  const kept = new KeptPledges([...disk.values()], (node, pledge) => {
    if (pledge === undefined) disk.delete(node);
    else disk.set(node, pledge);
  });
  return { kept, disk };
}

describe("the ceilings of removed nodes", () => {
  const kept = (node: NodeId, version: number, shopSlots: number, isWhole = false): KeptPledge => ({
    node,
    version,
    isWhole,
    rooms: [[shop, shopSlots]],
  });
  const of = (removed: NodeId[], ...said: [NodeId, KeptPledge[]][]) =>
    ceilingsOf(removed.map((node) => boundOf(node, VOTERS, new Map(said))));

  test("are the sum of the newest that a majority of the voters knows of each", () => {
    expect(of([cora], [anna, [kept(cora, 2, 5)]], [bert, [kept(cora, 3, 4)]])).toEqual([[shop, 4]]);
    const both: [NodeId, KeptPledge[]][] = [anna, bert].map((node) => [node, [kept(cora, 2, 5), kept(dora, 9, 6)]]);
    expect(of([cora, dora], ...both)).toEqual([[shop, 11]]);
  });

  test("are not known where too few other voters know one, who are voters themselves, or one pledged everything", () => {
    expect(of([cora], [anna, [kept(cora, 2, 5)]])).toBeUndefined();
    expect(of([cora], [anna, [kept(cora, 2, 5)]], [dora, [kept(cora, 2, 5)]])).toBeUndefined();
    expect(of([cora], [anna, [kept(cora, 2, 5)]], [cora, [kept(cora, 2, 5)]])).toBeUndefined();
    expect(of([cora, dora], [anna, [kept(cora, 2, 5)]], [bert, [kept(cora, 2, 5)]])).toBeUndefined();
    expect(of([cora], [anna, [kept(cora, 2, 5)]], [bert, [kept(cora, 3, 0, true)]])).toBeUndefined();
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
