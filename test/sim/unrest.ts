/**
 * What is not in order in a simulated mesh after all faults are healed, and what only its operator can mend.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { KnownVersions } from "../../mesh/core/replica/replica-messages.ts";
import type { SimNode } from "./sim-node.ts";

/** What is not in order a while after all faults are healed; empty if everything is. */
export function unrestOf(nodes: readonly SimNode[]): string[] {
  const running = nodes.filter(({ isRunning }) => isRunning);
  const peers = running.map(({ peer }) => peer).filter((peer) => peer !== undefined);
  const views = new Set(peers.map(({ members }) => members.view?.number));
  const problems: string[] = [];
  if (views.size > 1) problems.push(`views ${[...views].join(", ")}`);
  for (const { identity, peer, now } of running)
    if (peer?.members.mayAct(now) === false) problems.push(`${identity} may not act`);
  const digests = new Set(
    peers.map(({ replica }) => {
      const { known, registers } = replica.digest();
      return JSON.stringify([known.map(heldIn).sort(), registers]);
    }),
  );
  if (digests.size > 1) problems.push("states differ");
  return problems;
}

/**
 * What is held of an account, by the versions. Of a former member nobody may have all, and who knew when that was so
 * does not matter.
 */
function heldIn([account, ...logs]: KnownVersions): string {
  const [gifts, counts, giftsBeyond, countsBeyond] = logs;
  return [account, giftsBeyond || gifts, countsBeyond || counts].join(" ");
}

/** Where the operator has to say that members are lost for good, as too few voters are left to remove them. */
export function placesToForget(nodes: readonly SimNode[]): readonly SimNode[] {
  const byView = nodes
    .filter(({ isRunning, peer }) => isRunning && peer?.members.view !== undefined)
    .sort((one, other) => (other.peer?.members.view?.number ?? 0) - (one.peer?.members.view?.number ?? 0));
  // A node that is leaving to a lost one needs the order itself: it alone can withdraw its leave.
  const stuck = byView.filter(({ peer }) => peer?.members.isStopped);
  return [...stuck, ...byView.filter((each) => !stuck.includes(each)).slice(0, 1)];
}

/** Members that a node knows, and that are no more. */
export function lostMembers({ peer }: SimNode, nodes: readonly SimNode[]): readonly NodeId[] {
  const members = peer?.members.view?.members.map((member) => member.node) ?? [];
  return members.filter((member) => !nodes.some(({ identity }) => identity === member));
}
