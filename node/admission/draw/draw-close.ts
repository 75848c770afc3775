/**
 * Who counts in a draw or a shuffle: those who were there at its close, the start of the event.
 *
 * A program may take ten thousand places in a second, ask for none of them again, and come back with those that were
 * drawn to the front. So only visitors count who joined or asked in the last refresh intervals before the close. Their
 * cookie says so: it is written again once in that time. So every gate knows it, whatever it could hear of others.
 */

import type { Room } from "../../config/room.ts";
import { GONE_AFTER_INTERVALS } from "../line.ts";
import { KEYS_PER_MS } from "../queue-order.ts";

type DrawingRoom = Pick<Room, "draw" | "event" | "events" | "refreshIntervalSeconds">;

/** What a cookie says about its place: when it was written, and the queue key of joining. */
interface AskedPlace {
  readonly key: number;
  readonly lastCheckInTime: number;
}

/**
 * The moments from which and until which a visitor must ask to count, in Unix ms; undefined without draw or shuffle,
 * and where the pre-queue is too short for everybody to ask in it.
 */
export function closeOf({ draw, event, events = [], refreshIntervalSeconds }: DrawingRoom): Close | undefined {
  const atMs = draw?.startMs ?? (event?.shuffles === true ? event.startMs : undefined);
  const prequeueMs = events.find(({ startMs }) => startMs === atMs)?.prequeueMs;
  if (atMs === undefined || prequeueMs === undefined) return undefined;
  const fromMs = atMs - GONE_AFTER_INTERVALS * refreshIntervalSeconds * 1_000;
  return fromMs < prequeueMs ? undefined : { fromMs, atMs };
}

export interface Close {
  readonly fromMs: number;
  readonly atMs: number;
}

/** Whether the cookie must be written again, so that its visitor counts. */
export function isToSay(cookie: AskedPlace, room: DrawingRoom, nowMs: number): boolean {
  const close = closeOf(room);
  if (close === undefined || nowMs < close.fromMs || nowMs >= close.atMs) return false;
  return cookie.lastCheckInTime < close.fromMs;
}

/** Whether the visitor joined before the close, and was not there at it: the place is behind those who were. */
export function missed({ key, lastCheckInTime }: AskedPlace, { fromMs, atMs }: Close, nowMs: number): boolean {
  return nowMs >= atMs && key < atMs * KEYS_PER_MS && lastCheckInTime < fromMs;
}
