import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Instant } from "../../../../mesh/core/instant.ts";
import { Lease } from "../../../../mesh/core/members/lease.ts";

const [anna, bert, cora] = ["anna", "bert", "cora"] as NodeId[] as [NodeId, NodeId, NodeId];
const VOTERS = [anna, bert, cora];
const OWN = new Set([anna]);

function at(ms: number, steppedMs = 0): Instant {
  return { wallMs: 1_790_000_000_000 + ms + steppedMs, steadyMs: ms };
}

describe("a lease", () => {
  test("lasts 99 % of its time from when a majority was asked", () => {
    const lease = new Lease(1_000);
    expect(lease.leftMs(VOTERS, OWN, at(0))).toBe(0);
    lease.answered(bert, at(0));
    expect(lease.leftMs(VOTERS, OWN, at(300))).toBe(690);
    expect(lease.leftMs(VOTERS, OWN, at(990))).toBe(0);
  });

  test("ends by whichever clock shows more", () => {
    const lease = new Lease(1_000);
    lease.answered(bert, at(0));
    expect(lease.leftMs(VOTERS, OWN, at(100, 500))).toBe(390);
    expect(lease.leftMs(VOTERS, OWN, at(100, -500))).toBe(890);
  });
});
