/**
 * A warning for operators: island times differ between nodes.
 */

import type { Members } from "../../../mesh/core/members/members.ts";
import { timeText } from "../../config/island-figures.ts";
import type { NodeLabels } from "./node-labels.ts";

/** Nodes named; more would hide the repair. */
const NAMED_MAX = 4;

/** The sentence about members with another island time than this node; undefined where all have the same. */
export function differingIslands({ islands }: Pick<Members, "islands">, labels: NodeLabels): string | undefined {
  const { others, ownMs } = islands;
  if (others.length === 0) return undefined;
  const named = others
    .slice(0, NAMED_MAX)
    .map(([node, islandMs]) => `${timeText(islandMs)} at node ${labels.of(node)}`);
  const more = others.length - named.length;
  return `island times differ: ${timeText(ownMs)} at this node, ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}; a lost node's share is idle as for the longest. Restart all nodes, one after the other, with the same --island`;
}
