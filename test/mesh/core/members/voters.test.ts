import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { majorityOf, votersOf } from "../../../../mesh/core/members/voters.ts";

const NOW_MS = 1_790_000_000_000;

describe("voters", () => {
  test.each([
    { what: "one node", standing: [0], voters: 1, majority: 1 },
    { what: "two, both of whom must vote", standing: [0, 0], voters: 2, majority: 2 },
    { what: "three at once", standing: [0, 0, 0], voters: 3, majority: 2 },
    { what: "the eldest three of four", standing: [99, 99, 99, 99], voters: 3, majority: 2 },
    { what: "three of five while the fifth is new", standing: [99, 99, 99, 99, 9], voters: 3, majority: 2 },
    { what: "five once the fifth has stood ten minutes", standing: [99, 99, 99, 99, 10], voters: 5, majority: 3 },
    {
      what: "five of eight while the seventh is new",
      standing: [99, 99, 99, 50, 40, 30, 5, 0],
      voters: 5,
      majority: 3,
    },
    { what: "seven at most", standing: [99, 98, 97, 96, 95, 94, 93, 92, 91, 90], voters: 7, majority: 4 },
  ])("are $what", ({ standing, voters, majority }) => {
    const members = standing.map((minutes, index) => ({
      node: `n${index}` as NodeId,
      locality: "here",
      sinceMs: NOW_MS - minutes * 60_000,
    }));
    const nodes = votersOf(members, NOW_MS);
    expect(nodes).toEqual(members.slice(0, voters).map(({ node }) => node));
    expect(majorityOf(nodes)).toBe(majority);
  });

  const node = (index: number) => `n${index}` as NodeId;
  const membersOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ node: node(index), locality: "here", sinceMs: NOW_MS - 600_000 }));

  test.each([
    {
      what: "without a silent one, if three others answer",
      count: 4,
      silent: [0],
      before: [0, 1, 2],
      voters: [1, 2, 3],
    },
    { what: "without two silent ones", count: 6, silent: [1, 2], before: [0, 1, 2, 3, 4], voters: [0, 3, 4] },
    { what: "with a silent one, where only two answer", count: 3, silent: [1], before: [0, 1, 2], voters: [0, 1, 2] },
    {
      what: "those of the view before, also if elder ones are back",
      count: 4,
      silent: [],
      before: [1, 2, 3],
      voters: [1, 2, 3],
    },
    {
      what: "those of the view before, and the eldest of the others",
      count: 6,
      silent: [1],
      before: [1, 4, 5],
      voters: [4, 5, 0, 2, 3],
    },
  ])("are $what", ({ count, silent, before, voters }) => {
    const options = { before: before.map(node), silent: silent.map(node) };
    expect(votersOf(membersOf(count), NOW_MS, options)).toEqual(voters.map(node));
  });

  test("are a majority of the voters before, or some of that majority only, whoever is silent", () => {
    fc.assert(
      fc.property(fc.subarray([...Array(9).keys()]), fc.subarray([...Array(9).keys()]), (ever, silent) => {
        const before = votersOf(membersOf(9), NOW_MS, { silent: ever.map(node) });
        const isDecided = before.filter((voter) => !silent.map(node).includes(voter)).length >= majorityOf(before);
        const after = votersOf(membersOf(9), NOW_MS, { before, silent: silent.map(node) });
        const common = after.filter((voter) => before.includes(voter)).length;
        expect(!isDecided || common >= Math.min(majorityOf(before), after.length)).toBe(true);
      }),
    );
  });
});
