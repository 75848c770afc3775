/**
 * What stands between the demo's crowd and its shop: one gate in this process, or a mesh of nodes.
 */

import type { Room } from "../../node/config/room.ts";
import { parseRoom } from "../../node/config/room-document.ts";
import type { RoomStatus } from "../../node/operator/status/status.ts";
import type { Watched } from "../crowd/starved.ts";
import type { DemoOptions } from "../demo-options.ts";

export const ROOM_NAME = "shop";

export interface Stage {
  /** Base URLs of the gates, the one for a browser first. */
  readonly gates: readonly string[];
  /** The room as it is now, as far as it is known. */
  readonly room: () => RoomStatus;
  /** Admitted in the running minute, as those that admit count. */
  readonly admittedThisMinute: () => number;
  /** Ends a node without warning; says which. Undefined where there is none to spare. */
  readonly kill: () => string | undefined;
  /** Its processes besides this one. */
  readonly processes: () => readonly Watched[];
  readonly stop: () => Promise<void>;
}

/** Refresh interval of a real room, scaled to the shortened minute. */
const REFRESH_SECONDS = 20;

/** The demo's room as a document. */
export function demoRoomDocument({ limit, perMinute, minuteMs }: DemoOptions): Readonly<Record<string, unknown>> {
  return {
    name: ROOM_NAME,
    host: "*",
    total_active_users: limit,
    new_users_per_minute: perMinute,
    session_duration: 1,
    refresh_interval_seconds: Math.max(1, Math.round((REFRESH_SECONDS * minuteMs) / 60_000)),
    json_response_enabled: true,
  };
}

/** The demo's room. */
export function demoRoom(options: DemoOptions): Room {
  const room = parseRoom(demoRoomDocument(options));
  if (!room.ok) throw new Error(`Cannot create the demo's room: ${JSON.stringify(room.problems)}`);
  return room.value;
}

/** The demo's room among `rooms`. */
export function demoRoomIn(rooms: readonly RoomStatus[]): RoomStatus {
  const room = rooms.find(({ name }) => name === ROOM_NAME);
  if (room === undefined) throw new Error("Cannot run the demo as its room is gone");
  return room;
}
