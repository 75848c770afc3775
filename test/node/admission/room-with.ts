/** A room as most tests have it: ten slots, ten new visitors a minute, sessions of five minutes, polls 20 s apart. */

import type { Room } from "../../../node/config/room.ts";
import { parseRoom } from "../../../node/config/room-document.ts";

export function roomWith(change: Partial<Room> = {}): Room {
  const parsed = parseRoom({ name: "shop", host: "*", total_active_users: 10, new_users_per_minute: 10 });
  if (!parsed.ok) throw new Error("unreachable");
  return { ...parsed.value, ...change };
}
