import { describe, expect, test } from "vitest";
import { type AccountId, accountOf, type NodeId, type RoomId } from "../../../../mesh/core/ids.ts";
import { AT_ONCE, type RowData } from "../../../../mesh/core/ledger/row.ts";
import { type Changes, type Claim, type Dropping, nextView } from "../../../../mesh/core/members/next-view.ts";
import type { View } from "../../../../mesh/core/members/view.ts";

const [anna, bert, cora] = ["anna", "bert", "cora"] as NodeId[] as [NodeId, NodeId, NodeId];
const old = "old" as AccountId;
const ROOM = "shop" as RoomId;

const base: View = {
  number: 7,
  members: [anna, bert, cora].map((node) => ({ node, locality: "here", sinceMs: 0 })),
  voters: [anna, bert, cora],
  heirs: [[old, cora, 500]],
  openings: [
    [old, [[ROOM, 7, 0, 0]]],
    [accountOf(anna), [[ROOM, -7, 0, 0]]],
  ],
  root: accountOf(anna),
};
const NAME_KEPT_MS = 10_000;

function next(changes: Partial<Changes>, from = base): View {
  return nextView(from, {
    ...{ number: 8, nowMs: 1_000, joins: [], dropping: undefined, nameKeptMs: NAME_KEPT_MS },
    ...changes,
  });
}

function row(from: NodeId | AccountId, to: NodeId, total: number): RowData {
  const account = from as string as AccountId;
  const gift = { room: ROOM, resource: "active" as const, to: accountOf(to), totals: [[AT_ONCE, total]] as const };
  return { account, gifts: [gift], counts: [] };
}

function claim(node: NodeId, ...more: (NodeId | AccountId)[]): readonly [NodeId, Claim] {
  return [node, { writes: [accountOf(node), ...(more as string[] as AccountId[])], inPots: [] }];
}

/** Cora is dropped. */
function dropping(changes: Partial<Dropping>): Dropping {
  const claims = new Map([claim(anna), claim(bert)]);
  return { removed: [cora], left: [], heir: anna, claims, copies: [], ...changes };
}

function unitsIn({ openings }: View): Record<string, number> {
  return Object.fromEntries(openings.map(([account, [opening]]) => [account, opening?.[1] ?? 0]));
}

describe("the next view", () => {
  test("keeps apart what is in a pot, until the member that writes it says that it is not", () => {
    const held = next({ dropping: dropping({ copies: [row(cora, anna, 3), row(cora, anna, 4), row(bert, cora, 5)] }) });
    // The pot that she had is one with her own account now.
    expect(unitsIn(held)).toEqual({ anna: -7 + 4, bert: -5, cora: 7 + 5 - 4 });
    expect(held.heirs).toEqual([
      [old, anna, 1_000],
      [cora, anna, 1_000],
    ]);
    const next2 = (inPots: AccountId[]) =>
      next(
        {
          dropping: dropping({ removed: [bert], claims: new Map([[anna, { ...claim(anna, old, cora)[1], inPots }]]) }),
        },
        held,
      );
    expect(unitsIn(next2([old, accountOf(cora)]))).toEqual({ anna: -3, bert: -5, cora: 8 });
    expect(unitsIn(next2([]))).toEqual({ anna: 5, bert: -5 });
  });

  test("moves the root with the account that had it", () => {
    const claims = new Map([claim(bert), claim(cora)]);
    const removed = dropping({ removed: [anna], heir: bert, claims });
    const held = next({ dropping: removed });
    expect(held.root).toBe(anna);
    const settled = next({ dropping: dropping({ claims: new Map([claim(bert, anna, old)]), heir: bert }) }, held);
    expect(settled.root).toBe(bert);
    const left = dropping({ removed: [], left: [anna], claims: new Map([claim(bert, anna), claim(cora)]) });
    expect(next({ dropping: left }).root).toBe(bert);
  });

  test("drops a name in its time, but not while its account is the root or has units", () => {
    const nowMs = 500 + NAME_KEPT_MS;
    const merged = { ...base, openings: [] };
    expect(next({ nowMs }, merged).heirs).toEqual(base.heirs);
    expect(next({ nowMs: nowMs + 1 }, merged).heirs).toEqual([]);
    expect(next({ nowMs: nowMs + 1 }).heirs).toEqual(base.heirs);
    expect(next({ nowMs: nowMs + 1 }, { ...merged, root: old }).heirs).toEqual(base.heirs);
  });

  test("says what the removed nodes hold at most, of all accounts that their heir gets with it and of no others", () => {
    const both = dropping({ left: [bert], claims: new Map([claim(anna, bert)]) });
    const pledgeOf = (node: NodeId) => ({
      node,
      version: 3,
      isWhole: false,
      rooms: [[ROOM, node === cora ? 7 : 2]] as const,
    });
    const view = next({ dropping: both, pledgeOf });
    expect(view.ceilings).toEqual({ accounts: [old, "cora"], rooms: [[ROOM, 7]] });
    expect(next({ dropping: both }).ceilings).toBeUndefined();
    // A name that goes with this view is no account of the heir's.
    const late = { nowMs: 501 + NAME_KEPT_MS, dropping: both, pledgeOf };
    expect(next(late, { ...base, openings: [] }).ceilings?.accounts).toEqual(["cora"]);
  });
});
