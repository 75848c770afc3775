import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { LongestIsland } from "../../../../mesh/core/members/longest-island.ts";
import { Outbox } from "../../../../mesh/core/wire/outbox.ts";
import { differingIslands } from "../../../../node/operator/status/island-words.ts";
import { nodeLabels } from "../../../../node/operator/status/node-labels.ts";

const now = { wallMs: 0, steadyMs: 0 };

test("island times that differ are named, with the repair; none where all have the same", () => {
  const times = { minuteMs: 60_000, leaseMs: 30_000, islandMs: 120_000 };
  const islands = new LongestIsland({ ...times, restored: new Map(), outbox: new Outbox(), now });
  const labels = nodeLabels(["12D3KooWcora0002"], new Map([["12D3KooWcora0002", "gate3"]]));
  islands.heard("12D3KooWbert0001" as NodeId, { islandMs: 120_000 }, now);
  expect(differingIslands({ islands }, labels)).toBeUndefined();
  islands.heard("12D3KooWcora0002" as NodeId, { islandMs: 600_000 }, now);
  expect(differingIslands({ islands }, labels)).toBe(
    "island times differ: 2 min at this node, 10 min at node gate3; a lost node's share is idle as for the longest. Restart all nodes, one after the other, with the same --island",
  );
});
