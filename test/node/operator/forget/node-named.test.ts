import { expect, test } from "vitest";
import { nodeNamed } from "../../../../node/operator/forget/node-named.ts";

const IDS = ["12D3KooWold00001", "12D3KooWnew00002", "12D3KooWone00003"];
const NAMES = { "12D3KooWold00001": "gate3", "12D3KooWnew00002": "gate3", "12D3KooWone00003": "g1" };

test.each([
  ["a name, however short", "g1", "12D3KooWone00003"],
  ["a whole id", "12D3KooWnew00002", "12D3KooWnew00002"],
  ["the end of an id", "old00001", "12D3KooWold00001"],
])("an operator means a node by %s", (_, word, node) => {
  expect(nodeNamed(word, IDS, NAMES)).toEqual({ node });
});

test("a name that two nodes have means none of them, and the hint tells them apart", () => {
  expect(nodeNamed("gate3", IDS, NAMES)).toEqual({
    problem: "Cannot tell which node gate3 means as it fits 2",
    hint: "they are gate3 (12D3KooWold00001), gate3 (12D3KooWnew00002): use an id",
  });
});

test("a name that a former node had, too, means neither, and the hint says which one is a member", () => {
  expect(nodeNamed("gate3", IDS, NAMES, ["12D3KooWold00001"])).toEqual({
    problem: "Cannot tell which node gate3 means as it fits 2",
    hint: "they are gate3 (12D3KooWold00001, no member any more), gate3 (12D3KooWnew00002): use an id",
  });
});

test("a name that is also the end of another node's id means neither", () => {
  expect(nodeNamed("new00002", IDS, { ...NAMES, "12D3KooWone00003": "new00002" })).toHaveProperty("problem");
});

test("fewer than four characters that are no name are refused", () => {
  expect(nodeNamed("g3", IDS, NAMES)).toHaveProperty("problem", expect.stringContaining("shorter than 4 characters"));
});
