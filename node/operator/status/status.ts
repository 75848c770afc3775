/**
 * What a node reports about itself and its mesh: the shape of `GET /v1/status`, of `anteroom status --json` and of the
 * demo's table. Field names are the API's, hence snake_case.
 *
 * Numbers of the mesh are what the answering node has heard: up to a second or two old, and those of a cut-off node are
 * its last ones. No admission depends on them. What a node says about itself (`…_here`, its own shares) is exact. With
 * one node both are the same.
 */

import type { IdleReason } from "../../admission/mesh/room-messages.ts";
import type { Reason } from "../../admission/pace/pace.ts";
import type { ApiEventNow, ApiNextEvent } from "../../rooms/api-room.ts";
import type { RoomsFileStatus } from "../../rooms/declared-rooms.ts";
import type { PassResult, ProofCount } from "../../rooms/room-counts.ts";
import type { OrderStatus } from "../../rooms/room-order.ts";

/** What a room does with a new visitor now, as one word. */
export type RoomState = "free" | "queueing" | "prequeue" | "held" | "passthrough" | "rejecting" | "suspended";

/** One locality's part in a room. */
export interface RoomLocality {
  readonly locality: string;
  /** The node that hands out tickets and keeps the line here; null while there is none alive. */
  readonly ticket_counter: string | null;
  /** Nodes of the locality that are alive. */
  readonly nodes: number;
  /** Slots for sessions that these nodes have free. */
  readonly free: number;
  readonly waiting: number;
  readonly admitted_this_minute: number;
}

/**
 * Which node may use a share: the node that answers (`own`), another member (`member`), or the heir of a lost node once
 * its sessions must be over (`pot`). Or none for now: its node does not answer and has no heir yet (`lost`), or it uses
 * nothing of the room until it knows how much of it is in use (`held`).
 */
export type ShareState = "own" | "member" | "pot" | "lost" | "held";

/** `silent`: its node does not answer, and has not been removed yet. */
export type IdleWhy = IdleReason | "silent";

/** What an account owns of a room. */
export interface ShareStatus {
  readonly account: string;
  /** The node that writes the account's row; null when no member does. */
  readonly node: string | null;
  /** Slots at the room's present limits. */
  readonly active_slots: number;
  readonly arrivals_slots: number;
  readonly state: ShareState;
  /** Unix ms at which all of the share is usable again, at the latest; null for one in use or without a known end. */
  readonly idle_until_ms: number | null;
  /** For an idle share. */
  readonly idle_reason?: IdleWhy;
  /** Unix ms at which its node was removed. */
  readonly idle_since_ms?: number;
  /**
   * Of a silent node: Unix ms at which it is removed if it stays silent. Then most of the share is usable again: all
   * but the slots that the node may hold.
   */
  readonly removal_ms?: number;
  /** All accounts of the share, where these are several. */
  readonly accounts?: readonly string[];
}

/** How much of a room is idle on all nodes, as they report it. */
export interface IdleStatus {
  readonly active_slots: number;
  readonly arrivals_slots: number;
  /** Of all slots for sessions, from 0 to 1. */
  readonly part: number;
  /** When the last of it is usable again, at the latest, as Unix ms; null if nothing is idle or an end is not known. */
  readonly until_ms: number | null;
}

export interface PaceStatus {
  readonly reason: Reason;
  /** The reason and its figure, as a clause. */
  readonly words: string;
  /** New visitors that all nodes together may admit per minute. */
  readonly per_minute: number;
  /**
   * Part of the new visitors that is held back because of failed requests, 0 to 1; null if another reason holds them
   * back.
   */
  readonly held_back: number | null;
  /** When the ramp last began, in unix ms; null without a ramp. */
  readonly ramp_started_ms: number | null;
}

/** One origin behind a room, as the answering node has it. */
export interface TargetStatus {
  readonly url: string;
  readonly state: "up" | "down";
  /** Unix ms at which it came up or went down, or became known here. */
  readonly since_ms: number;
  /** Why it is down; null while it is up. */
  readonly reason: string | null;
  /** Null for the origin of a rollout, whose part is the rollout's percentage. */
  readonly weight: number | null;
  /**
   * Sessions that were seen at the answering node in the last minute, and their part of all, from 0 to 1; null of none.
   */
  readonly sessions_here: number;
  readonly share_here: number | null;
  /** Requests in the last minute, and failed ones (no answer, or a status of 500 and above). */
  readonly requests_here: number;
  readonly failures_here: number;
}

export interface OriginStatus {
  /** Whether any target that takes new sessions is up; while none is, nobody is admitted. */
  readonly reachable: boolean;
  readonly targets: readonly TargetStatus[];
  /** Null if there is none, and no recent one to report. */
  readonly rollout: {
    readonly to: string;
    readonly state: "running" | "stopped" | "reversed";
    /** Of new sessions, now. */
    readonly percent: number;
    readonly started_ms: number;
    /** The whole rollout in one sentence, with the reason. */
    readonly words: string;
  } | null;
}

