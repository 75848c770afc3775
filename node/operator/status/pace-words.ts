/**
 * Text about what holds new visitors of a room back: for the log, the status and its screen.
 */

import type { Holding } from "../../admission/pace/pace.ts";
import { isSpecial } from "../../admission/room-config.ts";
import { rampText } from "../../config/ramp.ts";
import type { Room } from "../../config/room.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";

/** What holds new visitors back; undefined also in a room whose limits do not apply, as nothing can there. */
export function holdingIn({ room, meshRoom }: Pick<LiveRoom, "room" | "meshRoom">): Holding | undefined {
  return room.suspended || isSpecial(room) ? undefined : meshRoom.pace.holding;
}

/** One clause, such as "holding back 40 % of new visitors of shop: origin answers 5xx". */
export function paceWords({ name, ramp }: Pick<Room, "name" | "ramp">, holding: Holding): string {
  const { reason, perMinute, share = 0, answers, recentMs, usualMs } = holding;
  const most = `at most ${Math.floor(perMinute).toLocaleString("en-US")} new visitors a minute of ${name}`;
  switch (reason) {
    case "ramp":
      return `letting in ${most}: ${ramp === undefined ? "more each minute after a long hold" : `ramp ${rampText(ramp)}`}`;
    case "paced":
      return `letting in ${most}, evenly: pace`;
    case "down":
      return `letting in nobody to ${name}: its origin is down`;
    case "failing": {
      const how = answers === true ? "origin answers 5xx" : "origin does not answer";
      const part = Math.round(share * 100);
      return part === 0
        ? `letting in ${most}, more each minute: origin failed`
        : `holding back ${part} % of new visitors of ${name}: ${how}`;
    }
    case "slow": {
      const isSlowYet = recentMs !== undefined && usualMs !== undefined && recentMs > usualMs * 2;
      const how = isSlowYet ? `origin takes ${msText(recentMs)}, usually ${msText(usualMs)}` : "origin was slow";
      return perMinute === 0 ? `holding back new visitors of ${name}: ${how}` : `letting in ${most}: ${how}`;
    }
  }
}

function msText(ms: number): string {
  return Number.isFinite(ms) ? `${Math.round(ms).toLocaleString("en-US")} ms` : "too long";
}
