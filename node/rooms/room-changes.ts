/**
 * Checks a change of rooms: everything that must hold between rooms, before any of them is changed.
 */

import { isDeepStrictEqual } from "node:util";
import type { RoomId } from "../../mesh/core/ids.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { decidesAlone } from "../admission/room-config.ts";
import { checkOrigins, checkRooms } from "../config/check-rooms.ts";
import { isObject } from "../config/is-object.ts";
import { type Problem, problemAt, shownValue } from "../config/problem.ts";
import type { Room } from "../config/room.ts";
import { roomDocument } from "../config/room-document.ts";
import { amountProblems, documentBytes, documentSizeProblems } from "../config/room-size.ts";
import { cookieNameOf } from "../cookie/cookie-header.ts";
import { isSameSplit, startedRollout } from "../origin/rollout.ts";
import { sharesOf } from "../origin/room-origin.ts";
import type { LiveRoom } from "./live-room.ts";

/** A room as it should become; `live` is the present one, if any. */
export interface RoomChange {
  readonly live: LiveRoom | undefined;
  readonly room: Room;
}

/** With the id of the room. */
export interface Placed extends RoomChange {
  readonly id: RoomId;
}

/** What the changes must fit. */
export interface RoomsNow {
  readonly live: readonly LiveRoom[];
  readonly registers: ReadonlyMap<RoomId, Register>;
  /** Origin of rooms that name none. */
  readonly defaultOrigin: string | undefined;
}

export function isSame(one: Room, other: Room): boolean {
  return JSON.stringify(roomDocument(one)) === JSON.stringify(roomDocument(other));
}

/**
 * A change whose origin moves in steps: from the weights of now to those that it declares. It is at once where one of the
 * two names no origin, as that is another one at each node.
 */
export function inSteps({ live, room }: RoomChange): RoomChange {
  if (live === undefined || JSON.stringify(live.declared.origin) === JSON.stringify(room.origin)) return { live, room };
  const { nowMs, roomNode, declared } = live;
  const isNamed = declared.origin !== undefined && room.origin !== undefined;
  const from = isNamed ? live.origin.sharesAt(nowMs) : [];
  const isSplitSame = isSameSplit(from, sharesOf(room.origin ?? []));
  const rollout = isSplitSame ? undefined : startedRollout(from, { nowMs, minuteMs: roomNode.minuteMs });
  return { live, room: { ...room, rollout } };
}

/** Everything that is wrong with `changes`: each one alone, all together, and with the rooms that stay as they are. */
export function problemsOfChanges(changes: readonly Placed[], now: RoomsNow): Problem[] {
  const changed = new Set(changes.map(({ live }) => live));
  const others = now.live.filter((live) => !changed.has(live));
  const rooms = [...others.map(({ declared }) => declared), ...changes.map(({ room }) => room)];
  const placeOf = (index: number): string => `room ${rooms[index]?.name}`;
  const named = [
    ...others.map(({ firstName, declared: room }) => ({ firstName, room })),
    ...changes.map(({ live, room }) => ({ firstName: live?.firstName ?? room.name, room })),
  ];
  return [
    ...changes.flatMap((change) => takenName(change, now.live)),
    ...sameRoomTwice(changes),
    ...cookieClashes(named),
    ...checkRooms(rooms, placeOf),
    ...checkOrigins(rooms, now.defaultOrigin, placeOf),
    ...siteProblems(named),
    ...changes.flatMap(({ room }) => documentSizeProblems(roomDocument(room), `room ${room.name}`)),
    ...amountProblems(amountAfter(changes, now.registers)),
  ];
}

/** Fields that a change may repeat from the room as it was reported, but not change. */
const FIXED: Readonly<Record<string, string>> = {
  id: "leave it out: a room keeps its id for life",
  created_on: "leave it out",
  operator_order: "leave it out, and use: anteroom room hold, open or resume NAME",
  rollout: "leave it out, and use: anteroom room rollout NAME --to URL, --stop, --back or --now",
};

