/**
 * How long a place is kept for a visitor who does not ask: the estimated wait and a grace (`place_kept_minutes`).
 *
 * The estimate is in the visitor's cookie, so that every gate of a mesh keeps the place for the same time, and no node
 * stores it. A cookie is good for half a grace longer than was promised with it: so it is written again only after that
 * time, or when the wait becomes longer, and each poll renews the promise.
 */

import type { Room } from "../config/room.ts";

/** What a room says about places. */
export type KeepingRoom = Pick<Room, "placeKeptMinutes" | "refreshIntervalSeconds">;

/** What a cookie says about its place: when it was written, in Unix ms, and the wait that was estimated then. */
export interface KeptPlace {
  readonly lastCheckInTime: number;
  readonly waitSeconds?: number;
}

export interface KeptBy {
  readonly room: KeepingRoom;
  readonly minuteMs: number;
}

/**
 * Refresh intervals for which a place is kept at least, when they are long compared with the grace: two lost polls and
 * some.
 */
const GRACE_INTERVALS = 5;

/**
 * How much longer than promised a cookie is good, as a part of the grace. At half of it, cookies are sealed twice as
 * often.
 */
const SPARE_PART = 0.5;

/**
 * No place is kept longer without a poll. A cookie can be read for a day at least: then its key may be retired
 * (`cookie/seal.ts`).
 */
const KEPT_MS_MAX = 86_400_000;
export const KEPT_SECONDS_MAX = KEPT_MS_MAX / 1_000;

/** The grace of a room, in whole minutes, as its page states it. */
export function graceMinutes({ placeKeptMinutes, refreshIntervalSeconds }: KeepingRoom): number {
  return Math.max(placeKeptMinutes, Math.ceil((GRACE_INTERVALS * refreshIntervalSeconds) / 60));
}

/** How long a place is kept after a poll, beyond the estimated wait. */
function graceMs({ room, minuteMs }: KeptBy): number {
  const { placeKeptMinutes, refreshIntervalSeconds } = room;
  return Math.max(placeKeptMinutes * minuteMs, GRACE_INTERVALS * refreshIntervalSeconds * 1_000);
}

/** How long a cookie is good after it was written, in ms. */
export function keptMs({ waitSeconds = 0 }: Pick<KeptPlace, "waitSeconds">, by: KeptBy): number {
  return Math.min(KEPT_MS_MAX, waitSeconds * 1_000 + graceMs(by) * (1 + SPARE_PART));
}

/**
 * Whether a cookie that was written at `lastCheckInTime` still keeps the place for as long as is promised at `nowMs`.
 */
export function keepsPromise(cookie: KeptPlace, waitSeconds: number, by: KeptBy & { readonly nowMs: number }): boolean {
  const endMs = cookie.lastCheckInTime + keptMs(cookie, by);
  // Promised for the longest time, a place is kept by a cookie that is written again after the same spare time.
  const promisedMs = Math.min(KEPT_MS_MAX - graceMs(by) * SPARE_PART, waitSeconds * 1_000 + graceMs(by));
  return by.nowMs + promisedMs < endMs;
}

/**
 * For how many minutes the id of a visitor who came in is remembered, so that the cookie of the place admits nobody
 * else.
 */
export function rememberMinutes(by: KeptBy): number {
  return Math.ceil(keptMs({}, by) / by.minuteMs);
}
