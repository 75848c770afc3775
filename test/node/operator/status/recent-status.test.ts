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

test("readers within a second share one status", () => {
  const { at, status } = counted();
  const first = status.recent();
  at.steadyMs = 999;
  expect(status.recent()).toBe(first);
  at.steadyMs = 1_000;
  expect(status.recent()).not.toBe(first);
  expect(at.reads).toBe(2);
});

test("they share the one that was made for another reader", () => {
  const { status } = counted();
  const made = status.now();
  expect(status.recent()).toBe(made);
});

test("a status from before a change of rooms is not shared", () => {
  const { at, status } = counted();
  const before = status.now();
  at.changes += 1;
  expect(status.recent()).not.toBe(before);
});

test("the status of now is always made", () => {
  const { at, status } = counted();
  expect([status.now().now_ms, status.now().now_ms]).toEqual([1, 2]);
  expect(at.reads).toBe(2);
});
