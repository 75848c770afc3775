import { describe, expect, test } from "vitest";
import { type AccountId, accountOf, type NodeId, type RoomId } from "../../../../mesh/core/ids.ts";
import { AT_ONCE, type RowData } from "../../../../mesh/core/ledger/row.ts";
import { type Changes, joinRows, nextView } from "../../../../mesh/core/members/next-view.ts";
import type { View } from "../../../../mesh/core/members/view.ts";

const [anna, bert, cora, dora] = ["anna", "bert", "cora", "dora"] as NodeId[] as [NodeId, NodeId, NodeId, NodeId];
const old = "old" as AccountId;
const ROOM = "shop" as RoomId;

const base: View = {
  number: 7,
  members: [anna, bert, cora].map((node) => ({ node, locality: "here", sinceMs: 0 })),
  voters: [anna, bert, cora],
  heirs: [[old, cora]],
  rows: [],
};

function next(changes: Partial<Changes>): View {
  return nextView(base, { number: 8, nowMs: 1_000, joins: [], handovers: [], removal: undefined, ...changes });
}

function row(from: NodeId | AccountId, to: NodeId, total: number): RowData {
  const account = from as string as AccountId;
  const gift = { room: ROOM, resource: "active" as const, to: accountOf(to), totals: [[AT_ONCE, total]] as const };
  return { account, gifts: [gift], counts: [] };
}

describe("the next view", () => {
  test("takes in those who came, last in standing", () => {
    const view = next({ joins: [{ node: dora, locality: "there" }] });
    expect(view.members.map(({ node }) => node)).toEqual([anna, bert, cora, dora]);
    expect(view.members[3]).toEqual({ node: dora, locality: "there", sinceMs: 1_000 });
    expect(view.heirs).toEqual(base.heirs);
  });

  test("drops who left, with all its accounts at its heir, and carries their rows", () => {
    const rows = [row(cora, anna, 3), row(old, bert, 4)];
    const handover = { heir: bert, leavers: [cora], accounts: [accountOf(cora), old], rows };
    const view = next({ handovers: [handover] });
    expect(view.members.map(({ node }) => node)).toEqual([anna, bert]);
    expect(view.voters).toEqual([anna, bert]);
    expect(view.heirs).toEqual([
      [old, bert],
      [cora, bert],
    ]);
    expect(view.rows).toEqual(rows);
  });

  test("gives one heir all that no staying member says it writes, with all copies joined", () => {
    const copies = [row(cora, anna, 3), row(cora, anna, 5), row(cora, bert, 1), row(old, anna, 2)];
    const claims = new Map<NodeId, AccountId[]>([
      [anna, [accountOf(anna)]],
      [bert, [accountOf(bert), old]],
    ]);
    const view = next({
      removal: { removed: [cora], isForgetting: false, heir: anna, claims, copies },
    });
    expect(view.heirs).toEqual([
      [old, bert],
      [cora, anna],
    ]);
    expect(view.rows).toEqual(joinRows(copies));
    expect(view.rows[0]?.gifts.map(({ totals }) => totals)).toEqual([[[AT_ONCE, 5]], [[AT_ONCE, 1]]]);
  });

  test("carries what those that stay gave to the removed node, and nothing else of theirs", () => {
    const claims = new Map<NodeId, AccountId[]>([
      [anna, [accountOf(anna)]],
      [bert, [accountOf(bert)]],
    ]);
    const copies = [row(bert, cora, 9), row(bert, anna, 9)];
    const view = next({
      removal: { removed: [cora], isForgetting: false, heir: anna, claims, copies },
    });
    expect(view.rows).toEqual([row(bert, cora, 9)]);
  });

  test("drops in one go a member that left and the one that is removed", () => {
    const claims = new Map<NodeId, AccountId[]>([[anna, [accountOf(anna), accountOf(bert)]]]);
    const handovers = [{ heir: anna, leavers: [bert], accounts: [], rows: [] }];
    const view = next({
      handovers,
      removal: { removed: [cora], isForgetting: false, heir: anna, claims, copies: [] },
    });
    expect(view.members.map(({ node }) => node)).toEqual([anna]);
    expect(view.heirs.map(([account]) => account)).toEqual([old, "bert", "cora"]);
    expect(new Set(view.heirs.map(([, heir]) => heir))).toEqual(new Set([anna]));
  });

  test("says what the removed nodes hold at most, of all accounts that their heir gets with it and of no others", () => {
    const claims = new Map<NodeId, AccountId[]>([[anna, [accountOf(anna), accountOf(bert)]]]);
    const removal = { removed: [cora], isForgetting: false, heir: anna, claims, copies: [] };
    const handovers = [{ heir: anna, leavers: [bert], accounts: [accountOf(bert)], rows: [] }];
    const view = next({ handovers, removal: { ...removal, ceilings: [[ROOM, 7]] } });
    expect(view.ceilings).toEqual({ accounts: [old, "cora"], rooms: [[ROOM, 7]] });
    expect(next({ handovers, removal }).ceilings).toBeUndefined();
  });
});
