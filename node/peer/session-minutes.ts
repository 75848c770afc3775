/**
 * Minutes; 0 for a deleted room, and the longest possible where the document does not say.
 */

import { SESSION_MINUTES_MAX } from "../../mesh/core/members/longest-session.ts";
import { isObject } from "../config/is-object.ts";

/** Minutes; 0 for a room that was deleted, and the longest there may be where the document does not say. */
export function sessionMinutesOf(document: string | undefined): number {
  if (document === undefined) return 0;
  const minutes = durationIn(document);
  return typeof minutes === "number" && Number.isInteger(minutes) && minutes > 0 ? minutes : SESSION_MINUTES_MAX;
}

function durationIn(document: string): unknown {
  try {
    const room: unknown = JSON.parse(document);
    return isObject(room) ? room.session_duration : undefined;
  } catch {
    // The node continues: a member may have written anything. At worst slots are held for too long.
    return undefined;
  }
}
