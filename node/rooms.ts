/**
 * All rooms of this node: found by request, changed by the operator, kept in the store.
 *
 * Every change is checked against all rooms first and then put in force whole or not at all; an unchanged document makes
 * no new version. A room's id is a hash of its first name, so that the same file applied on two nodes makes one room, and
 * renaming keeps sessions and line. A deleted room's sessions go on counting: made again, it goes on with them.
 */

import { createHash } from "node:crypto";
import type { RoomId } from "../mesh/core/ids.ts";
import { minuteOf } from "../mesh/core/minute.ts";
import { checkOrigins, checkRooms, routesOf } from "./config/check-rooms.ts";
import type { Problem } from "./config/problem.ts";
import type { Room } from "./config/room.ts";
import { parseRoom, patchRoom, type RoomDocument, roomDocument } from "./config/room-document.ts";
import { cookieNameOf } from "./gate/cookie-header.ts";
import { type CONTESTED, RouteTable } from "./gate/match.ts";
import { LiveRoom, type RoomPlace } from "./live-room.ts";
import type { Store, StoredRoom } from "./store.ts";

/** A change that was refused: what was asked for is not there, is there already, or has problems. */
export interface Refusal {
  readonly code: "not-found" | "exists" | "invalid";
  readonly message: string;
  readonly problems: readonly Problem[];
}

export type Changed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Refusal };

export interface Applied {
  readonly name: string;
  readonly outcome: "created" | "updated" | "unchanged";
}

export class Rooms {
  readonly #store: Store;
  readonly #place: RoomPlace;
  readonly #clock: () => number;
  readonly #live = new Map<RoomId, LiveRoom>();
  /** Rooms deleted while this process ran: their sessions still hold slots, should the room be made again. */
  readonly #deleted = new Map<RoomId, LiveRoom>();
  #table = new RouteTable<LiveRoom>([]);
  /** What this version refuses in rooms that another one stored: they are not in force until applied anew. */
  readonly unreadable: Problem[] = [];

  constructor(store: Store, place: RoomPlace, clock: () => number) {
    this.#store = store;
    this.#place = place;
    this.#clock = clock;
    for (const stored of store.rooms()) {
      const room = parseRoom(JSON.parse(stored.document), `room ${stored.firstName}`);
      if (room.ok) this.#live.set(stored.id, this.#start({ ...stored, room: room.value }));
      else this.unreadable.push(...room.problems);
    }
    this.#retable();
  }

  /** The room of a request, if any; `CONTESTED` when its path can be read as of two rooms. */
  find(host: string, target: string): LiveRoom | typeof CONTESTED | undefined {
    return this.#table.find(host, target);
  }

  byName(name: string): LiveRoom | undefined {
    return this.all().find(({ room }) => room.name === name);
  }

