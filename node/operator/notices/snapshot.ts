/** The present state of all that notices are about: the first event of a watcher. */

import { isoOf } from "../../iso-time.ts";
import type { MemberStatus, NodeStatus, RoomStatus } from "../status/status.ts";

export interface RoomSnapshot {
  readonly room: string;
  readonly queueing: boolean;
  readonly waiting: number;
  readonly sold_out: boolean;
  /** Left out by a node under pressure. */
  readonly share_idle?: boolean;
  /** Why new visitors are held back below the limits; null while they are not. */
  readonly limit_paced: string | null;
  readonly order: "hold" | "open" | null;
  readonly event: { readonly name: string; readonly phase: string } | null;
  readonly origins_down: readonly string[];
}

export interface Snapshot {
  readonly mesh: string;
  readonly node: string;
  /** ISO 8601. */
  readonly time: string;
  readonly rooms: readonly RoomSnapshot[];
  /** Left out for a token that sees some rooms only. */
  readonly nodes?: readonly {
    readonly node: string;
    readonly name: string | null;
    readonly state: MemberStatus["state"];
  }[];
}

export interface Sight {
  /** Whether a room is shown. */
  readonly shows: (room: string) => boolean;
  readonly showsNodes: boolean;
}

export function snapshotOf({ mesh, node, now_ms, rooms, members }: NodeStatus, { shows, showsNodes }: Sight): Snapshot {
  return {
    ...{ mesh, node, time: isoOf(now_ms) },
    rooms: rooms.filter(({ name }) => shows(name)).map(roomSnapshot),
    ...(showsNodes && { nodes: members.map(({ node: id, name = null, state }) => ({ node: id, name, state })) }),
  };
}

function roomSnapshot({ name, waiting, state, idle, pace, operator_order, event, origin }: RoomStatus): RoomSnapshot {
  return {
    ...{ room: name, queueing: waiting > 0, waiting, sold_out: state === "rejecting" },
    ...(idle !== undefined && { share_idle: idle.active_slots > 0 }),
    limit_paced: pace?.reason ?? null,
    order: operator_order?.order ?? null,
    event: event ? { name: event.name, phase: event.phase } : null,
    origins_down: (origin?.targets ?? []).flatMap(({ url, state: at }) => (at === "down" ? [url] : [])),
  };
}
