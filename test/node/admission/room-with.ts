/** A room as most tests have it: ten slots, ten new visitors a minute, sessions of five minutes, polls 20 s apart. */

import type { Room } from "../../../node/config/room.ts";
import { roomOf, smallest } from "../config/documents.ts";

export function roomWith(change: Partial<Room> = {}): Room {
  return { ...roomOf(smallest({ total_active_users: 10, new_users_per_minute: 10 })), ...change };
}
