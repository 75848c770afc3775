/** Which silent members are to be removed, and when: by what one node hears of the others. */

import { describe, expect, test } from "vitest";
import type { AccountId, NodeId } from "../../../../mesh/core/ids.ts";
import { RemovalsDue } from "../../../../mesh/core/members/removals-due.ts";
import type { View } from "../../../../mesh/core/members/view.ts";

const NODES = ["anna", "bert", "carl", "dora", "emma"] as NodeId[];
const [anna, bert, carl, dora, emma] = NODES as [NodeId, NodeId, NodeId, NodeId, NodeId];
const LEASE_MS = 30_000;
/** A lease, a tenth of it, and half a second. */
const SILENCE_MS = 33_500;

function now(ms: number) {
  return { wallMs: 1_790_000_000_000 + ms, steadyMs: ms };
}

function viewOf(nodes: readonly NodeId[], voters: readonly NodeId[] = nodes): View {
  const members = nodes.map((node) => ({ node, locality: "here", sinceMs: 0 }));
  return { number: 7, members, voters: [...voters], heirs: [], openings: [], root: "anna" as AccountId };
}

/** What anna finds; `quietMs`: members that do not answer, and for how long; `heirs`: who has left to whom. */
function due(
  quietMs: Partial<Record<string, number>>,
  { view = viewOf(NODES), heirs = {} }: { view?: View; heirs?: Partial<Record<string, NodeId>> } = {},
) {
  const state = { view, quietMs };
  const removals = new RemovalsDue({
    self: anna,
    leaseMs: LEASE_MS,
    view: () => state.view,
    isThere: (node) => node !== anna && state.quietMs[node] === undefined,
    quietMs: (node) => state.quietMs[node] ?? 0,
    heirOf: (node) => heirs[node],
  });
  return { removals, state };
}

describe("a silent member", () => {
  test("is removed after a lease and a little more", () => {
    expect(due({ emma: SILENCE_MS - 1 }).removals.removable(now(0))).toEqual([]);
    expect(due({ emma: SILENCE_MS }).removals.removable(now(0))).toEqual([emma]);
  });

  test("is not removed within a lease after another member has heard it, nor announced to be", () => {
    const { removals } = due({ emma: SILENCE_MS });
    removals.noteHeard([emma], now(1_000));
    expect(removals.removable(now(1_000 + LEASE_MS - 1))).toEqual([]);
    expect(removals.removalInMs([emma], now(1_000 + LEASE_MS - 1))).toBe(1);
    expect(removals.removable(now(1_000 + LEASE_MS))).toEqual([emma]);
  });

  test("that was removed since and is a member again is not protected by what was heard of it before", () => {
    const { removals, state } = due({ emma: SILENCE_MS });
    removals.noteHeard([emma], now(0));
    state.view = viewOf([anna, bert, carl, dora]);
    removals.begin();
    state.view = viewOf(NODES);
    removals.begin();
    expect(removals.removable(now(1))).toEqual([emma]);
  });

  test("still is, where the new view has it", () => {
    const { removals } = due({ emma: SILENCE_MS });
    removals.noteHeard([emma], now(0));
    removals.begin();
    expect(removals.removable(now(1))).toEqual([]);
  });

  test("waits for another that falls silent beside it: both go together", () => {
    expect(due({ dora: 1_000, emma: SILENCE_MS }).removals.removable(now(0))).toEqual([]);
    expect(due({ dora: SILENCE_MS, emma: SILENCE_MS }).removals.removable(now(0))).toEqual([dora, emma]);
  });

  test("is not removed by a side without a majority of the voters, which announces no time either", () => {
    const silent = { carl: SILENCE_MS, dora: SILENCE_MS, emma: SILENCE_MS };
    expect(due(silent).removals.removable(now(0))).toEqual([]);
    expect(due(silent).removals.removalInMs([carl, dora, emma], now(0))).toBeUndefined();
    const view = viewOf(NODES, [anna, bert, carl]);
    expect(due(silent, { view }).removals.removable(now(0))).toEqual([carl, dora, emma]);
    expect(due(silent, { view }).removals.removalInMs([carl, dora, emma], now(0))).toBe(0);
  });

  test("is announced by the last of several, as they go together", () => {
    const { removals } = due({ dora: 10_000, emma: 20_000 });
    expect(removals.removalInMs([dora, emma], now(0))).toBe(SILENCE_MS - 10_000);
  });
});

describe("a silent member that has left", () => {
  test("is not removed while its heir answers, and goes with it otherwise", () => {
    const heirs = { emma: dora };
    expect(due({ emma: SILENCE_MS }, { heirs }).removals.removable(now(0))).toEqual([]);
    expect(due({ emma: SILENCE_MS }, { heirs: { emma: anna } }).removals.removable(now(0))).toEqual([]);
    expect(due({ dora: SILENCE_MS, emma: SILENCE_MS }, { heirs }).removals.removable(now(0))).toEqual([dora, emma]);
  });

  test("keeps nobody else, and its heir votes for it", () => {
    const [heirs, view] = [{ carl: bert }, viewOf(NODES, [anna, bert, carl, dora, emma])];
    const silent = { carl: 1_000, dora: SILENCE_MS, emma: SILENCE_MS };
    expect(due(silent, { heirs, view }).removals.removable(now(0))).toEqual([dora, emma]);
    expect(due(silent, { heirs, view }).removals.removalInMs([dora, emma], now(0))).toBe(0);
  });

  test("is missing for an order to forget its heir", () => {
    const { removals } = due({ dora: 1_000, emma: 1_000 }, { heirs: { emma: dora } });
    expect(removals.missing([dora], now(0))).toEqual([emma]);
    expect(removals.missing([dora, emma], now(0))).toEqual([]);
    // Though the heir is back and answers: the order is about it, and what it has taken over would be lost with it.
    expect(due({ emma: 1_000 }, { heirs: { emma: dora } }).removals.missing([dora], now(0))).toEqual([emma]);
  });
});

describe("nodes that join wait", () => {
  test.each([
    [3, 1, false],
    [3, 2, true],
    [5, 1, false],
    [5, 2, true],
  ])("of %i members while %i are silent: %s", (members, silent, waits) => {
    const nodes = NODES.slice(0, members);
    const quiet = Object.fromEntries(nodes.slice(-silent).map((node) => [node, 1_000]));
    expect(due(quiet, { view: viewOf(nodes) }).removals.areTooManySilent(now(0))).toBe(waits);
  });
});

test("of two members nobody removes the other, even if one alone votes", () => {
  const { removals } = due({ bert: SILENCE_MS }, { view: viewOf([anna, bert], [anna]) });
  expect([removals.removable(now(0)), removals.removalInMs([bert], now(0))]).toEqual([[], undefined]);
});
