/**
 * What registers are about, distinguished by their keys: a room (its id), an operator's order about a room, the rooms
 * files that were applied, the generation of the fast lane's keys, the ids of a room's events and rules, and settings of
 * zones (both for the API in Cloudflare's form). A key of another kind comes from a newer release:
 * it is kept and passed on, so that nothing is lost during an upgrade, and has no meaning here.
 *
 * An order has its own register, so that no document written elsewhere at the same time overwrites it. No room's id
 * contains a colon.
 */

import type { RoomId } from "../ids.ts";
import { ROOMS_MAX } from "../wire/shapes.ts";

export type OrderKey = `order:${string}`;
export const FILES_KEY = "rooms:files";
export const LANE_KEY = "rooms:lane";
export const ZONES_KEY = "rooms:zones";
export type IdsKey = `ids:${string}`;
export type RegisterKey = RoomId | OrderKey | IdsKey | typeof FILES_KEY | typeof LANE_KEY | typeof ZONES_KEY;

/** Most registers of each kind. */
const KINDS_MAX = { room: ROOMS_MAX, order: ROOMS_MAX, ids: ROOMS_MAX, files: 1, lane: 1, zones: 1, later: ROOMS_MAX };
export type RegisterKind = keyof typeof KINDS_MAX;

/** Most registers of a mesh. */
export const REGISTERS_MAX = Object.values(KINDS_MAX).reduce((sum, max) => sum + max);

export function orderKey(room: RoomId): OrderKey {
  return `order:${room}`;
}

/** Of the ids of the events and rules of a room. */
export function idsKey(room: RoomId): IdsKey {
  return `ids:${room}`;
}

/** What `key` is about; `later` for a key that no node of this release writes. */
export function kindOf(key: string): RegisterKind {
  if (!key.includes(":")) return "room";
  if (key === FILES_KEY) return "files";
  if (key === LANE_KEY) return "lane";
  if (key === ZONES_KEY) return "zones";
  if (key.startsWith("ids:")) return "ids";
  return key.startsWith("order:") ? "order" : "later";
}

export function isRoomKey(key: RegisterKey): key is RoomId {
  return kindOf(key) === "room";
}

/** The room of an order's key; undefined for other keys. */
export function roomOfOrder(key: RegisterKey): RoomId | undefined {
  return kindOf(key) === "order" ? (key.slice("order:".length) as RoomId) : undefined;
}

/** Whether this many of the kind are too many. */
export function isTooMany(kind: RegisterKind, count: number): boolean {
  return count > KINDS_MAX[kind];
}
