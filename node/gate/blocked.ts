/**
 * Visitors whom an operator has blocked in a room, as the gate sees them: whether a cookie is one of theirs, and the end
 * of their sessions.
 */

import type { InsideCookie, VisitorCookie } from "../cookie/seal.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import { supportId } from "./support-id.ts";

/** Whether an operator has blocked the visitor; costs nothing where nobody is blocked. */
export function isBlocked({ id }: Pick<VisitorCookie, "id">, live: LiveRoom, nowMs: number): boolean {
  return live.blocked.untilMs > nowMs && live.blockOf(supportId(id), nowMs) !== undefined;
}

/**
 * Ends the session of a blocked visitor. One that is over by its cookie is left alone: the node may know its id no more,
 * and would end another visitor's session for it.
 */
export function endBlockedSession({ id, home, lastGood }: InsideCookie, live: LiveRoom, nowMs: number): void {
  // A connector would go on to let the visitor in: the slot is held.
  if (live.room.queueIt !== undefined || lastGood < live.admission.minuteAt(nowMs)) return;
  live.meshRoom.revoke(id, home, nowMs);
}
