/** A voter's rules. What they are for, that one value is decided, test/model explores. */

import { describe, expect, test } from "vitest";
import type { AccountId, NodeId } from "../../../../mesh/core/ids.ts";
import { type Ballot, isAbove, Votes } from "../../../../mesh/core/members/paxos.ts";
import type { View } from "../../../../mesh/core/members/view.ts";

const anna = "anna" as NodeId;
const bert = "bert" as NodeId;

function view(number: number): View {
  return { number, members: [], voters: [], heirs: [], openings: [], root: "anna" as AccountId };
}

describe("ballots", () => {
  test.each<{ lower: Ballot; higher: Ballot }>([
    { lower: [1, 9, bert], higher: [2, 1, anna] },
    { lower: [1, 1, bert], higher: [1, 2, anna] },
    { lower: [1, 1, anna], higher: [1, 1, bert] },
  ])("$higher comes after $lower", ({ lower, higher }) => {
    expect(isAbove(higher, lower)).toBe(true);
    expect(isAbove(lower, higher)).toBe(false);
    expect(isAbove(lower, lower)).toBe(false);
  });
});

describe("a voter", () => {
  test("refuses what is below its promise, repeats what is equal, and remembers what it accepted", () => {
    const votes = new Votes(anna, 1);
    expect(votes.promise(anna, [2, 1, bert])).toBe(true);
    expect(votes.promise(anna, [2, 1, bert])).toBe(false);
    expect(votes.above([1, 1, anna], [anna])).toEqual([2, 1, bert]);
    expect(votes.above([2, 1, bert], [anna])).toBeUndefined();
    expect(votes.accept(anna, [2, 1, bert], view(2))).toBe(true);
    votes.promise(anna, [3, 1, anna]);
    expect(votes.acceptedBy(anna)).toEqual({ ballot: [2, 1, bert], value: view(2) });
    const again = new Votes(anna, 0);
    again.restore(votes.record);
    expect(again.acceptedBy(anna)?.value.number).toBe(2);
    expect(again.above([2, 1, bert], [anna])).toEqual([3, 1, anna]);
    // A vote is a promise as well: nothing below its ballot may follow.
    again.accept(anna, [5, 1, bert], view(2));
    expect(again.above([4, 1, bert], [anna])).toEqual([5, 1, bert]);
    again.begin(2, [anna, bert]);
    expect(again.haveAccepted).toBe(false);
    expect([...again.kept]).toEqual([anna, bert]);
  });
});
