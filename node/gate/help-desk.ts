/**
 * Says where a visitor is who is looked for by the number on the page, when the gate answers that visitor.
 */

import { minutePlus, startOfMinuteMs } from "../../mesh/core/minute.ts";
import type { End, Request } from "./steps.ts";
import { supportId } from "./support-id.ts";

export function tellHelpDesk({ live, nowMs, minuteMs, joinedMs = nowMs }: Request, end: End): void {
  const { helpDesk } = live.meshRoom;
  if (end.kind === "let in") {
    const { cookie, lastGood } = end.session;
    const untilMs = startOfMinuteMs(minutePlus(lastGood, 1), minuteMs);
    helpDesk.seen(supportId(cookie.id), { state: "inside", sinceMs: Math.floor(cookie.acceptedAt), untilMs });
  } else if (end.kind === "wait" && end.id !== undefined) {
    const { id, decision } = end;
    const sinceMs = Math.floor(joinedMs);
    if (decision.kind !== "waiting") {
      helpDesk.seen(supportId(id), { state: "unproved", sinceMs });
      return;
    }
    const { position, place } = decision;
    const waitSeconds = place.wait?.isKnown ? { waitSeconds: place.wait.seconds } : {};
    helpDesk.seen(supportId(id), { state: "waiting", sinceMs, position, ...waitSeconds });
  }
}
