/** The members as an operator sees them, the longest-standing first. */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { MemberParts } from "./member-parts.ts";
import type { MemberState, Reachability } from "./reachability.ts";

export interface MemberStatus {
  readonly node: NodeId;
  readonly locality: string;
  readonly state: MemberState;
  readonly isVoter: boolean;
  /** The newest wire version that it understands; unknown for a node that is not connected. */
  readonly newestWire: number | undefined;
  readonly roundTripMs: number | undefined;
  /** How far its clock is ahead of the own one. */
  readonly clockOffsetMs: number | undefined;
  readonly incarnation: number | undefined;
}

export function memberStatus(parts: MemberParts, reach: Reachability, now: Instant): MemberStatus[] {
  const { self, incarnation, book, heartbeats, tenure, wires } = parts;
  return (book.view?.members ?? []).map(({ node, locality }) => ({
    node,
    locality,
    state: reach.state(node, now),
    isVoter: book.view?.voters.includes(node) ?? false,
    newestWire: wires.newestOf(node),
    roundTripMs: node === self ? 0 : heartbeats.roundTripMs(node),
    clockOffsetMs: node === self ? 0 : heartbeats.offsetMs(node, now),
    incarnation: node === self ? incarnation : tenure.incarnationOf(node),
  }));
}
