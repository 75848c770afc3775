/** A voter's rules, and what they are for: whatever becomes of messages and processes, one value is decided. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AccountId, NodeId } from "../../../../mesh/core/ids.ts";
import { type Accepted, type Ballot, isAbove, Votes } from "../../../../mesh/core/members/paxos.ts";
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
    again.begin(2, [anna, bert]);
    expect(again.haveAccepted).toBe(false);
    expect([...again.kept]).toEqual([anna, bert]);
  });
});

/** A proposer's step: ask for promises, or for votes, of some of three voters; others are not reached. */
const step = fc.record({
  proposer: fc.nat(2),
  reached: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
  isNewBallot: fc.boolean(),
});

describe("three voters", () => {
  test("decide one value, however tries overlap", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        const voters = ["v0", "v1", "v2"].map((name) => ({
          name: name as NodeId,
          votes: new Votes(name as NodeId, 1),
        }));
        const tries = [0, 1, 2].map(() => ({ round: 0, promises: new Map<number, Accepted | undefined>(), value: 0 }));
        const votesFor = new Map<string, Set<number>>();
        const decided = new Set<number>();
        for (const { proposer, reached, isNewBallot } of steps) {
          const own = tries[proposer];
          if (own === undefined) continue;
          if (isNewBallot || own.round === 0) {
            own.round += 1;
            own.promises.clear();
            own.value = 0;
          }
          const ballot: Ballot = [own.round, 1, `p${proposer}` as NodeId];
          for (const index of reached) {
            const voter = voters[index];
            if (voter === undefined || voter.votes.above(ballot, [voter.name]) !== undefined) continue;
            if (own.promises.size < 2) {
              voter.votes.promise(voter.name, ballot);
              own.promises.set(index, voter.votes.acceptedBy(voter.name));
              continue;
            }
            if (own.value === 0) {
              const found = [...own.promises.values()].filter((accepted) => accepted !== undefined);
              found.sort((one, other) => (isAbove(one.ballot, other.ballot) ? -1 : 1));
              own.value = found[0]?.value.number ?? 100 * own.round + proposer + 1;
            }
            voter.votes.accept(voter.name, ballot, view(own.value));
            const key = ballot.join();
            const supporters = votesFor.get(key) ?? new Set();
            votesFor.set(key, supporters.add(index));
            if (supporters.size >= 2) decided.add(own.value);
          }
        }
        expect(decided.size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });
});
