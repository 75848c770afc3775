/**
 * A node's status, read from its rooms at one instant.
 */

import type { AccountId } from "../mesh/core/ids.ts";
import type { LiveRoom } from "./live-room.ts";
import type { NodeStatus, RoomState, RoomStatus } from "./status.ts";

export interface StatusSource {
  readonly version: string;
  readonly account: AccountId;
  readonly meshId: string;
  readonly locality: string;
  readonly minuteMs: number;
  readonly startedMs: number;
  readonly nowMs: number;
  readonly warnings: readonly string[];
  readonly rooms: readonly LiveRoom[];
}

export function statusOf(source: StatusSource): NodeStatus {
  const { version, account, meshId, locality, minuteMs, startedMs, nowMs, warnings, rooms } = source;
  return {
    version,
    node: account,
    locality,
    mesh: meshId,
    uptime_seconds: Math.floor((nowMs - startedMs) / 1_000),
    minute_ms: minuteMs,
    now_ms: nowMs,
    warnings,
    rooms: rooms.map((live) => roomStatusOf(live, nowMs)),
    members: [{ node: account, locality, state: "alive", self: true }],
  };
}

function roomStatusOf({ id, room, admission }: LiveRoom, nowMs: number): RoomStatus {
  const { waiting } = admission;
  const mustWait = !admission.isOpen(nowMs);
  return {
    id,
    name: room.name,
    state: stateOf(room, mustWait),
    inside: admission.inside(nowMs),
    total_active_users: room.totalActiveUsers,
    waiting,
    admitted_this_minute: admission.admittedInMinute(nowMs),
    new_users_per_minute: room.newUsersPerMinute,
    wait_seconds: mustWait ? (admission.waitAt(waiting + 1, nowMs)?.seconds ?? null) : 0,
  };
}

function stateOf(room: LiveRoom["room"], mustWait: boolean): RoomState {
  if (room.suspended) return "suspended";
  if (room.queueAll) return "held";
  if (room.queueingMethod === "passthrough") return "passthrough";
  if (room.queueingMethod === "reject") return "rejecting";
  return mustWait ? "queueing" : "open";
}
