import { describe, expect, test } from "vitest";
import type { Minute, NodeId } from "../../../mesh/core/ids.ts";
import { gapsIn } from "../../../node/history/coverage.ts";
import type { End, Source } from "../../../node/history/minute-record.ts";

const [a, b] = ["a", "b"] as NodeId[] as [NodeId, NodeId];
const SPAN = { from: 100 as Minute, to: 200 as Minute };

function source(node: NodeId, run: number, [since, until]: readonly [number, number], end: End = "open"): Source {
  return { node, run, locality: "eu", since: since as Minute, until: until as Minute, first: 1, next: 1, end };
}

function gaps(sources: readonly Source[], running: readonly NodeId[]) {
  return gapsIn(sources, new Set(running), SPAN).map(({ node, from, to }) => [node, from, to]);
}

describe("what is missing of a span", () => {
  test.each<[string, readonly Source[], readonly NodeId[], unknown[]]>([
    ["nothing of a node whose minutes are all here", [source(a, 1, [50, 200])], [a], []],
    ["the minutes since a member was last heard", [source(a, 1, [50, 150])], [a], [[a, 150, 200]]],
    ["all of a member that never said anything", [source(a, 1, [50, 200])], [a, b], [[b, 100, 200]]],
    ["one minute of a node that is gone for good", [source(a, 1, [50, 150])], [], [[a, 150, 151]]],
    ["nothing of a node that stopped in order", [source(a, 1, [50, 150], "stopped")], [], []],
    [
      "the open minute of a crash",
      [source(a, 1, [50, 150], "crashed"), source(a, 2, [160, 200])],
      [a],
      [[a, 150, 151]],
    ],
    [
      "the minutes between runs, as long as a run has not said how it ended",
      [source(a, 1, [50, 150]), source(a, 2, [160, 200])],
      [a],
      [[a, 150, 160]],
    ],
    ["nothing before a node began", [source(a, 1, [170, 200])], [a], []],
  ])("%s", (_, sources, running, expected) => {
    expect(gaps(sources, running)).toEqual(expected);
  });

  test("is lost for good where nobody can have it, and may come where a member is only away", () => {
    const lost = (sources: readonly Source[], running: readonly NodeId[]) =>
      gapsIn(sources, new Set(running), SPAN).map(({ isLost }) => isLost);
    expect(lost([source(a, 1, [50, 150], "crashed"), source(a, 2, [160, 170])], [a])).toEqual([true, false]);
    expect(lost([source(a, 1, [50, 150])], [])).toEqual([true]);
  });
});
