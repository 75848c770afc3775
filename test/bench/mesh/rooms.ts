/**
 * The rooms of a measured mesh: as good as unlimited, so that what is measured never stops for a full room.
 */

import type { RoomDocument } from "../../../node/config/room-document.ts";

/** All nodes are in one, as it is called by default. */
export const LOCALITY = "default";

const LIMIT_MAX = 10_000_000;

/** A room of this name on the path of its name. */
export function openRoom(name: string): RoomDocument & { readonly name: string } {
  return {
    name,
    host: "*",
    path: `/${name}`,
    total_active_users: LIMIT_MAX,
    new_users_per_minute: LIMIT_MAX,
    session_duration: 5,
    json_response_enabled: true,
  };
}
