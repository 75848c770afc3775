/** One status a second serves all who may read one that is a second old. */

import { expect, test } from "vitest";
import { RecentStatus } from "../../../../node/operator/status/recent-status.ts";
import type { NodeStatus } from "../../../../node/operator/status/status.ts";

function counted() {
  const at = { changes: 0, steadyMs: 0, reads: 0 };
  const status = new RecentStatus({
    read: () => {
      at.reads += 1;
      return { now_ms: at.reads } as NodeStatus;
    },
    changes: () => at.changes,
    steadyMs: () => at.steadyMs,
  });
  return { at, status };
}

test("readers within a second share one status, also one that was made for another reader", () => {
  const { at, status } = counted();
  const first = status.now();
  at.steadyMs = 999;
  expect(status.recent()).toBe(first);
  at.steadyMs = 1_000;
  expect(status.recent()).not.toBe(first);
  expect([status.now().now_ms, at.reads]).toEqual([3, 3]);
});

test("a status from before a change of rooms is not shared", () => {
  const { at, status } = counted();
  const before = status.now();
  at.changes += 1;
  expect(status.recent()).not.toBe(before);
});
