import { describe, expect, test } from "vitest";
import type { AccountId, NodeId } from "../../../../mesh/core/ids.ts";
import type { RowData } from "../../../../mesh/core/ledger/row.ts";
import type { View } from "../../../../mesh/core/members/view.ts";
import { ViewBook } from "../../../../mesh/core/members/view-book.ts";

const [anna, bert, cora] = ["anna", "bert", "cora"] as NodeId[] as [NodeId, NodeId, NodeId];

function view(number: number, members: NodeId[], rows: RowData[] = []): View {
  return {
    number,
    members: members.map((node) => ({ node, locality: "here", sinceMs: 0 })),
    voters: members,
    heirs: [["old" as AccountId, bert]],
    rows,
  };
}

function row(account: string): RowData {
  return { account: account as AccountId, gifts: [], counts: [] };
}

describe("rows of views that were missed", () => {
  test("are sent until every member has been seen in a view that has them", () => {
    const book = new ViewBook(anna);
    book.learn(view(3, [anna, bert, cora]), [], 0);
    book.learn(view(4, [anna, bert], [row("cora")]), [], 3);
    book.learn(view(5, [anna, bert]), [], 4);
    book.learn(view(6, [anna, bert]), [], 5);
    expect(book.missedSince(3)).toEqual({ rows: [row("cora")], since: 3 });
    expect(book.missedSince(4)).toEqual({ rows: [], since: 4 });
    book.saw(bert, 4);
    book.learn(view(7, [anna, bert]), [], 6);
    expect(book.missedSince(3)).toEqual({ rows: [], since: 4 });
  });

  test("are passed on by nodes that have missed them too, and by one who is new", () => {
    const book = new ViewBook(bert);
    book.learn(view(3, [anna, bert, cora]), [], 0);
    book.learn(view(6, [anna, bert]), [row("cora")], 3);
    book.learn(view(7, [anna, bert]), [], 6);
    expect(book.missedSince(3).rows).toEqual([row("cora")]);
    const fresh = new ViewBook(cora);
    fresh.learn(view(7, [anna, bert, cora]), [row("dora")], 2);
    expect(fresh.missedSince(0)).toEqual({ rows: [row("dora")], since: 2 });
    const again = new ViewBook(cora);
    again.restore(fresh.record);
    expect(again.missedSince(3)).toEqual({ rows: [row("dora")], since: 3 });
  });

  test("a node writes its own account and those the view gives it", () => {
    const book = new ViewBook(anna);
    book.learn(view(3, [anna, bert]), [], 0);
    expect(book.accountsOf(bert)).toEqual(["bert", "old"]);
    expect(book.accountsOf(anna)).toEqual(["anna"]);
    expect(book.accountsOf(cora)).toEqual([]);
  });
});
