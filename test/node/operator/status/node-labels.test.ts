import { expect, test } from "vitest";
import { nodeLabels } from "../../../../node/operator/status/node-labels.ts";

test("a node without a name is known by the last 8 characters of its id", () => {
  const { of } = nodeLabels(["12D3KooWabcdefgh", "12D3KooWijklmnop"]);
  const shown = ["12D3KooWabcdefgh", "12D3KooWijklmnop", "short", "12D3KooWqrstuvwx"].map(of);
  expect(shown).toEqual(["abcdefgh", "ijklmnop", "short", "qrstuvwx"]);
});

test("by more where two would be the same, and the same id twice is one node", () => {
  const { of } = nodeLabels(["12D3KooW1abcdefgh", "12D3KooW2abcdefgh", "12D3KooW2abcdefgh"]);
  expect(of("12D3KooW1abcdefgh")).toBe("1abcdefgh");
  expect(nodeLabels([]).of("x")).toBe("x");
});

test("a name that several nodes have comes with the end of the id, and a command gets the end alone", () => {
  const names = new Map([
    ["12D3KooWold00001", "gate3"],
    ["12D3KooWnew00002", "gate3"],
    ["12D3KooWone00003", "gate1"],
    ["12D3KooWaway0004", "gate1"],
  ]);
  const { of, word, inText } = nodeLabels(["12D3KooWold00001", "12D3KooWnew00002", "12D3KooWone00003"], names);
  expect([of("12D3KooWold00001"), word("12D3KooWold00001")]).toEqual(["gate3 (old00001)", "old00001"]);
  // One that is not shown may still be meant by a command: a former member has this name, too.
  expect([of("12D3KooWone00003"), word("12D3KooWone00003")]).toEqual(["gate1", "one00003"]);
  expect(inText("removing 12D3KooWold00001, 12D3KooWone00003")).toBe("removing gate3 (old00001), gate1");
});
