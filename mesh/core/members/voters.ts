/**
 * Which members vote on the next view: the longest-standing ones that answer, an odd number of them, at most seven.
 *
 * A member that is silent when a view is decided gets no vote in it, if three others answer: it may be gone, and not
 * removed yet, so that the loss of one more would leave no majority. Those that vote on the present view come first: two
 * views that follow each other have voters in common, while members fall silent and return.
 *
 * The second and third vote at once, because two could agree on nothing once one of them is gone. Later ones vote after
 * ten minutes: a node that comes and goes should not be one on whose answer a majority depends. Below three, all vote
 * and all must.
 */

import type { NodeId } from "../ids.ts";
import type { Member } from "./view.ts";

/**
 * How long the fourth and later members must have been members, in ms. Shorter lets a crash loop into the majority;
 * longer leaves a fresh mesh of seven able to survive only one loss.
 */
const STANDING_MS = 600_000;

const AT_ONCE = 3;
export const VOTERS_MAX = 7;

export interface VotersOptions {
  /** The voters of the view before. */
  readonly before?: readonly NodeId[];
  /** Members that do not answer the proposer. */
  readonly silent?: readonly NodeId[] | undefined;
}

/** The voters of a view with `members`, longest-standing first, proposed at `nowMs` in Unix ms. */
export function votersOf(
  members: readonly Member[],
  nowMs: number,
  { before = [], silent = [] }: VotersOptions = {},
): NodeId[] {
  if (members.length < AT_ONCE) return members.map(({ node }) => node);
  const answering = members.filter(({ node }) => !silent.includes(node));
  const eligible = answering.length < AT_ONCE ? members : answering;
  const isVoter = ({ node }: Member) => before.includes(node);
  const inOrder = [...eligible.filter(isVoter), ...eligible.filter((member) => !isVoter(member))];
  let standing = AT_ONCE;
  for (const { sinceMs } of inOrder.slice(AT_ONCE, VOTERS_MAX)) {
    if (nowMs - sinceMs < STANDING_MS) break;
    standing += 1;
  }
  const odd = standing % 2 === 1 ? standing : standing - 1;
  return inOrder.slice(0, odd).map(({ node }) => node);
}

/** How many of `voters` decide: more than half, so any two majorities have a voter in common. */
export function majorityOf(voters: readonly NodeId[]): number {
  return Math.floor(voters.length / 2) + 1;
}
