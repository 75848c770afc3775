import { describe, expect, test } from "vitest";
import type { AccountId, Minute, NodeId, RoomId } from "../../../../mesh/core/ids.ts";
import type { RowData } from "../../../../mesh/core/ledger/row.ts";
import { Hearing, lacks } from "../../../../mesh/core/members/hearing.ts";
import { KnownRuns } from "../../../../mesh/core/members/known-runs.ts";
import type { Of } from "../../../../mesh/core/members/member-messages.ts";
import { Pots } from "../../../../mesh/core/members/pots.ts";

const [X, Y, V, W] = ["x", "y", "v", "w"] as string[] as [AccountId, AccountId, AccountId, AccountId];
const NODE = "x" as NodeId;
const ROOM = "shop" as RoomId;
const NOW = { wallMs: 1_000, steadyMs: 1_000 };
const POT = { passedMs: 0, accounts: [X, Y, V], group: "view 7" };

function row(account: AccountId, given: number, counted: number): RowData {
  const totals = [[5 as Minute, counted]] as const;
  return {
    account,
    gifts: [{ room: ROOM, resource: "active", to: "h" as AccountId, totals: [[0 as Minute, given]] }],
    counts: [{ room: ROOM, kind: "in", totals }],
  };
}

/** An heir of x, y and of v, whose heir one of them was: it knows that they gave 10 and counted 3. */
class Heir {
  readonly pots = new Pots();
  mayHear = true;
  #drawn = 100;
  hearing = this.start();

  constructor() {
    this.pots.add(POT, NOW, [[NODE, 4]]);
  }

  /** Another process. */
  start(): Hearing {
    this.hearing = new Hearing({
      pots: this.pots,
      writes: (account) => account === X,
      mayHear: () => this.mayHear,
      rows: (accounts) => accounts.map((account) => row(account, 10, 3)),
      draw: () => this.#drawn++,
    });
    return this.hearing;
  }

  ask(): number {
    const answer = this.hearing.returned(NODE);
    return answer?.kind === "testimony-wanted" ? answer.nonce : -1;
  }

  hear(change: Partial<Of<"testimony">>, nonce = this.ask()) {
    const said = { nonce, run: 4, accounts: [X, V], rows: [row(X, 10, 3), row(V, 10, 3)], tables: [], ...change };
    return this.hearing.hear(NODE, said as unknown as Of<"testimony">);
  }
}

describe("a returned node", () => {
  test.each([
    ["of a disk of before its last start", { run: 3 }],
    ["of an account that is in no pot of its view", { accounts: [X, W], rows: [row(X, 10, 3), row(W, 10, 3)] }],
    ["of other accounts than its own", { accounts: [V] }],
    ["of an account twice", { accounts: [X, X] }],
    ["of rows of others", { rows: [row(X, 10, 3), row(V, 10, 3), row(Y, 10, 3)] }],
    ["without a gift that others know of", { rows: [row(X, 9, 3), row(V, 10, 3)] }],
    ["without an admission that others know of", { rows: [row(X, 10, 2), row(V, 10, 3)] }],
    ["without the row of its own account", { rows: [row(V, 10, 3)] }],
  ])("is not believed what it says %s", (_what, change) => {
    expect(new Heir().hear(change)).toMatchObject({ problem: expect.any(String) });
  });

  test("is heard once", () => {
    const heir = new Heir();
    const nonce = heir.ask();
    expect(heir.hear({}, nonce)).toMatchObject({ accounts: [X, V] });
    expect(heir.hear({}, nonce)).toBeUndefined();
    heir.pots.heard([X, V]);
    expect(heir.hearing.returned(NODE)).toEqual({ kind: "testimony-done", isTaken: false });
    expect(heir.hear({}, nonce)).toBeUndefined();
  });

  test("is not heard by an heir of its heir, nor once the pot's time is over", () => {
    const ofHeir = new Heir();
    ofHeir.pots.clear();
    ofHeir.pots.add({ ...POT, group: "view 8" }, NOW, [["heir" as NodeId, 1]]);
    expect(ofHeir.hearing.returned(NODE)).toEqual({ kind: "testimony-done", isTaken: false });
    const late = new Heir();
    const nonce = late.ask();
    late.pots.settle([X, Y, V]);
    expect(late.hear({}, nonce)).toMatchObject({ problem: expect.any(String) });
  });
});

test("a pot that was heard is out of the way of its group, and continues for its arrivals; after lost counts it is a pot like any other", () => {
  const pots = new Pots();
  pots.add(POT, NOW, [[NODE, 4]]);
  pots.heard([X, V]);
  expect(pots.accounts).toEqual([Y]);
  expect(pots.at(NOW)).toMatchObject([
    { accounts: [Y], group: "view 7" },
    { accounts: [X, V], group: "view 7", isHeard: true },
  ]);
  const again = new Pots();
  again.restore(JSON.parse(JSON.stringify(pots.at(NOW))), NOW);
  expect(again.at(NOW)).toEqual(pots.at(NOW));
  expect(pots.allOf([X, Y, V], "h" as NodeId, NOW)).toMatchObject([
    { accounts: [Y], group: "left by h" },
    { accounts: [X, V], group: "left by h" },
  ]);
});

test("a leaver with lost counts has one group of pots: what a pot has free may be given from its own account", () => {
  const pots = new Pots();
  pots.add({ ...POT, passedMs: 5_000, ceilings: [[ROOM, 1]] }, NOW, [[NODE, 4]]);
  const [pot, own, ...more] = pots.allOf([X, Y, V, "own" as AccountId], "h" as NodeId, NOW);
  expect(more).toEqual([]);
  expect(own).toEqual({ accounts: ["own"], group: "left by h", passedMs: 0 });
  // Not usable before all settle.
  expect(pot).toMatchObject({ group: "left by h", passedMs: 0 });
  expect(pot).not.toHaveProperty("ceilings");
});

test("a row has what is known of it although it has forgotten counts of long ago", () => {
  const counts = (totals: [number, number][]): RowData => ({
    account: X,
    gifts: [],
    counts: [{ room: ROOM, kind: "in", totals: totals as never }],
  });
  const known = counts([
    [1, 5],
    [40, 2],
  ]);
  const rows = [[[40, 2]], [[40, 1]], [[1, 5]], []] as [number, number][][];
  expect(rows.map((totals) => lacks(counts(totals), known))).toEqual([false, true, true, true]);
  expect(lacks(undefined, known)).toBe(true);
});

test("the newest start of a member is on disk, until it is a member no more", () => {
  let disk: readonly (readonly [NodeId, number])[] = [];
  const runs = new KnownRuns([[NODE, 3]], (known) => {
    disk = known;
  });
  runs.note(NODE, 2);
  expect(disk).toEqual([]);
  runs.note(NODE, 5);
  expect([disk, runs.of([NODE, "w" as NodeId])]).toEqual([
    [[NODE, 5]],
    [
      [NODE, 5],
      ["w", 0],
    ],
  ]);
  runs.keepOnly(() => false);
  expect(disk).toEqual([]);
});
