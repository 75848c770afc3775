/** Until when the share of a silent member is idle, as told to operators, dashboards and alerts. */

import { describe, expect, test, vi } from "vitest";
import { GRACE_MS, MINUTE_MS } from "../../../../mesh/core/minute.ts";
import { idleStatus } from "../../../../node/operator/status/shares.ts";
import { idleMsMax, removalMs, silentEnds } from "../../../../node/operator/status/silent-ends.ts";
import type { ShareStatus } from "../../../../node/operator/status/status.ts";
import { statusOf } from "../../../../node/operator/status/status-of.ts";
import type { Peer } from "../../../../node/peer/peer.ts";
import { GateWorld, START_MS } from "../../gate/gate-world.ts";
import { MESH } from "../../peer/lone-peer.ts";

const LEASE_MS = 30_000;
const NOW = { wallMs: 1_790_000_000_000, steadyMs: 5 };

/** A node whose silent members are removed in `inMs`; sessions were longer before. */
function peerOf(inMs: number | undefined): Peer {
  const members = {
    removalInMs: () => inMs,
    sessions: { longest: 30 },
  };
  return { members, leaseMs: LEASE_MS, roomNode: { minuteMs: MINUTE_MS }, now: NOW } as unknown as Peer;
}

const IDLE_MS = LEASE_MS + 31 * MINUTE_MS + GRACE_MS;

describe("the share of a silent member", () => {
  test("is idle for the longest sessions that may still apply", () => {
    expect(idleMsMax(peerOf(27_000))).toBe(IDLE_MS);
    expect(silentEnds(peerOf(27_000))).toEqual({
      removal_ms: NOW.wallMs + 27_000,
      idle_until_ms: NOW.wallMs + 27_000 + IDLE_MS,
    });
  });

  test("is idle from now on if the removal is due: another member may still hear it", () => {
    expect(removalMs(peerOf(-4_000).members, NOW)).toBe(NOW.wallMs);
    expect(silentEnds(peerOf(-4_000))).toEqual({ removal_ms: NOW.wallMs, idle_until_ms: NOW.wallMs + IDLE_MS });
  });

  test("has no end if nobody can remove it", () => {
    expect(silentEnds(peerOf(undefined))).toEqual({ idle_until_ms: null });
  });
});

test("a member that answers has no time of removal", () => {
  const world = new GateWorld();
  const { peer, rooms, nowMs } = world;
  peer.at({ wallMs: nowMs, steadyMs: nowMs });
  vi.spyOn(peer.members, "removalInMs").mockReturnValue(27_000);
  const source = { version: "1.2.3", peer, meshId: MESH.meshId, startedMs: START_MS, nowMs, warnings: () => [] };
  const { members } = statusOf({ ...source, rooms: rooms.all() });
  expect(members.map(({ self, removal_ms: ms }) => [self, ms])).toEqual([[true, null]]);
});

describe("what is idle of a room", () => {
  const share = (active: number, untilMs: number | null, state: ShareStatus["state"] = "pot"): ShareStatus => ({
    ...{ account: "lost", node: null, state, active_slots: active, arrivals_slots: 0, idle_until_ms: untilMs },
  });
  const until = (...shares: ShareStatus[]) => idleStatus(shares, { totalActiveUsers: 100 }).until_ms;

  test("ends with the last of it", () => {
    expect(until(share(3, 50), share(2, 70), share(90, null, "member"))).toBe(70);
  });

  test("has no known end if one of several is not known: an alert that waits for it waits once", () => {
    expect(until(share(3, 50), share(2, null, "lost"))).toBeNull();
  });

  test("ends when its slots are free: a share without any has no say", () => {
    expect(until(share(3, 50), share(0, null, "lost"), share(0, 90))).toBe(50);
  });
});
