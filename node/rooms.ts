/**
 * All rooms of this node: found by request, changed by the operator, kept in the store.
 *
 * Every change is checked against all rooms first and then put in force whole or not at all; an unchanged document makes
 * no new version. A room's id is a hash of its first name, so that the same file applied on two nodes makes one room, and
 * renaming keeps sessions and line. A deleted room's sessions go on counting: made again, it goes on with them.
 */

import { createHash } from "node:crypto";
import type { RoomId } from "../mesh/core/ids.ts";
import type { Register } from "../mesh/core/registers.ts";
import type { Restored } from "./admission/admission.ts";
import type { MeshRoom } from "./admission/mesh/mesh-room.ts";
import { checkOrigins, checkRooms, routesOf } from "./config/check-rooms.ts";
import type { Problem } from "./config/problem.ts";
import type { Room } from "./config/room.ts";
import { parseRoom, patchRoom, type RoomDocument, roomDocument } from "./config/room-document.ts";
import { cookieNameOf } from "./gate/cookie-header.ts";
import { type CONTESTED, RouteTable } from "./gate/match.ts";
import { LiveRoom, type RoomPlace } from "./live-room.ts";

/** The rooms' configurations, each of which its last writer in the mesh determines. */
export interface RoomRegisters {
  all(): ReadonlyMap<RoomId, Register>;
  /** Has a room so from now on, on all nodes; without a document it is deleted. */
  set(id: RoomId, value: Omit<Register, "stamp">): Register;
}

export interface RoomsPlace extends RoomPlace {
  readonly registers: RoomRegisters;
  /** Has a room take part in the mesh. */
  readonly attach: (room: MeshRoom) => void;
  /** What was on disk of a room's sessions and line. */
  readonly restored: (id: RoomId) => Restored | undefined;
  readonly clock: () => number;
}

/** A room with what identifies it. */
interface StoredRoom {
  readonly id: RoomId;
  readonly firstName: string;
  readonly room: Room;
  readonly createdMs: number;
  readonly modifiedMs: number;
}

/** A change that was refused: what was asked for is not there, is there already, is not possible now, or has problems. */
export interface Refusal {
  readonly code: "not-found" | "exists" | "conflict" | "invalid";
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
  readonly #place: RoomsPlace;
  readonly #live = new Map<RoomId, LiveRoom>();
  /** Rooms deleted while this process ran: their sessions still hold slots, should the room be made again. */
  readonly #deleted = new Map<RoomId, LiveRoom>();
  #table = new RouteTable<LiveRoom>([]);
  /** What this version refuses in rooms that another one stored: they are not in force until applied anew. */
  readonly unreadable: Problem[] = [];

  constructor(place: RoomsPlace) {
    this.#place = place;
    const stored = [...place.registers.all()].sort(
      ([one, { createdMs: since }], [other, { createdMs }]) => since - createdMs || (one < other ? -1 : 1),
    );
    for (const [id, register] of stored) this.#load(id, register);
    this.#retable();
  }

  /**
   * Puts in force what another node made of a room. It may clash with a room changed here at the same time: the operator is
   * told of it, and the longer path wins as always.
   */
  follow(id: RoomId, register: Register): readonly Problem[] {
    const unreadable = this.unreadable.length;
    this.#load(id, register);
    this.#retable();
    const rooms = this.all().map(({ room }) => room);
    return [...this.unreadable.slice(unreadable), ...checkRooms(rooms, (index) => `room ${rooms[index]?.name}`)];
  }

  byId(id: RoomId): LiveRoom | undefined {
    return this.#live.get(id) ?? this.#deleted.get(id);
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
    const room = parsed.value;
    if (!isSameOrigin(live.room, room) && room.rollout !== undefined) {
      if (room.rollout.state === "reversed") return this.replace(live, { ...room, rollout: undefined });
      return refused(
        "conflict",
        `Cannot change the origin of room ${name} as a rollout to ${room.rollout.to} is under way: take it back first with: anteroom room rollout ${name} --back`,
      );
    }
    return this.replace(live, room);
  }

