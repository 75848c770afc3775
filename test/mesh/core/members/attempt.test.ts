/** One try to decide the next view: what it makes of each answer, and whom it asks again. */

import { describe, expect, test } from "vitest";
import { accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import { Attempt, type AttemptAim, type AttemptParts } from "../../../../mesh/core/members/attempt.ts";
import { Joins } from "../../../../mesh/core/members/joins.ts";
import type { MemberMessageBody, Of } from "../../../../mesh/core/members/member-messages.ts";
import type { Ballot } from "../../../../mesh/core/members/paxos.ts";
import type { View } from "../../../../mesh/core/members/view.ts";

const NODES = ["anna", "bert", "carl", "dora", "emma"] as NodeId[];
const [anna, bert, carl, dora, emma] = NODES as [NodeId, NodeId, NodeId, NodeId, NodeId];
const fred = "fred" as NodeId;
const members = NODES.map((node) => ({ node, locality: "here", sinceMs: 0 }));
/** All five vote. */
const BASE: View = {
  number: 7,
  members,
  voters: NODES,
  heirs: [[accountOf(fred), anna, 0]],
  openings: [],
  root: accountOf(anna),
};
const BALLOT: Ballot = [3, 1, bert];
const EARLIER: Ballot = [2, 1, bert];

function now(ms: number) {
  return { wallMs: 1_790_000_000_000 + ms, steadyMs: ms };
}

function heirIn(view: View | undefined, node: NodeId) {
  return view?.heirs.find(([account]) => account === accountOf(node))?.[1];
}

/** A try of bert's, which begins at 0. */
function attempt({ removed = [], left = [], isForgetting = false, ...parts }: Partial<AttemptParts & AttemptAim>) {
  const sent: { readonly to: NodeId; readonly message: MemberMessageBody }[] = [];
  const decided: View[] = [];
  const joins = parts.joins ?? new Joins();
  const tried = new Attempt(
    {
      ...{ self: bert, random: () => 0, joins, view: () => BASE, heirOf: () => undefined },
      isAnswering: () => true,
      ...{ nextSessions: () => undefined, nameKeptMs: () => Number.POSITIVE_INFINITY },
      ...{ nextWire: () => undefined, understands: () => true },
      send: (to, message) => sent.push({ to, message }),
      decided: (view) => decided.push(view),
      log: () => {},
      ...parts,
    },
    { removed, left, isForgetting, ballot: BALLOT },
    now(0),
  );
  tried.ask(now(0));
  const fenced = (from: NodeId, answer: Partial<Of<"fenced">> = {}) =>
    tried.fenced(
      from,
      {
        kind: "fenced",
        nodes: [...removed, ...left],
        copies: [],
        writes: [accountOf(from)],
        inPots: [],
        leavers: [],
        runs: [],
        ...answer,
      } as never,
      now(100),
    );
  const promised = (voters: readonly NodeId[], { ballot = BALLOT, vote = null as unknown } = {}) =>
    tried.promised(
      voters[0] ?? anna,
      { kind: "promise", ballot, votes: voters.map((voter) => [voter, vote]), pledges: [] } as never,
      now(200),
    );
  const accepted = (voters: readonly NodeId[], ballot = BALLOT) =>
    tried.accepted({ kind: "accepted", ballot, voters } as never, now(300));
  /** The value that is put to the vote. */
  const value = () => {
    promised([anna, bert, carl]);
    const { message } = sent.find(({ message: { kind } }) => kind === "accept") ?? {};
    return message?.kind === "accept" ? message.value : undefined;
  };
  const hasAskedVotes = () => sent.some(({ message }) => message.kind === "accept");
  return { tried, sent, decided, fenced, promised, accepted, value, hasAskedVotes };
}

describe("fences", () => {
  const removed = [emma];

  test("let nobody inherit that has left meanwhile", () => {
    const { fenced, value } = attempt({ removed });
    for (const node of [anna, bert, carl]) fenced(node);
    fenced(dora, { leavers: [anna], writes: [accountOf(dora), accountOf(anna)] });
    expect(heirIn(value(), emma)).toBe(bert);
  });

  test("let nobody report if a member that stays may lack gifts", () => {
    const { fenced, value } = attempt({ removed });
    for (const node of [anna, bert, carl]) fenced(node, { runs: [[emma, 4]] });
    fenced(dora, { runs: [[emma, 4]], lacksGifts: true });
    expect(value()).toMatchObject({ number: 8 });
    expect(value()?.returning).toBeUndefined();
  });

  test("let no member report that is removed with another one: what they gave each other may be known to nobody", () => {
    const { fenced, value } = attempt({ removed: [dora, emma] });
    const runs: [NodeId, number][] = [
      [dora, 4],
      [emma, 5],
    ];
    for (const node of [anna, bert]) fenced(node, { runs });
    fenced(carl, { runs, leavers: [dora] });
    expect(value()?.returning).toBeUndefined();
  });
});

describe("promises and votes", () => {
  const joins = () => {
    const asking = new Joins();
    asking.ask({ node: "gina" as NodeId, locality: "here" }, 0);
    return asking;
  };

  test("of a step that takes too long end the try", () => {
    const { tried, promised } = attempt({ joins: joins() });
    expect([tried.isOverdue(now(1_499)), tried.isOverdue(now(1_500))]).toEqual([false, true]);
    promised([anna, bert, carl]);
    expect([tried.isOverdue(now(1_699)), tried.isOverdue(now(1_700))]).toEqual([false, true]);
  });

  test.each([[[0, 1]], [[1, 0]]])(
    "have the value finished that was voted for in the highest ballot, told %o",
    (order) => {
      const { promised, sent } = attempt({ joins: joins() });
      const votes = [
        { voter: bert, vote: { ballot: [1, 1, bert], value: { ...BASE, number: 8, voters: [bert] } } },
        { voter: carl, vote: { ballot: [2, 1, carl], value: { ...BASE, number: 8, voters: [carl] } } },
      ];
      for (const { voter, vote } of order.flatMap((at) => votes[at] ?? [])) promised([voter], { vote });
      promised([dora]);
      expect(sent.at(-1)?.message).toMatchObject({ kind: "accept", value: { voters: [carl] }, removes: [] });
    },
  );

  test("have a value finished that nobody is asked to judge as a removal: it may have removed others", () => {
    const { fenced, promised, sent } = attempt({ removed: [emma] });
    for (const node of [anna, bert, carl, dora]) fenced(node);
    const found = { ...BASE, number: 8, members: members.slice(0, 3) };
    promised([anna, bert, carl], { vote: { ballot: EARLIER, value: found } });
    expect(sent.at(-1)?.message).toMatchObject({ kind: "accept", value: found, removes: [] });
  });

  test("for the own value say which nodes it removes, so that a voter that hears them refuses", () => {
    const { fenced, promised, sent } = attempt({ removed: [emma] });
    for (const node of [anna, bert, carl, dora]) fenced(node);
    promised([anna, bert, carl]);
    expect(sent.at(-1)?.message).toMatchObject({ kind: "accept", removes: [emma] });
  });

  test("end a try that would finish a value of a release that this node does not understand", () => {
    const { hasAskedVotes, promised } = attempt({ joins: joins(), understands: ({ wire }) => wire !== 9 });
    const vote = { ballot: EARLIER, value: { ...BASE, number: 8, wire: 9 } };
    expect(promised([anna, bert, carl], { vote })).toBe(false);
    expect(hasAskedVotes()).toBe(false);
  });
});

describe("a view", () => {
  const asking = (node: NodeId) => {
    const joins = new Joins();
    joins.ask({ node, locality: "here" }, 0);
    return joins;
  };

  test("goes over to a newer wire version only if it changes nothing else: a node that joins may not understand it", () => {
    const nextWire = () => 9;
    expect(attempt({ nextWire }).value()).toMatchObject({ number: 8, wire: 9 });
    expect(attempt({ nextWire, joins: asking("gina" as NodeId) }).value()?.wire).toBeUndefined();
    const removal = attempt({ nextWire, removed: [emma] });
    for (const node of [anna, bert, carl, dora]) removal.fenced(node);
    expect(removal.value()?.wire).toBeUndefined();
  });

  test("that is larger than a message is not put to the vote, and the log says so", () => {
    const log: string[] = [];
    const removal = attempt({ removed: [emma], log: (text) => log.push(text) });
    const room = (at: number) => `${at}`.repeat(2_000);
    const gifts = Array.from({ length: 2_000 }, (_, at) => ({
      room: room(at),
      resource: "active",
      to: anna,
      totals: [[0, 1]],
    }));
    for (const node of [anna, bert, carl, dora])
      removal.fenced(node, { copies: [{ account: accountOf(emma), gifts, counts: [] }] } as never);
    expect(removal.promised([anna, bert, carl])).toBe(false);
    expect([removal.hasAskedVotes(), log]).toEqual([false, ["Cannot propose view 8 as it is larger than a message"]]);
  });

  test("by an order that nodes run nowhere needs all others, and skips a million numbers", () => {
    const { fenced, promised, accepted, hasAskedVotes, decided } = attempt({ removed: [emma], isForgetting: true });
    for (const node of [anna, bert, carl, dora]) fenced(node);
    promised([anna, bert, carl]);
    expect(hasAskedVotes()).toBe(false);
    promised([dora]);
    accepted([anna, bert, carl]);
    expect(decided).toEqual([]);
    accepted([dora]);
    expect(decided).toMatchObject([{ number: 1_000_000 }]);
    expect(heirIn(decided[0], emma)).toBe(bert);
  });
});
