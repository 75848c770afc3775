/**
 * What registers are about, by their keys: a room (its id), an operator's order about a room, the public values of its
 * draws, its blocked visitors, the rooms files that were applied, the generation of the fast lane's keys, webhooks, and
 * tokens of the admin API. The API in Cloudflare's form has two more: ids of a room's events and rules, and settings of zones. A key of
 * another kind comes from a newer release: it is kept and passed on, so that nothing is lost during an upgrade, and has
 * no meaning here.
 *
 * An order has its own register, so that no document written elsewhere at the same time overwrites it. No room's id
 * contains a colon.
 */

import type { RoomId } from "../ids.ts";
import { ROOMS_MAX } from "../wire/shapes.ts";

export type OrderKey = `order:${string}`;
export type DrawValuesKey = `draw-values:${string}`;
export type BlockedKey = `blocked:${string}`;
export const FILES_KEY = "rooms:files";
export const LANE_KEY = "rooms:lane";
export const ZONES_KEY = "rooms:zones";
export type IdsKey = `ids:${string}`;
/** A webhook, by the number of its slot. */
export type WebhookKey = `webhook:${number}`;
/** A token of the admin API, by the number of its slot. */
export type TokenKey = `token:${number}`;
export type RegisterKey =
  | RoomId
  | OrderKey
  | DrawValuesKey
  | BlockedKey
  | IdsKey
  | typeof FILES_KEY
  | typeof LANE_KEY
  | typeof ZONES_KEY
  | WebhookKey
  | TokenKey;

/**
 * Webhooks of a mesh. The slot of a deleted one is used again. Doubled, each node asks twice as many registers each
 * second, and a receiver for each namespace of a large host still finds room.
 */
export const WEBHOOKS_MAX = 64;

/**
 * Slots for tokens. That of a deleted one is used again, so that there is no end to the tokens of a mesh; what was in
 * it does not come back from an old copy, as the register's stamp is older. Twice as many as there may be tokens: two
 * that are made at two nodes at once seldom meet in one slot.
 */
export const TOKEN_SLOTS = 512;

/** Most registers of each kind. */
const KINDS_MAX = {
  room: ROOMS_MAX,
  order: ROOMS_MAX,
  "draw-values": ROOMS_MAX,
  blocked: ROOMS_MAX,
  ids: ROOMS_MAX,
  files: 1,
  lane: 1,
  zones: 1,
  webhook: WEBHOOKS_MAX,
  token: TOKEN_SLOTS,
  later: ROOMS_MAX,
};
export type RegisterKind = keyof typeof KINDS_MAX;

/** Most registers of a mesh. */
export const REGISTERS_MAX = Object.values(KINDS_MAX).reduce((sum, max) => sum + max);

export function orderKey(room: RoomId): OrderKey {
  return `order:${room}`;
}

/** Of the public values that were given for the draws of a room. */
export function drawValuesKey(room: RoomId): DrawValuesKey {
  return `draw-values:${room}`;
}

/** Of the blocked visitors of a room. */
export function blockedKey(room: RoomId): BlockedKey {
  return `blocked:${room}`;
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
  const [kind = ""] = key.split(":");
  return isNamed(kind) ? kind : "later";
}

/** Kinds of which there are several registers; what follows the colon says which. */
const NAMED = ["order", "draw-values", "blocked", "ids", "webhook", "token"] as const;

function isNamed(kind: string): kind is (typeof NAMED)[number] {
  return NAMED.some((each) => each === kind);
}

export function webhookKey(slot: number): WebhookKey {
  return `webhook:${slot}`;
}

export function tokenKey(slot: number): TokenKey {
  return `token:${slot}`;
}

export function isRoomKey(key: RegisterKey): key is RoomId {
  return kindOf(key) === "room";
}

/** The room of an order's key; undefined for other keys. */
export function roomOfOrder(key: RegisterKey): RoomId | undefined {
  return kindOf(key) === "order" ? (key.slice("order:".length) as RoomId) : undefined;
}

/** The room of the key of its draws' values; undefined for other keys. */
export function roomOfDrawValues(key: RegisterKey): RoomId | undefined {
  return kindOf(key) === "draw-values" ? (key.slice("draw-values:".length) as RoomId) : undefined;
}

/** The room of the key of its blocked visitors; undefined for other keys. */
export function roomOfBlocked(key: RegisterKey): RoomId | undefined {
  return kindOf(key) === "blocked" ? (key.slice("blocked:".length) as RoomId) : undefined;
}

/** Whether this many of the kind are too many. */
export function isTooMany(kind: RegisterKind, count: number): boolean {
  return count > KINDS_MAX[kind];
}
