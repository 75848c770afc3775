/** What a proposer makes of the answers that come, message by message. */

import { describe, expect, test } from "vitest";
import { accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import type { Forgot } from "../../../../mesh/core/members/forget-order.ts";
import { Joins } from "../../../../mesh/core/members/joins.ts";
import type { MemberMessageBody } from "../../../../mesh/core/members/member-messages.ts";
import type { Ballot } from "../../../../mesh/core/members/paxos.ts";
import { Proposer } from "../../../../mesh/core/members/proposer.ts";
import type { View } from "../../../../mesh/core/members/view.ts";

const NODES = ["anna", "bert", "carl", "dora", "emma"] as NodeId[];
const [anna, bert, carl, dora, emma] = NODES as [NodeId, NodeId, NodeId, NodeId, NodeId];
const LEASE_MS = 30_000;
const members = NODES.map((node) => ({ node, locality: "here", sinceMs: 0 }));
const BASE: View = { number: 7, members, voters: NODES, heirs: [], openings: [], root: accountOf(anna) };

/** Anna, the eldest of five who all vote; `silent` have not been heard for an hour. */
function eldest() {
  const silent = new Set<NodeId>();
  const sent: { readonly to: NodeId; readonly message: MemberMessageBody }[] = [];
  const decided: View[] = [];
  const joins = new Joins();
  /** What this node answers itself, at once; whether it has given a promise, and what it has fenced. */
  const own = {
    answers: (_: MemberMessageBody): void => {},
    hasPromised: false,
    fences: new Set<NodeId>(),
    left: new Map<NodeId, NodeId>(),
  };
  const proposer = new Proposer({
    self: anna,
    incarnation: 1,
    leaseMs: LEASE_MS,
    random: () => 0,
    joins,
    view: () => BASE,
    isAnswering: (node) => !silent.has(node),
    isThere: (node) => !silent.has(node),
    mayAnswer: (node) => !silent.has(node),
    quietMs: (node) => (silent.has(node) ? 3_600_000 : 0),
    heirOf: (node) => own.left.get(node),
    nameKeptMs: () => Number.POSITIVE_INFINITY,
    nextSessions: () => undefined,
    nextWire: () => undefined,
    understands: () => true,
    hasVoted: () => false,
    hasPromised: () => own.hasPromised,
    hasFenced: () => false,
    isFenced: (node) => own.fences.has(node),
    send: (to, message) => {
      sent.push({ to, message });
      if (to === anna) own.answers(message);
    },
    decided: (view) => decided.push(view),
    log: () => {},
  });
  const last = <Kind extends MemberMessageBody["kind"]>(kind: Kind) =>
    sent.findLast(({ message }) => message.kind === kind)?.message as Extract<MemberMessageBody, { kind: Kind }>;
  return { proposer, joins, silent, sent, decided, last, own };
}

function now(ms: number) {
  return { wallMs: 1_790_000_000_000 + ms, steadyMs: ms };
}

function view(number: number, ...voters: NodeId[]): View {
  return { ...BASE, number, voters };
}

function fenced(nodes: readonly NodeId[], from: NodeId): never {
  return {
    kind: "fenced",
    nodes,
    copies: [],
    writes: [accountOf(from)],
    leavers: [],
    pledges: [],
    earlier: [],
    runs: [],
  } as never;
}

describe("promises", () => {
  test.each([[[0, 1]], [[1, 0]]])(
    "have the value finished that was voted for in the highest ballot, told %o",
    (order) => {
      const { proposer, joins, last } = eldest();
      joins.ask({ node: "fred" as NodeId, locality: "here" }, 0);
      proposer.saw([5, 1, bert]);
      proposer.tick(now(1_000));
      const { ballot } = last("prepare");
      const votes = [
        [bert, { ballot: [2, 1, bert] as Ballot, value: view(8, bert) }],
        [carl, { ballot: [4, 1, carl] as Ballot, value: view(8, carl) }],
      ] as const;
      for (const index of order) {
        const vote = votes[index];
        if (vote !== undefined)
          proposer.promised(anna, { kind: "promise", ballot, votes: [vote] } as never, now(1_100));
      }
      expect(last("accept")).toBeUndefined();
      proposer.promised(anna, { kind: "promise", ballot, votes: [[dora, null]] } as never, now(1_200));
      expect(last("accept")).toMatchObject({ ballot, value: view(8, carl), removes: [] });
    },
  );
});

describe("a removal", () => {
  test("waits for a fence of each that stays, against just those that are removed", () => {
    const { proposer, silent, last } = eldest();
    silent.add(emma);
    proposer.tick(now(1_000));
    expect(last("fence")).toMatchObject({ nodes: [emma] });
    // Their voters have not answered in time, and another has fallen silent meanwhile.
    proposer.tick(now(5_000));
    silent.add(dora);
    proposer.tick(now(6_000));
    expect(last("fence")).toMatchObject({ nodes: [dora, emma] });
    for (const from of [anna, bert, carl]) proposer.fenced(from, fenced([emma], from), now(6_100));
    expect(last("prepare")).toBeUndefined();
    for (const from of [anna, bert]) proposer.fenced(from, fenced([dora, emma], from), now(6_200));
    expect(last("prepare")).toBeUndefined();
    proposer.fenced(carl, fenced([dora, emma], carl), now(6_300));
    expect(last("prepare")).toBeDefined();
  });

  test("gives way at once to an order that the node runs nowhere", () => {
    const { proposer, silent, last } = eldest();
    silent.add(emma);
    proposer.tick(now(1_000));
    expect(last("fence")).toMatchObject({ nodes: [emma], isForgetting: false });
    proposer.forget({ nodes: [emma], notify: () => {}, forMs: 20_000 }, now(1_100));
    proposer.tick(now(1_100));
    expect(last("fence")).toMatchObject({ nodes: [emma], isForgetting: true });
  });

  test("is decided by a majority of the voters of the view, one vote each", () => {
    const { proposer, silent, decided, last } = eldest();
    silent.add(emma);
    proposer.tick(now(1_000));
    for (const from of [anna, bert, carl, dora]) proposer.fenced(from, fenced([emma], from), now(1_100));
    const { ballot } = last("prepare");
    const votes = [anna, bert, carl].map((voter) => [voter, null] as const);
    proposer.promised(anna, { kind: "promise", ballot, votes, pledges: [] } as never, now(1_200));
    const voted = (voters: readonly NodeId[]) => ({ kind: "accepted", ballot, voters }) as never;
    for (const voter of [anna, bert, bert]) proposer.accepted(voted([voter]), now(1_300));
    proposer.accepted(voted(["fred" as NodeId]), now(1_300));
    expect(decided).toEqual([]);
    proposer.accepted(voted([dora]), now(1_400));
    expect(decided).toMatchObject([{ number: 8, heirs: [[accountOf(emma), anna, expect.any(Number)]] }]);
  });
});

test("an order whose node is back waits for the next view if others were asked to vote, whatever this node answered", () => {
  const { proposer, silent, last, own } = eldest();
  silent.add(emma);
  const notified: Forgot[] = [];
  proposer.forget({ nodes: [emma], notify: (forgot) => notified.push(forgot), forMs: 20_000 }, now(1_000));
  proposer.tick(now(1_000));
  for (const from of [anna, bert, carl, dora]) proposer.fenced(from, fenced([emma], from), now(1_100));
  const { ballot } = last("prepare");
  // Bert has asked for a later ballot meanwhile, and this node has promised it.
  const promised = [9, 1, bert] as Ballot;
  own.hasPromised = true;
  own.fences.add(emma);
  own.answers = ({ kind }) => {
    if (kind === "accept") proposer.refused({ kind: "refusal", ballot, promised, heard: [] } as never, now(1_200));
  };
  const votes = [anna, bert, carl, dora].map((voter) => [voter, null] as const);
  proposer.promised(anna, { kind: "promise", ballot, votes, pledges: [] } as never, now(1_200));
  expect(last("accept")).toBeDefined();
  silent.clear();
  proposer.tick(now(1_300));
  expect(notified).toEqual([]);
});

test("of a leaver whose heir has left too, the last heir writes the account, once all others have fenced both", () => {
  const { proposer, decided, last, own } = eldest();
  const [left, heir] = [accountOf(carl), accountOf(bert)];
  own.left = new Map([
    [carl, dora],
    [bert, dora],
  ]);
  proposer.tick(now(1_000));
  const { nodes } = last("fence");
  expect(last("fence")).toMatchObject({ nodes: [bert, carl], left: [bert, carl] });
  const answer = { kind: "fenced", nodes, copies: [], inPots: [], leavers: [], pledges: [], earlier: [], runs: [] };
  for (const node of [anna, emma]) proposer.fenced(node, { ...answer, writes: [accountOf(node)] } as never, now(1_100));
  expect(last("prepare")).toBeUndefined();
  proposer.fenced(dora, { ...answer, writes: [accountOf(dora), heir, left], leavers: nodes } as never, now(1_100));
  const { ballot } = last("prepare");
  const votes = [anna, dora, emma].map((voter) => [voter, null] as const);
  proposer.promised(anna, { kind: "promise", ballot, votes } as never, now(1_100));
  proposer.accepted({ kind: "accepted", ballot, voters: [anna, dora, emma] } as never, now(1_200));
  expect(decided.map(({ members }) => members.map(({ node }) => node))).toEqual([[anna, dora, emma]]);
  expect(decided[0]?.heirs.map(([account, writer]) => [account, writer])).toEqual([
    [heir, dora],
    [left, dora],
  ]);
});

test("a leaver is not dropped while a member is silent: what that one gave it is not known", () => {
  const { proposer, silent, sent, own } = eldest();
  own.left.set(carl, dora);
  silent.add(emma);
  const asked = () => sent.flatMap(({ message }) => (message.kind === "fence" ? [message.left] : []));
  proposer.tick(now(1_000));
  // Emma has been silent for an hour: both are dropped in one view.
  expect(asked().every((left) => left.includes(carl))).toBe(true);
  expect(sent.flatMap(({ message }) => (message.kind === "fence" ? [message.nodes] : []))).toContainEqual([emma, carl]);
});