export interface RoomStatus {
  readonly id: string;
  readonly name: string;
  readonly state: RoomState;
  /** Null while the room works as its document says. */
  readonly operator_order: OrderStatus | null;
  /** The event that applies now, or whose visitors are held in line. */
  readonly event: ApiEventNow | null;
  /** The event that begins next. */
  readonly next_event: ApiNextEvent | null;
  /** Slots held by sessions now, on all nodes. */
  readonly inside: number;
  /** The same on the answering node. */
  readonly inside_here: number;
  readonly total_active_users: number;
  /** Visitors in line, in all localities. */
  readonly waiting: number;
  /** Those in the line that the answering node keeps; 0 where another node is the ticket counter. */
  readonly waiting_here: number;
  /** Admitted in the running minute, by all nodes. */
  readonly admitted_this_minute: number;
  /** The same by the answering node. */
  readonly admitted_here_this_minute: number;
  readonly new_users_per_minute: number;
  /** Estimated wait of a visitor who joins the line now; null if unknown (held). */
  readonly wait_seconds: number | null;
  /** Passes that the answering node has seen since its start, by what became of them. */
  readonly passes_here?: Readonly<Record<PassResult, number>>;
  /** The same of proofs of work. */
  readonly proofs_here?: Readonly<Record<ProofCount, number>>;
  /** What holds new visitors back besides the limits, at the answering node; null while nothing does. */
  readonly pace: PaceStatus | null;
  /** By name of the locality. */
  readonly localities: readonly RoomLocality[];
  /**
   * For all accounts that own something; the answering node's first. Every node reports idle shares as their heirs do.
   */
  readonly shares: readonly ShareStatus[];
  /** Left out by a node under pressure. */
  readonly idle?: IdleStatus;
  readonly origin?: OriginStatus;
}

/**
 * Whether a node may admit and extend sessions. A mesh of one or two nodes needs no lease: theirs are `held` and never
 * run out.
 */
export type LeaseState = "held" | "none";

export interface MemberStatus {
  /** The node's whole id. */
  readonly node: string;
  /** What its operator calls it; absent where unknown. */
  readonly name?: string;
  readonly locality: string;
  readonly state: "alive" | "unreachable" | "left" | "removed";
  /** Whether this is the node that answers. */
  readonly self: boolean;
  /** Unix ms at which the others remove it, if it stays silent; null where it answers, or nobody can remove it. */
  readonly removal_ms?: number | null;
  /** Of the last heartbeat; null for the answering node itself, and for those that do not answer. */
  readonly round_trip_ms: number | null;
  /**
   * How far its clock is ahead of the answering node's; null where unknown. For the answering node: ahead of the median
   * of its peers.
   */
  readonly clock_offset_ms: number | null;
  /** Null if unknown: a node reports it only about itself. */
  readonly lease: LeaseState | null;
  /** Null for one that does not run out. */
  readonly lease_seconds_left: number | null;
  /** The anteroom version there, as far as known. */
  readonly version?: string;
  /** The addresses at which it is dialled, as multiaddr text. */
  readonly addresses?: readonly string[];
  /** The newest wire version that it understands; null if unknown. */
  readonly newest_wire?: number | null;
  /** Whether it votes on the next view. */
  readonly voter: boolean;
}

/** Counted since the start of the answering node. */
export interface GossipCounters {
  readonly frames_sent: number;
  readonly frames_received: number;
  readonly bytes_sent: number;
  readonly bytes_received: number;
  /** Frames that were not used, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Peers cut off for what they sent. */
  readonly peers_punished: number;
}

export interface NodeStatus {
  readonly version: string;
  /** The whole id of the answering node. */
  readonly node: string;
  /** What its operator calls it. */
  readonly name?: string;
  /** By whole id: the names of all nodes in this status, as far as known, former members included. */
  readonly names?: Readonly<Record<string, string>>;
  readonly locality: string;
  readonly mesh: string;
  readonly uptime_seconds: number;
  readonly minute_ms: number;
  /** Unix ms of the answering node's clock. */
  readonly now_ms: number;
  /** Warnings for operators, the most serious first; empty when all is well. */
  readonly warnings: readonly string[];
  /** Absent for a node without a rooms file. */
  readonly rooms_file?: RoomsFileStatus;
  /** Wire versions: the one that the mesh speaks, and the newest that this release understands. */
  readonly wire: { readonly speaks: number; readonly newest: number };
  /** The agreed list of members that applies here; null for a node that has not joined yet. */
  readonly view: { readonly number: number; readonly members: number; readonly voters: number } | null;
  /** Of the answering node. */
  readonly lease: LeaseState;
  readonly clock: {
    /** How far this node's clock is ahead of the median of its peers; null without peers. */
    readonly offset_ms: number | null;
    /** Whether the node admits and gives nothing because its clock is too far off. */
    readonly holds_back: boolean;
  };
  /** What the loss of a node costs, with the longest session that counts. */
  readonly cut_off?: {
    /** How long an active visitor of a cut-off gate can browse. */
    readonly browses_ms: number;
    /** How long the share of a lost node is idle at most. */
    readonly idle_ms: number;
  };
  readonly gossip?: GossipCounters;
  /** Pressure on the answering node, from 0 (none) to 3: from 1 on, details of this status are left out. */
  readonly pressure?: {
    readonly level: number;
    readonly since_ms: number;
    /** How late its timers come. */
    readonly lag_ms: number;
    /** Part of its memory in use, from 0 to 1. */
    readonly memory: number;
  };
  readonly rooms: readonly RoomStatus[];
  /** The members of the view, those that are joining or leaving, and removed ones whose shares are still idle. */
  readonly members: readonly MemberStatus[];
}
