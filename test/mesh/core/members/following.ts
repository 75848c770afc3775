import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Followed } from "../../../../mesh/core/members/longest.ts";

/** A node that listens to these members. */
export function following(...nodes: readonly NodeId[]): Followed {
  return { isFollowed: (node) => nodes.includes(node), count: nodes.length };
}