  /** Puts `room` in the place of what there is. */
  replace(live: LiveRoom, room: Room): Changed<LiveRoom> {
    return this.#put([{ live, room }], ([changed]) => changed);
  }

  /** Takes a room out of force: its visitors pass as those of no room. */
  remove(name: string): Changed<LiveRoom> {
    const named = this.named(name);
    if (!named.ok) return named;
    const live = named.value;
    const { id, firstName, createdMs } = live;
    this.#place.registers.set(id, { firstName, document: undefined, createdMs });
    this.#takeOut(id);
    this.#retable();
    return { ok: true, value: live };
  }

  /**
   * Declares rooms as in a rooms file: makes or replaces those named, leaves others alone. A first name means its room, also
   * after that was renamed: the file has the last word. It says nothing of rollouts, so one under way goes on, unless the file
   * names another origin.
   */
  apply(rooms: readonly Room[]): Changed<readonly Applied[]> {
    const changes = rooms.map((declared) => {
      const live = this.byName(declared.name) ?? this.#live.get(roomIdOf(declared.name));
      const goesOn = live !== undefined && declared.rollout === undefined && isSameOrigin(live.room, declared);
      return { live, room: goesOn ? { ...declared, rollout: live.room.rollout } : declared };
    });
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
    const live = changes.map((change) => this.#inForce(this.#stored(change)));
    this.#retable();
    const value = result(live);
    if (value === undefined) throw new Error("Cannot change rooms as nothing was asked for");
    return { ok: true, value };
  }

  /** The room as changed, told to all nodes; an unchanged one is left as it is. */
  #stored({ live, room }: { live: LiveRoom | undefined; room: Room }): StoredRoom {
    const id = live?.id ?? roomIdOf(room.name);
    const firstName = live?.firstName ?? room.name;
    if (live !== undefined && isSame(live.room, room)) {
      return { id, firstName, room, createdMs: live.createdMs, modifiedMs: live.modifiedMs };
    }
    const createdMs = live?.createdMs ?? this.#place.clock();
    const document = JSON.stringify(roomDocument(room));
    const { stamp } = this.#place.registers.set(id, { firstName, document, createdMs });
    return { id, firstName, room, createdMs, modifiedMs: stamp.wallMs };
  }

  #inForce(stored: StoredRoom): LiveRoom {
    const known = this.#live.get(stored.id) ?? this.#deleted.get(stored.id);
    this.#deleted.delete(stored.id);
    if (known === undefined) {
      const fresh = this.#start(stored);
      this.#live.set(stored.id, fresh);
      return fresh;
    }
    this.#live.set(stored.id, known);
    known.configure(stored.room, { modifiedMs: stored.modifiedMs, nowMs: this.#place.clock() });
    return known;
  }

  #load(id: RoomId, { firstName, document, createdMs, stamp }: Register): void {
    if (document === undefined) {
      this.#takeOut(id);
      return;
    }
    const room = parseRoom(JSON.parse(document), `room ${firstName}`);
    if (room.ok) this.#inForce({ id, firstName, room: room.value, createdMs, modifiedMs: stamp.wallMs });
    else this.unreadable.push(...room.problems);
  }

  #takeOut(id: RoomId): void {
    const live = this.#live.get(id);
    if (live === undefined) return;
    this.#live.delete(id);
    this.#deleted.set(id, live);
  }

  #start(stored: StoredRoom): LiveRoom {
    const now = { nowMs: this.#place.clock(), restored: this.#place.restored(stored.id) };
    const live = new LiveRoom(stored, this.#place, now);
    this.#place.attach(live.mesh);
    return live;
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

function isSameOrigin({ origin: one }: Room, { origin: other }: Room): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
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
