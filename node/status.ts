/**
 * What a node tells of itself: the shape of `GET /v1/status`, of `anteroom status --json` and of the demo's table.
 * Field names are the API's, hence snake_case.
 */

/** In one word, what a room does with a new visitor now. */
export type RoomState = "open" | "queueing" | "held" | "passthrough" | "rejecting" | "suspended";

export interface RoomStatus {
  readonly id: string;
  readonly name: string;
  readonly state: RoomState;
  /** Slots held by sessions now. */
  readonly inside: number;
  readonly total_active_users: number;
  readonly waiting: number;
  readonly admitted_this_minute: number;
  readonly new_users_per_minute: number;
  /** Estimated wait of a visitor who joins the line now; null when nothing can be said (held). */
  readonly wait_seconds: number | null;
}

export interface MemberStatus {
  readonly node: string;
  readonly locality: string;
  readonly state: "alive" | "unreachable" | "left" | "removed";
  /** Whether this is the node that answers. */
  readonly self: boolean;
}

export interface NodeStatus {
  readonly version: string;
  readonly node: string;
  readonly locality: string;
  readonly mesh: string;
  readonly uptime_seconds: number;
  readonly minute_ms: number;
  /** Unix ms of the answering node's clock. */
  readonly now_ms: number;
  /** What an operator should know at once, in words; empty when all is well. */
  readonly warnings: readonly string[];
  readonly rooms: readonly RoomStatus[];
  readonly members: readonly MemberStatus[];
}
