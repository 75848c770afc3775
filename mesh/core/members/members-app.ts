/**
 * What membership needs from the rest of the node, and its initial data.
 */

import type { AccountId, NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { RowData } from "../ledger/row.ts";
import type { Outgoing } from "../wire/outbox.ts";
import type { WireRange } from "../wire/wire-range.ts";
import type { Testimony } from "./hearing.ts";
import type { LongestSession } from "./longest-session.ts";
import type { MemberMessage } from "./member-messages.ts";
import type { View } from "./view.ts";
import type { Statement } from "./witness.ts";

/** Why this identity is over. */
export type StopReason = "left" | "removed" | "newer-incarnation";

/**
 * What membership needs from the rest of the node. All of it is called in the course of a step, and writes to the same
 * outbox.
 */
export interface MembersApp {
  /** All accounts of which there is a row. */
  accounts(): AccountId[];
  /** What is known of their rows; one without entries for an account of which nothing is known. */
  rows(accounts: readonly AccountId[]): RowData[];
  /** There is a new view; `writes` and `pot` are as of it already. */
  viewChanged(view: View, now: Instant): void;
  /**
   * Sessions, line and whatever else an heir needs: plain data, the same again while nothing is admitted or extended.
   */
  tables(): unknown;
  /** `from` has left to this node. The tables come before the slots of the accounts are used. */
  takeOver(from: NodeId, accounts: readonly AccountId[], rows: readonly RowData[], tables: unknown, now: Instant): void;
  stoppedBy(reason: StopReason): void;
  /** A lost heir may have admitted sessions on this node's slots, and no node knows them. */
  heirLost(): void;
  /** Whether this node's disk is known not to be an old one, which could have forgotten what this node voted for. */
  isInStep(): boolean;
  /** Whether this node knows all gifts and counts of its accounts that others know of. */
  mayHandOver(): boolean;
  /** Whether this node knows the time: before, it cannot tell which minutes of a leaver's tables are over. */
  mayTakeOver(): boolean;
  /** Whether slots of its accounts may be in use without this node's knowledge. */
  hasLostCounts(): boolean;
  /** The newest pledge has been acknowledged: what it allows may be held. */
  pledgeCounts?(): void;
  /** Reporting what this node held, if it was removed, and hearing others' reports; if left out, none is heard. */
  readonly testimony?: TestimonyApp;
  log(text: string): void;
}

/** What must be known about slots and sessions when a removed node returns. */
export interface TestimonyApp {
  /** What this node can report about itself; undefined if it cannot know that this is complete. */
  statement(): Statement | undefined;
  /** Whether this node may lack gifts that it was given. */
  lacksGifts(): boolean;
  /** Whether it may use slots that come free, and knows what of its own are in use. */
  mayHear(): boolean;
  /** Why the tables cannot be taken; undefined if they can. */
  problemOf(said: Testimony): string | undefined;
  /**
   * Holds what was reported as held: everything else of those accounts is free from now on. They are no longer in a
   * pot.
   */
  take(said: Testimony): void;
}

/** What a node says about itself when it connects. */
export interface MemberHello {
  readonly locality: string;
  readonly incarnation: number;
  readonly understands?: WireRange | undefined;
}

export interface MembersOptions {
  readonly self: NodeId;
  readonly locality: string;
  /** Above those of earlier starts of this identity. */
  readonly incarnation: number;
  /** Whether there was none: no earlier process of this identity can have granted a lease. Not known if left out. */
  readonly isFirstRun?: boolean | undefined;
  readonly leaseMs: number;
  /** A real minute if left out. */
  readonly minuteMs?: number;
  /** Everything that was put and not removed; entries of other parts of the node may be among it. */
  readonly restored: ReadonlyMap<string, unknown>;
  /** Whether the disk holds everything that the run before has sent; not if left out. */
  readonly isDiskComplete?: boolean;
  /** Whether a node without a view creates a mesh; otherwise it asks to join. */
  readonly found: boolean;
  readonly outbox: Outgoing<MemberMessage>;
  readonly random: () => number;
  readonly app: MembersApp;
  /** How long rooms let sessions last, where that is known already. */
  readonly sessions?: LongestSession;
  /** The wire versions that this release understands; a test may claim others. */
  readonly understands?: WireRange;
}