/** Fields in `patch` that a change may not alter, with another value than in `current`. */
export function fixedFieldProblems(current: object, patch: unknown): Problem[] {
  if (!isObject(patch)) return [];
  const now = new Map<string, unknown>(Object.entries(current));
  return Object.entries(FIXED).flatMap(([path, repair]) => {
    const [given, old] = [patch[path] ?? null, now.get(path) ?? null];
    if (!(path in patch) || isDeepStrictEqual(given, old)) return [];
    return [problemAt(path, given, { problem: `cannot be changed like this: it is ${shownValue(old)}`, repair })];
  });
}

/** A new room's name that is the first name of another one, which was renamed. */
function takenName({ live, room }: RoomChange, all: readonly LiveRoom[]): Problem[] {
  const owner = live === undefined ? all.find(({ firstName }) => firstName === room.name) : undefined;
  if (owner === undefined) return [];
  const problem = `is the first name of room ${owner.room.name}, whose sessions it stands for`;
  const repair = `if that room is meant, write its name of now, ${owner.room.name}; else choose another name`;
  return [{ path: `room ${room.name}.name`, value: room.name, problem, repair }];
}

/** Two changes of one room, by its first name and by its present name. */
function sameRoomTwice(changes: readonly Placed[]): Problem[] {
  return changes.flatMap((change, index) => {
    const earlier = changes.slice(0, index).find((other) => other.id === change.id);
    if (earlier === undefined || earlier.room.name === change.room.name) return [];
    const problem = `is the same room as ${earlier.room.name}: one is its first name, the other its name of now`;
    return [{ path: `room ${change.room.name}.name`, value: change.room.name, problem, repair: "declare it once" }];
  });
}

interface NamedRoom {
  readonly firstName: string;
  readonly room: Room;
}

/** A site is a room without a site of its own, and slots bound it and its members. */
export function siteProblems(rooms: readonly NamedRoom[]): Problem[] {
  return rooms.flatMap(({ room }) => {
    if (room.site === "") return [];
    const found =
      rooms.find((other) => other.room.name === room.site) ?? rooms.find(({ firstName }) => firstName === room.site);
    const at = (problem: string, repair: string) => [
      problemAt(`room ${room.name}.site`, room.site, { problem, repair }),
    ];
    if (found === undefined) return at("names no room", "write the name of a room, or leave it out");
    if (found.room.site !== "" || found.room === room)
      return at("names a room that has a site itself", "let all rooms of a site name one room, which names none");
    if (decidesAlone(room) || decidesAlone(found.room))
      return at("needs slot_policy counter in both rooms", "leave slot_policy out in both");
    return [];
  });
}

/** Rooms whose cookies would have one name, such as room `a_b` and room `a` with the suffix `b`. */
function cookieClashes(rooms: readonly NamedRoom[]): Problem[] {
  const owners = new Map<string, string>();
  return rooms.flatMap(({ firstName, room }) => {
    const name = cookieNameOf(firstName, room);
    const owner = owners.get(name);
    owners.set(name, room.name);
    if (owner === undefined || owner === room.name) return [];
    const problem = `makes the cookie ${name}, which is that of room ${owner} too`;
    return [
      { path: `room ${room.name}.cookie_suffix`, value: room.cookieSuffix, problem, repair: "choose another suffix" },
    ];
  });
}

/** The size that all rooms would have. */
export function amountAfter(changes: readonly Placed[], registers: ReadonlyMap<RoomId, Register>) {
  const after = new Map([...registers].map(([id, { document = "" }]) => [id, Buffer.byteLength(document)]));
  for (const { id, room } of changes) after.set(id, documentBytes(roomDocument(room)));
  const amounts = [...after.values()].filter((bytes) => bytes > 0);
  return {
    rooms: amounts.length,
    bytes: amounts.reduce((sum, bytes) => sum + bytes, 0),
  };
}
