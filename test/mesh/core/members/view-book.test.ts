import { expect, test } from "vitest";
import { type AccountId, accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import { ViewBook } from "../../../../mesh/core/members/view-book.ts";

const [anna, bert, cora] = ["anna", "bert", "cora"] as NodeId[] as [NodeId, NodeId, NodeId];

test("a node writes its own account and those the view gives it", () => {
  const book = new ViewBook(anna);
  book.learn({
    number: 3,
    members: [anna, bert].map((node) => ({ node, locality: "here", sinceMs: 0 })),
    voters: [anna, bert],
    heirs: [["old" as AccountId, bert, 0]],
    openings: [],
    root: accountOf(anna),
  });
  expect(book.accountsOf(bert)).toEqual(["bert", "old"]);
  expect(book.accountsOf(anna)).toEqual(["anna"]);
  expect(book.accountsOf(cora)).toEqual([]);
});
