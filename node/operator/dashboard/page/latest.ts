/** What this page has heard last of the node, for all who show a part of it. */

import type { NodeStatus } from "../../status/status.ts";

let latest: NodeStatus | undefined;

export function hear(status: NodeStatus): void {
  latest = status;
}

export function latestStatus(): NodeStatus | undefined {
  return latest;
}

/** What people call a node. */
export function nameOf(node: string): string {
  return latest?.names?.[node] ?? latest?.members.find((member) => member.node === node)?.name ?? node.slice(-8);
}
