/**
 * Why an active visitor lost the session: what kept the node that answers for it from extending it, while no other node
 * had a slot to adopt it.
 *
 * A gate learns only that no node could tell. Here all nodes are visible at once, and the reason is that of the moment
 * of the visitor's last request.
 */

import type { AccountId, RoomId } from "../../mesh/core/ids.ts";
import type { Fate, SimNode } from "./sim-node.ts";

export const THROWN_OUT_REASONS = [
  "the gate was cut off",
  "the gate was no member, or leaving",
  "the home's disk was lost, or found to be old",
  "the home had left, or was forgotten or removed",
  "the home was down",
  "the home was cut off",
  "the home's pot had no slot for it",
  "the home's clock was off",
  "the home had lost its counts",
  "the home knew nothing of it",
  "nobody was asked, or answered, in time",
  "a slot to adopt it on was free at another node",
  "the same, in a room that is held",
] as const;

export type ThrownOutReason = (typeof THROWN_OUT_REASONS)[number];

interface Asked {
  readonly gate: SimNode;
  readonly room: RoomId;
  readonly home: AccountId;
}

const BY_FATE: Readonly<Record<Fate, ThrownOutReason>> = {
  "lost disk": "the home's disk was lost, or found to be old",
  "old disk": "the home's disk was lost, or found to be old",
  forgotten: "the home had left, or was forgotten or removed",
  left: "the home had left, or was forgotten or removed",
  removed: "the home had left, or was forgotten or removed",
  replaced: "the home knew nothing of it",
};

/**
 * Why a session that asked at a gate was not extended. The home is the node that answers for it by the newest view,
 * perhaps an heir.
 */
export function whyNotExtended(nodes: readonly SimNode[], { gate, room, home }: Asked): ThrownOutReason {
  const { peer } = gate;
  if (peer?.roomNode.mayExtend() !== true) {
    const isCutOff = peer?.members.isMember() === true && !peer.members.isStopped;
    return isCutOff ? "the gate was cut off" : "the gate was no member, or leaving";
  }
  // Nobody is let in to a held room, so its slots come free and stay free where they are.
  if (nodes.some((node) => freeAt(node, room) > 0))
    return nodes.some((node) => node.rooms.isHeld(room))
      ? "the same, in a room that is held"
      : "a slot to adopt it on was free at another node";
  const writer = writerOf(nodes, home);
  const node = nodes.find(({ identity }) => identity === writer);
  if (node === undefined) {
    const fate = nodes.map(({ fates }) => fates.get(writer as string as AccountId)).find((each) => each !== undefined);
    return fate === undefined ? "the home knew nothing of it" : BY_FATE[fate];
  }
  if (!node.isRunning || node.peer === undefined) return "the home was down";
  const { members, roomNode } = node.peer;
  const isReached = node === gate || peer.roomNode.isAlive(node.identity);
  if (!isReached || members.lease(node.now) !== "held") return "the home was cut off";
  if (roomNode.potOf(home) !== undefined) return "the home's pot had no slot for it";
  if (roomNode.mayAct(room)) return "the home knew nothing of it";
  return members.mayAct(node.now) && node.peer.isClockTrusted
    ? "the home had lost its counts"
    : "the home's clock was off";
}

/** The writer of an account by the newest view that any running node knows. */
function writerOf(nodes: readonly SimNode[], account: AccountId): string | undefined {
  let newest = 0;
  let writer: string | undefined;
  for (const { peer, isRunning } of nodes) {
    const number = peer?.members.view?.number ?? 0;
    if (!isRunning || number <= newest) continue;
    newest = number;
    writer = peer?.members.writerOf(account);
  }
  return writer;
}

function freeAt({ isRunning, peer }: SimNode, room: RoomId): number {
  if (!isRunning || peer === undefined) return 0;
  return peer.rooms.get(room)?.gauge(peer.roomMs).active ?? 0;
}
