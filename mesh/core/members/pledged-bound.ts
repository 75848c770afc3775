/**
 * The most that removed nodes hold, by what the remaining members know about their pledges.
 *
 * A raise counts when a majority of the voters of its view has acknowledged it, and any two majorities have a voter in
 * common. So the newest version that a majority of the voters knows is not older than the last acknowledged one; and of
 * a newer one that was sent the node obeys the lower.
 *
 * Where a majority of the voters, each of which has forgotten nothing since it learnt the view, knows no pledge in it,
 * none was acknowledged. Then the node has taken nothing in this view, and holds what it held in the one before: the
 * same question is asked of that view and its voters. Nothing is certain of a node whose accounts have become more
 * since, as sessions came with them, nor of a view of one or two, in which nobody pledges.
 */

import type { NodeId, RoomId } from "../ids.ts";
import { SLOTS_MAX } from "../wire/shapes.ts";
import { WITHOUT_LEASE_MAX } from "./authority-to-act.ts";
import type { Ceilings } from "./ceilings.ts";
import type { EarlierPledge, KeptPledge } from "./kept-pledges.ts";
import type { View } from "./view.ts";
import { majorityOf } from "./voters.ts";

/** What a remaining member knows about the removed nodes' pledges. */
export interface PledgesKnown {
  readonly pledges: readonly KeptPledge[];
  readonly earlier: readonly EarlierPledge[];
}

interface Known {
  /** The view that removes them has this one before it, and that one the next; as far as they are known. */
  readonly views: readonly [View, ...View[]];
  readonly answers: ReadonlyMap<NodeId, PledgesKnown>;
}

type Bound = Pick<KeptPledge, "version" | "isWhole" | "rooms">;

const NOTHING: Bound = { version: 0, isWhole: false, rooms: [] };

/**
 * The sum of what `removed` nodes may hold, by room; undefined where it is not known of one, or one pledged all that it
 * owned.
 */
export function ceilingsOf(removed: readonly NodeId[], known: Known): Ceilings | undefined {
  const sums = new Map<RoomId, number>();
  for (const node of removed) {
    const bound = boundOf(node, known);
    if (bound === undefined || bound.isWhole) return undefined;
    for (const [room, slots] of bound.rooms) sums.set(room, Math.min(SLOTS_MAX, (sums.get(room) ?? 0) + slots));
  }
  return [...sums];
}

function boundOf(node: NodeId, { views, answers }: Known): Bound | undefined {
  const [now] = views;
  // A voter that has left is not counted, whichever node votes for it: it took its knowledge along.
  const told = now.voters.flatMap((voter) => answers.get(voter)?.pledges.find((kept) => kept.node === node) ?? []);
  if (told.length >= majorityOf(now.voters)) return newestOf(told);
  for (const view of views) {
    if (view.members.length <= WITHOUT_LEASE_MAX) return undefined;
    if (!view.members.some((member) => member.node === node))
      return accountsIn(now, node).length === 0 ? NOTHING : undefined;
    const before = new Set(accountsIn(view, node));
    if (accountsIn(now, node).some((account) => !before.has(account))) return undefined;
    const sure = view.voters.flatMap((voter) => {
      const answer = answers.get(voter);
      const earlier = answer?.earlier.find((each) => each.node === node);
      return answer === undefined || earlier === undefined || earlier.since > view.number ? [] : { answer, earlier };
    });
    if (sure.length < majorityOf(view.voters)) return undefined;
    const pledges = sure.flatMap(({ answer, earlier: { pledge } }): Bound | [] => {
      if (view === now) return answer.pledges.find((kept) => kept.node === node) ?? [];
      return pledge?.view === view.number ? pledge : [];
    });
    if (pledges.length > 0) return newestOf(pledges);
  }
  return undefined;
}

function newestOf(bounds: readonly Bound[]): Bound | undefined {
  return bounds.toSorted((one, other) => other.version - one.version)[0];
}

/** Accounts that a member writes besides its own. */
function accountsIn({ heirs }: View, node: NodeId) {
  return heirs.flatMap(([account, writer]) => (writer === node ? account : []));
}
