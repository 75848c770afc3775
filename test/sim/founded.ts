/**
 * Puts on the disks of all nodes the state of a mesh that was created an hour ago and in which nothing has happened
 * since: one view of all of them. Letting hundreds of nodes join one by one would take longer than the measurement.
 */

import { accountOf } from "../../mesh/core/ids.ts";
import type { View } from "../../mesh/core/members/view.ts";
import { votersOf } from "../../mesh/core/members/voters.ts";
import type { SimNode } from "./sim-node.ts";

const AGO_MS = 3_600_000;

export function foundedBefore(nodes: readonly SimNode[], nowMs: number): void {
  const members = nodes.map(({ identity, locality }) => ({ node: identity, locality, sinceMs: nowMs - AGO_MS }));
  const [founder] = nodes;
  if (founder === undefined) return;
  const root = accountOf(founder.identity);
  const view: View = { number: 1, members, voters: votersOf(members, nowMs), heirs: [], openings: [], root };
  for (const node of nodes) {
    node.disk.put("members/view", view);
    node.disk.put("members/votes", { base: 1, voters: [[node.identity, null]] });
  }
}
