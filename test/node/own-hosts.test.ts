import { expect, test } from "vitest";
import { nodeNameOf } from "../../node/own-hosts.ts";

test.each([
  ["the host's name without --name", undefined, 0, "gate1.internal"],
  ["--name", "gate-a", 0, "gate-a"],
  ["a number for each worker", undefined, 3, "gate1.internal-3"],
  ["a number within the longest name", "n".repeat(64), 12, `${"n".repeat(61)}-12`],
])("a node is called by %s", (_, name, worker, expected) => {
  expect(nodeNameOf({ name, worker }, "gate1.internal")).toBe(expected);
});

test("a host name that is no name becomes one", () => {
  const settings = { name: undefined, worker: 0 };
  expect(nodeNameOf(settings, "häuschen #1")).toBe("h-uschen--1");
  expect(nodeNameOf(settings, "")).toBe("node");
});
