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
});
