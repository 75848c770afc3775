/**
 * The rules of votes, explored: three voters, two or three of whom try at once to have different views decided.
 *
 * Every message may come late, doubled, out of order or never, and nodes are killed and start again from their disks. A
 * view's number is decided once: nobody ever knows another view by it. And no voter takes back what it has promised or
 * voted for.
 */

import type { WorldExplored } from "./explore.ts";
import { firstDisk, takesBack, VOTERS, type VoteEvent, type VoteFacts, VoteNode } from "./vote-node.ts";
import { type Choice, exploreWorld } from "./world.ts";

export interface VoteBounds {
  /** Tries of each node. */
  readonly tries: readonly number[];
  /** Whether views are sent, and nodes continue in them; otherwise they stop at what they themselves decided. */
  readonly isTold: boolean;
  /** Who may be killed. */
  readonly mortal: readonly number[];
  readonly restart: number;
  readonly kill?: number;
}

export function exploreVotes({ tries, isTold, mortal, restart, kill = 0 }: VoteBounds): WorldExplored {
  const budgets = Object.fromEntries(tries.map((count, node) => [`try ${node}`, count]));
  return exploreWorld<VoteEvent, VoteFacts>({
    nodes: VOTERS,
    disks: VOTERS.map(firstDisk),
    start: (self, disk) => new VoteNode(self, disk),
    hears: ({ view }, { message }) => isTold || (view.number === 1 && message.kind !== "decided"),
    budgets: { ...budgets, restart, kill },
    mayDie: (node) => mortal.includes(node),
    choices: ({ node, facts }, left): Choice<VoteEvent>[] =>
      (isTold || facts.view.number === 1) && (left[`try ${node}`] ?? 0) > 0
        ? [{ name: "tries", event: { kind: "try" }, takes: `try ${node}` }]
        : [],
    broken: decidedTwice,
    brokenStep: (before, after) => takesBack(before.votes, after.votes),
  });
}

/** The law that a view's number is decided once, if it is broken. `known`: views that a node has known, by number. */
export function decidedTwice(all: readonly { readonly known: ReadonlyMap<number, string> }[]): string | undefined {
  const decided = new Map<number, string>();
  for (const { known } of all)
    for (const [number, view] of known) {
      const other = decided.getOrInsert(number, view);
      if (other !== view) return `view ${number} is decided once: ${view} is not ${other}`;
    }
  return undefined;
}
