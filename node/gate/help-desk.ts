/**
 * Says where a visitor is who is looked for by the number on the page, when the gate answers that visitor.
 */

import { minutePlus, startOfMinuteMs } from "../../mesh/core/minute.ts";
import type { InsideCookie } from "../cookie/seal.ts";
import type { End, Request } from "./steps.ts";
import { supportId } from "./support-id.ts";

export function tellHelpDesk({ live, nowMs, minuteMs, joinedMs = nowMs }: Request, end: End): void {
  const { helpDesk } = live.meshRoom;
  if (end.kind === "let in") {
    const { cookie, lastGood } = end.session;
    tellOfSession({ live, minuteMs }, cookie, lastGood);
  } else if (end.kind === "gone" && end.taken !== undefined) {
    helpDesk.seen(supportId(end.taken.id), { state: "waiting", sinceMs: end.taken.bucketId });
  } else if (end.kind === "wait" && end.id !== undefined) {
    const { id, decision } = end;
    const sinceMs = Math.floor(joinedMs);
    if (decision.kind !== "waiting") {
      helpDesk.seen(supportId(id), { state: decision.kind === "unproved" ? "unproved" : "waiting", sinceMs });
      return;
    }
    const { position, place } = decision;
    const waitSeconds = place.wait?.isKnown ? { waitSeconds: place.wait.seconds } : {};
    helpDesk.seen(supportId(id), { state: "waiting", sinceMs, position, ...waitSeconds });
  }
}

export function tellOfSession(
  { live, minuteMs }: Pick<Request, "live" | "minuteMs">,
  { id, acceptedAt }: InsideCookie,
  lastGood: InsideCookie["lastGood"],
): void {
  const untilMs = startOfMinuteMs(minutePlus(lastGood, 1), minuteMs);
  live.meshRoom.helpDesk.seen(supportId(id), { state: "inside", sinceMs: Math.floor(acceptedAt), untilMs });
}
