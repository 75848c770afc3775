/**
 * What membership needs of the rest of the node, and what it is told at its start.
 */

import type { AccountId, NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { RowData } from "../ledger/row.ts";
import type { Outgoing } from "../wire/outbox.ts";
import type { WireRange } from "../wire/wire-range.ts";
import type { Testimony } from "./hearing.ts";
import type { LongestIsland } from "./longest-island.ts";
import type { LongestSession } from "./longest-session.ts";
import type { MemberMessage } from "./member-messages.ts";
import type { Sizes } from "./tiers.ts";
import type { View } from "./view.ts";
import type { Statement } from "./witness.ts";

/** Why this identity is over. */
export type StopReason = "left" | "removed" | "newer-incarnation";

/** What membership needs of the rest of the node. All of it is called in the course of a step, and has its writes in the same outbox. */
export interface MembersApp {
  /** All accounts of which there is a row. */
  accounts(): AccountId[];
  /** What is known of their rows. */
  copies(accounts: readonly AccountId[]): RowData[];
  /** Takes in rows that were decided with a view; told before the view is. */
  mergeDecided(rows: readonly RowData[]): void;
  /** There is a new view; `writes` and `pot` are as of it already. */
  viewChanged(view: View, now: Instant): void;
  /** Sessions, line and whatever else an heir needs: plain data, the same again while nothing is admitted or extended. */
  tables(): unknown;
  /** `from` has left to this node. The tables come before the slots of the accounts are used. */
  takeOver(from: NodeId, accounts: readonly AccountId[], rows: readonly RowData[], tables: unknown, now: Instant): void;
  stoppedBy(reason: StopReason): void;
  /** An heir that is lost may have let in sessions on this node's slots, and nobody knows them. */
  heirLost(): void;
  /** Whether this node's disk is known not to be an old one, which could have forgotten what this node voted for. */
  isInStep(): boolean;
  /** Whether this node knows all gifts and counts of its accounts that others know of. */
  mayHandOver(): boolean;
  /** Whether slots of its accounts may be in use of which this node knows nothing. */
  hasLostCounts(): boolean;
  /** The newest pledge has been acknowledged: what it allows may be held. */
  pledgeCounts?(): void;
  /** Saying what this node held, if it was removed, and hearing others that were; nobody is heard where it is left out. */
  readonly testimony?: TestimonyApp;
  log(text: string): void;
}

/** What is to be known of slots and sessions where a removed node returns. */
export interface TestimonyApp {
  /** What this node can say of itself; undefined if it cannot know that this is all. */
  statement(): Statement | undefined;
  /** Whether this node may lack gifts that it was given. */
  lacksGifts(): boolean;
  /** Whether it may use slots that come free, and knows what of its own are in use. */
  mayHear(): boolean;
  /** Why the tables cannot be taken; undefined if they can. */
  problemOf(said: Testimony): string | undefined;
  /** Holds what was said to be held: everything else of those accounts is free from now on. They are in no pot any more. */
  take(said: Testimony): void;
}

export interface MembersOptions {
  readonly self: NodeId;
  readonly locality: string;
  /** Above those of earlier starts of this identity. */
  readonly incarnation: number;
  readonly leaseMs: number;
  readonly islandMs: number;
  /** A real minute if left out. */
  readonly minuteMs?: number;
  /** Everything that was put and not removed; entries of other parts of the node may be among it. */
  readonly restored: ReadonlyMap<string, unknown>;
  /** Whether a node without a view founds a mesh; else it asks to be taken in. */
  readonly found: boolean;
  readonly outbox: Outgoing<MemberMessage>;
  readonly random: () => number;
  readonly app: MembersApp;
  /** How long sessions last and lasted, where that is known already; else nothing is known of it. */
  readonly sessions?: LongestSession;
  /**
   * Island times that apply, where they are known already; otherwise this node has the one above, and knows no other.
   */
  readonly islands?: LongestIsland;
  /** From which size on the mesh has two tiers; a test may have it smaller. */
  readonly sizes?: Sizes;
  /** The wire versions that this release understands; a test may claim others. */
  readonly understands?: WireRange;
}
