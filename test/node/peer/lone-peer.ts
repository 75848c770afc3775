/**
 * The part in it of the only node of a mesh: it owns everything, and needs nobody. On a clock that only the test moves.
 */

import { accountOf, type NodeId } from "../../../mesh/core/ids.ts";
import { incarnationOf, Peer } from "../../../node/peer/peer.ts";
import type { MeshIdentity } from "../../../node/storage/identity.ts";

export const SELF = "node1" as NodeId;

export const MESH: MeshIdentity = {
  meshId: "0123456789abcdef",
  meshKey: new Uint8Array(32).fill(7),
  founder: accountOf(SELF),
};

export function lonePeer(options: {
  minuteMs: number;
  clock: () => number;
  /** What was on disk; nothing for a mesh that is founded now. */
  restored?: ReadonlyMap<string, unknown>;
}): Peer {
  const { minuteMs, clock, restored = new Map() } = options;
  const nowMs = clock();
  return new Peer({
    self: SELF,
    locality: "here",
    incarnation: incarnationOf(restored, nowMs),
    meshId: MESH.meshId,
    founder: MESH.founder,
    founds: restored.size === 0,
    hasSeeds: false,
    minuteMs,
    leaseMs: 30_000,
    restored,
    signatures: { sign: () => new Uint8Array(1), verify: () => true },
    random: () => 0.5,
    now: { wallMs: nowMs, steadyMs: nowMs },
    events: { roomChanged: () => {}, viewChanged: () => {}, over: () => {}, log: () => {}, failed: () => {} },
  });
}
