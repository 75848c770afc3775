import { expect, test } from "vitest";
import type { AccountId, NodeId } from "../../../../mesh/core/ids.ts";
import type { Ballot } from "../../../../mesh/core/members/paxos.ts";
import type { View } from "../../../../mesh/core/members/view.ts";
import { Voter } from "../../../../mesh/core/members/voter.ts";

const anna = "anna" as NodeId;
const bert = "bert" as NodeId;
const LOWER: Ballot = [1, 1, bert];
const HIGHER: Ballot = [2, 1, bert];

function view(number: number): View {
  return { number, members: [], voters: [anna], heirs: [], openings: [], root: "anna" as AccountId };
}

function newVoter(): Voter {
  const voter = new Voter(anna, () => {});
  voter.begin(view(1), [anna]);
  return voter;
}

test("who has promised a ballot neither promises nor votes below it", () => {
  const voter = newVoter();
  expect(voter.prepare({ kind: "prepare", ballot: HIGHER, all: false } as never, [], view(1))?.kind).toBe("promise");
  expect(voter.prepare({ kind: "prepare", ballot: LOWER, all: false } as never, [], view(1))?.kind).toBe("refusal");
  const accept = { kind: "accept", ballot: LOWER, value: view(2), all: false, removes: [] };
  expect(voter.accept(accept as never, [], view(1))).toMatchObject({ kind: "refusal", promised: HIGHER });
  expect(voter.hasVoted).toBe(false);
});

test("who has voted in a ballot it never promised votes in none below it, and keeps its vote", () => {
  const voter = newVoter();
  const accept = (ballot: Ballot, number: number) =>
    voter.accept({ kind: "accept", ballot, value: view(number), all: false, removes: [] } as never, [], view(1));
  expect(voter.prepare({ kind: "prepare", ballot: LOWER, all: false } as never, [], view(1))?.kind).toBe("promise");
  expect(accept(HIGHER, 2)?.kind).toBe("accepted");
  expect(accept(LOWER, 3)).toMatchObject({ kind: "refusal", promised: HIGHER });
  expect(voter.voteOf(anna)?.number).toBe(2);
});
