import { describe, expect, test } from "vitest";
import type { NodeId, RoomId } from "../../../../mesh/core/ids.ts";
import { freeUnitsOf, heldOf } from "../../../../mesh/core/ledger/pot-share.ts";
import { UNITS } from "../../../../mesh/core/ledger/shares.ts";
import { Pledges } from "../../../../mesh/core/members/pledges.ts";

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
