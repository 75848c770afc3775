/** How long a room's document lets sessions last, at any time: its events count with it, so all nodes know in time. */

import { SESSION_MINUTES_MAX } from "../../mesh/core/members/longest-session.ts";
import { isObject } from "../config/is-object.ts";

/** Minutes; 0 for a room that was deleted, and the longest there may be where the document does not say. */
export function sessionMinutesOf(document: string | undefined): number {
  if (document === undefined) return 0;
  const room = roomIn(document);
  const events: readonly unknown[] = Array.isArray(room?.events) ? room.events : [];
  const set = events.map((event) => (isObject(event) ? event.session_duration : event)).filter(isGiven);
  return Math.max(...[room?.session_duration, ...set].map(minutesOr));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function minutesOr(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : SESSION_MINUTES_MAX;
}

function roomIn(document: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const room: unknown = JSON.parse(document);
    return isObject(room) ? room : undefined;
  } catch {
    // The node continues: a member may have written anything. At worst slots are held for too long.
    return undefined;
  }
}