  all(): readonly LiveRoom[] {
    return [...this.#live.values()];
  }

  /** Rooms whose admissions must go on being kept: the deleted ones as well. */
  kept(): readonly LiveRoom[] {
    return [...this.#live.values(), ...this.#deleted.values()];
  }

  /** Ends a session at the origin's word; on disk when this returns. */
  revoke(live: LiveRoom, id: string): void {
    const revoked = live.admission.revoke(id, this.#clock());
    if (revoked === undefined) return;
    live.counts.revoked += 1;
    this.#store.putRevoked(live.id, revoked);
  }

  /** Makes a room of a document. */
  create(document: unknown): Changed<LiveRoom> {
    const parsed = parseRoom(document);
    if (!parsed.ok) return invalid(parsed.problems);
    const { name } = parsed.value;
    if (this.byName(name) !== undefined) {
      return refused(
        "exists",
        `Cannot create room ${name} as there is one of that name: update it, or choose another name`,
      );
    }
    return this.#put([{ live: undefined, room: parsed.value }], ([live]) => live);
  }

  /** The room called `name`, or a refusal that names those there are. */
  named(name: string): Changed<LiveRoom> {
    const live = this.byName(name);
    return live === undefined ? unknownRoom(name, this.all()) : { ok: true, value: live };
  }

  /** Changes the fields that `patch` names. */
  update(name: string, patch: unknown): Changed<LiveRoom> {
    const named = this.named(name);
    if (!named.ok) return named;
    const live = named.value;
    const parsed = patchRoom(live.room, patch);
    if (!parsed.ok) return invalid(parsed.problems);
    return this.#put([{ live, room: parsed.value }], ([changed]) => changed);
  }

  /** Takes a room out of force: its visitors pass as those of no room. */
  remove(name: string): Changed<LiveRoom> {
    const named = this.named(name);
    if (!named.ok) return named;
    const live = named.value;
    this.#store.deleteRoom(live.id, this.#clock());
    this.#live.delete(live.id);
    this.#deleted.set(live.id, live);
    this.#retable();
    return { ok: true, value: live };
  }

  /**
   * Declares rooms as in a rooms file: makes or replaces those named, leaves others alone. A first name means its room, also
   * after that was renamed: the file has the last word.
   */
  apply(rooms: readonly Room[]): Changed<readonly Applied[]> {
    const changes = rooms.map((room) => ({
      live: this.byName(room.name) ?? this.#live.get(roomIdOf(room.name)),
      room,
    }));
    const outcomes = changes.map(({ live, room }): Applied => {
      const outcome = live === undefined ? "created" : isSame(live.room, room) ? "unchanged" : "updated";
      return { name: room.name, outcome };
    });
    return this.#put(changes, () => outcomes);
  }

  #put<Value>(
    changes: readonly { live: LiveRoom | undefined; room: Room }[],
    result: (live: LiveRoom[]) => Value | undefined,
  ): Changed<Value> {
    const problems = this.#problemsOf(changes);
    if (problems.length > 0) return invalid(problems);
    const nowMs = this.#clock();
    const stored = changes.map(({ live, room }): StoredRoom & { room: Room } => ({
      id: live?.id ?? roomIdOf(room.name),
      firstName: live?.firstName ?? room.name,
      document: JSON.stringify(roomDocument(room)),
      createdMs: live?.createdMs ?? nowMs,
      modifiedMs: live !== undefined && isSame(live.room, room) ? live.modifiedMs : nowMs,
      room,
    }));
    this.#store.putRooms(stored);
    const live = stored.map((room) => this.#inForce(room));
    this.#retable();
    const value = result(live);
    if (value === undefined) throw new Error("Cannot change rooms as nothing was asked for");
    return { ok: true, value };
  }

  #inForce(stored: StoredRoom & { room: Room }): LiveRoom {
    const known = this.#live.get(stored.id) ?? this.#deleted.get(stored.id);
    this.#deleted.delete(stored.id);
    if (known === undefined) {
      const fresh = this.#start(stored);
      this.#live.set(stored.id, fresh);
      return fresh;
    }
    this.#live.set(stored.id, known);
    known.configure(stored.room, stored.modifiedMs);
    return known;
  }

  #start(stored: StoredRoom & { room: Room }): LiveRoom {
    const nowMs = this.#clock();
    const { id } = stored;
    const revoked = this.#store.revoked(id, minuteOf(nowMs, this.#place.minuteMs));
    const restored = { record: this.#store.admission(id), line: this.#store.line(id), revoked };
    return new LiveRoom(stored, this.#place, { nowMs, restored });
  }

  #problemsOf(changes: readonly { live: LiveRoom | undefined; room: Room }[]): Problem[] {
    const changed = new Set(changes.map(({ live }) => live));
    const others = this.all().filter((live) => !changed.has(live));
    const rooms = [...others.map(({ room }) => room), ...changes.map(({ room }) => room)];
    const placeOf = (index: number): string => `room ${rooms[index]?.name}`;
    const taken = changes.flatMap(({ live, room }) => {
      const owner = live === undefined ? this.#live.get(roomIdOf(room.name)) : undefined;
      if (owner === undefined) return [];
      const problem = `is the first name of room ${owner.room.name}, whose sessions it stands for`;
      const repair = `if that room is meant, write its name of now, ${owner.room.name}; else choose another name`;
      return [{ path: `room ${room.name}.name`, value: room.name, problem, repair }];
    });
    const cookies = cookieClashes([
      ...others,
      ...changes.map(({ live, room }) => ({ firstName: live?.firstName ?? room.name, room })),
    ]);
    const origin = this.#place.defaultOrigin?.authority;
    return [...taken, ...cookies, ...checkRooms(rooms, placeOf), ...checkOrigins(rooms, origin, placeOf)];
  }

  #retable(): void {
    this.#table = new RouteTable(
      this.all().flatMap((live) => routesOf(live.room).map(({ host, path }) => ({ host, path, value: live }))),
    );
  }
}

/** A room's identity: 64 bits of a hash of its first name. */
export function roomIdOf(firstName: string): RoomId {
  return createHash("sha256").update(`anteroom room ${firstName}`).digest("hex").slice(0, 16) as RoomId;
}

/** A room's document as the API gives it. */
export function apiDocument(live: LiveRoom): RoomDocument & { id: string; created_on: string; modified_on: string } {
  return {
    id: live.id,
    ...roomDocument(live.room),
    created_on: new Date(live.createdMs).toISOString(),
    modified_on: new Date(live.modifiedMs).toISOString(),
  };
}

/** Rooms whose cookies would have one name, such as room `a_b` and room `a` with the suffix `b`. */
function cookieClashes(rooms: readonly { readonly firstName: string; readonly room: Room }[]): Problem[] {
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

function isSame(one: Room, other: Room): boolean {
  return JSON.stringify(roomDocument(one)) === JSON.stringify(roomDocument(other));
}

function invalid<Value>(problems: readonly Problem[]): Changed<Value> {
  return { ok: false, refusal: { code: "invalid", message: "Cannot change rooms", problems } };
}

function refused<Value>(code: Refusal["code"], message: string): Changed<Value> {
  return { ok: false, refusal: { code, message, problems: [] } };
}

function unknownRoom<Value>(name: string, rooms: readonly LiveRoom[]): Changed<Value> {
  const names = rooms.map(({ room }) => room.name).join(", ") || "none";
  return refused("not-found", `Cannot find room ${name}: rooms here are ${names}`);
}
