import { expect, test } from "vitest";
import { nodeNames } from "../../cmd/node-names.ts";

test("a node is named by the last 8 characters of its id", () => {
  const nameOf = nodeNames(["12D3KooWabcdefgh", "12D3KooWijklmnop"]);
  expect(["12D3KooWabcdefgh", "12D3KooWijklmnop", "short", "12D3KooWqrstuvwx"].map(nameOf)).toEqual([
    "abcdefgh",
    "ijklmnop",
    "short",
    "qrstuvwx",
  ]);
});

test("by more where two would have the same name, and the same id twice is one node", () => {
  const nameOf = nodeNames(["12D3KooW1abcdefgh", "12D3KooW2abcdefgh", "12D3KooW2abcdefgh"]);
  expect(nameOf("12D3KooW1abcdefgh")).toBe("1abcdefgh");
  expect(nodeNames([])("x")).toBe("x");
});
