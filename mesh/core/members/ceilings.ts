/** What nodes hold at most, according to their pledges. See pledges.ts and pot-share.ts. */

import type { NodeId, RoomId } from "../ids.ts";

/** The most slots of each room; none for a room that is not named. */
export type Ceilings = readonly (readonly [RoomId, number])[];

/** What is known of one node's pledge. */
export interface KeptPledge {
  readonly node: NodeId;
  readonly version: number;
  /** Everything that its accounts own, in every room. */
  readonly isWhole: boolean;
  readonly rooms: Ceilings;
}
