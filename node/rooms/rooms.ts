/**
 * All rooms of this node: found by request, changed by the operator, kept in the store.
 *
 * Every change is checked against all rooms first and then applied whole or not at all; an unchanged document makes no
 * new version. A room's id follows from its first name (room-ids.ts), so that the same file applied on two nodes makes one
 * room, and renaming keeps sessions and line. A deleted room's sessions still count: if the room is created again, it
 * continues with them.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import {
  blockedKey,
  drawValuesKey,
  FILES_KEY,
  LANE_KEY,
  orderKey,
  type RegisterKey,
} from "../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import type { AdmissionRecord, Restored } from "../admission/admission-record.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import { UNKNOWN_SITE } from "../admission/site.ts";
import { checkRooms, routesOf } from "../config/check-rooms.ts";
import type { Problem } from "../config/problem.ts";
import type { Room } from "../config/room.ts";
import { parseRoom, patchRoom } from "../config/room-document.ts";
import { apiDocument } from "./api-room.ts";
import { fileDigest, filesIn, filesRegister } from "./applied-files.ts";
import {
  type Author,
  type ClaimedRoom,
  claimedRoom,
  claimProblems,
  outsideOrigins,
  reachProblems,
  shareProblems,
} from "./author.ts";
import { BLOCK_DAYS_MAX, BLOCKED_MAX, type Blocks, blocksRegister } from "./blocked-visitors.ts";
import { type Changed, cannotRead, invalid, type Refused, refused, unknownRoom } from "./changed.ts";
import { type Applied, declaredChanges, outcomeOf } from "./declared-changes.ts";
import { drawValuesIn, drawValuesRegister, type EventDraw, hasDraw, newRoomKey, replacedDraws } from "./event-draw.ts";
import { laneGenerationIn, laneGenerationRegister } from "./lane-generation.ts";
import { LiveRoom, originPlan, type RoomPlace } from "./live-room.ts";
import { type CONTESTED, RouteTable } from "./match.ts";
import { OwnChanges } from "./own-changes.ts";
import {
  fixedFieldProblems,
  inSteps,
  isSame,
  type Placed,
  problemsOfChanges,
  type RoomChange,
  siteProblems,
} from "./room-changes.ts";
import { placed } from "./room-ids.ts";
import { type OrderKind, orderIn, orderRegister, type RoomOrder } from "./room-order.ts";
import type { RegisterWrites, RoomRegisters } from "./room-registers.ts";
import {
  closedRoutes,
  readStoredRoom,
  roomIdOf,
  type StoredRoom,
  storedText,
  type UnreadableRoom,
} from "./stored-room.ts";

export interface RoomsPlace extends RoomPlace {
  readonly registers: RoomRegisters;
  /** Makes a room take part in the mesh. */
  readonly attach: (room: MeshRoom) => void;
  /** Has a site hold slots for what a room holds that it does not count any more. */
  readonly holdAtSite: (left: { readonly room: RoomId; readonly record: AdmissionRecord }) => void;
  /** Makes a key for the draws of a room; a simulation has its own. */
  readonly newRoomKey?: (() => string) | undefined;
  /** What was on disk of a room's sessions and line. */
  readonly restored: (id: RoomId) => Restored | undefined;
  readonly clock: () => number;
}

/** What else is written in the commit that changes a room, by what the room will be. */
export type Beside = (room: Room) => RegisterWrites;

/** What goes with a change of rooms. */
export interface Alongside {
  readonly beside?: Beside | undefined;
  /** Undefined for one who sees all rooms. */
  readonly author?: Author | undefined;
}

/** What goes with changed rooms: the file that declares them, what is kept beside them, and who changes them. */
interface Stored {
  readonly file?: readonly Room[];
  readonly beside?: RegisterWrites | undefined;
  readonly author?: Author | undefined;
}

/** A room whose limits this release cannot read: its visitors are kept out at this node. */
export const UNREADABLE: unique symbol = Symbol("unreadable");

export class Rooms {
  readonly #place: RoomsPlace;
  readonly #live = new Map<RoomId, LiveRoom>();
  /** Rooms deleted while this process ran: their sessions still hold slots, in case the room is created again. */
  readonly #deleted = new Map<RoomId, LiveRoom>();
  /** Stored rooms that this version cannot read: what applied before stays until the process ends. */
  readonly #unreadable = new Map<RoomId, UnreadableRoom>();
  /** Rooms of a file that the mesh may also have, while this node has not heard what it has: in memory only. */
  readonly #expected = new Set<RoomId>();
  readonly #ownChanges = new OwnChanges();
  /** Within this time, in Unix ms, no event begins or ends; unknown until the next look. */
  #still: { readonly sinceMs: number; readonly untilMs: number } | undefined;
  #table = new RouteTable<RoomId>([]);

  constructor(place: RoomsPlace) {
    this.#place = place;
    const stored = [...place.registers.all()].sort(
      ([one, { createdMs: since }], [other, { createdMs }]) => since - createdMs || (one < other ? -1 : 1),
    );
    for (const [id, register] of stored) this.#load(id, register);
    this.#connect();
    // Sessions of a room that was deleted may go on.
    for (const [id] of stored) if (!this.#live.has(id)) this.#leave(id, place.restored(id)?.record);
  }

  /**
   * Applies what another node made of a room. It may clash with a room changed here at the same time: the operator sees
   * it, and the longer path wins as always.
   */
  follow(id: RoomId, register: Register): readonly Problem[] {
    const { firstName, stamp } = register;
    const name = this.byId(id)?.declared.name ?? firstName;
    const lost = this.#ownChanges.lostBy(id, stamp, name);
    const draws = this.#live.get(id)?.draws ?? [];
    this.#load(id, register);
    const replaced = replacedDraws(draws, this.#live.get(id)?.draws ?? []).map(({ event, old, hash }): Problem => {
      const problem = `the hash of its draw was published as ${old}, and a change at node ${stamp.node} replaces it by ${hash}`;
      return { path: `room ${name}, event ${event}`, problem, repair: "publish the new one" };
    });
    this.#connect();
    const rooms = this.all().map(({ declared }) => declared);
    const unreadable = this.#unreadable.get(id)?.problems ?? [];
    const named = this.all().map(({ firstName, declared }) => ({ firstName, room: declared }));
    const clashes = [...checkRooms(rooms, (index) => `room ${rooms[index]?.name}`), ...siteProblems(named)];
    return [...lost, ...replaced, ...unreadable, ...clashes];
  }

  /** Applies an order that was given at another node. */
  followOrder(id: RoomId, register: Register): void {
    this.byId(id)?.command(orderIn(register), register.stamp.wallMs);
  }

  /** Applies the public values that were given for draws of a room. */
  followDrawValues(id: RoomId): void {
    this.byId(id)?.turn();
    this.#still = undefined;
  }

  /** Applies blocks of visitors that were written at another node, and writes those that it did not know. */
  followBlocked(id: RoomId, register: Register): void {
    const live = this.byId(id);
    const missing = live?.blocked.hear(register, this.#place.clock());
    if (live !== undefined && missing !== undefined) this.#writeBlocks(live, missing);
  }

  /** Blocks a visitor of a room until then, on all nodes; or lifts that, by an end of 0. */
  block(live: LiveRoom, number: string, untilMs: number): Changed<LiveRoom> {
    const blocks = live.blocked.with(number, untilMs, this.#place.clock());
    if (blocks === undefined) {
      const many = `there are at most ${BLOCKED_MAX} in ${BLOCK_DAYS_MAX} days`;
      const hint = "block them by a rule, with the action block";
      return refused("conflict", `Cannot block another visitor of room ${live.room.name} as ${many}: ${hint}`);
    }
    this.#writeBlocks(live, blocks);
    live.blocked.apply(blocks);
    return { ok: true, value: live };
  }

  #writeBlocks({ id, firstName }: LiveRoom, blocks: Blocks): void {
    const register = blocksRegister(firstName, blocks, this.#place.clock());
    this.#place.registers.set(new Map([[blockedKey(id), register]]));
  }

  /** Gives the public value of a draw of a room, on all nodes. */
  giveDrawValue(live: LiveRoom, { key }: EventDraw, value: string): void {
    const place = drawValuesKey(live.id);
    const present = new Set(live.draws.map((draw) => draw.key));
    const given = [...drawValuesIn(this.#place.registers.get(place))].filter(([draw]) => present.has(draw));
    const values = new Map([...given, [key, value] as const]);
    this.#place.registers.set(new Map([[place, drawValuesRegister(live.firstName, values, this.#place.clock())]]));
    this.followDrawValues(live.id);
  }

  /** Stored rooms that cannot be read, until they are deleted or written again. */
  get unreadable(): readonly UnreadableRoom[] {
    return [...this.#unreadable.values()];
  }

  /** Begins and ends the events that are due at `nowMs`. Call it before anything else in a step. */
  turn(nowMs: number): void {
    if (this.#still !== undefined && isWithin(this.#still, nowMs)) return;
    const rooms = this.kept();
    // A clock that is set back takes back what it had begun.
    for (const live of rooms) if (!isWithin(live, nowMs)) live.turn();
    this.#still = {
      sinceMs: Math.max(...rooms.map(({ sinceMs }) => sinceMs)),
      untilMs: Math.min(...rooms.map(({ untilMs }) => untilMs)),
    };
  }

  byId(id: RoomId): LiveRoom | undefined {
    return this.#live.get(id) ?? this.#deleted.get(id);
  }

  /** The same, unless it is deleted. */
  liveById(id: RoomId): LiveRoom | undefined {
    return this.#live.get(id);
  }

  /**
   * The room of a request, if any; `CONTESTED` when its path can be read as of two rooms, `UNREADABLE` where its room
   * is one that cannot be read.
   */
  find(host: string, target: string): LiveRoom | typeof CONTESTED | typeof UNREADABLE | undefined {
    const found = this.#table.find(host, target);
    return typeof found === "string" ? (this.#live.get(found) ?? UNREADABLE) : found;
  }

  /** By which requests find their room; another one whenever a room has changed. */
  get routes(): RouteTable<RoomId> {
    return this.#table;
  }

  /** The generation of keys with which the gates of the mesh sign tokens of the fast lane. */
  get laneGeneration(): number {
    return laneGenerationIn(this.#place.registers.get(LANE_KEY));
  }

  /** Makes all gates of the mesh sign with a later generation. */
  rotateLane(by: number): void {
    const register = laneGenerationRegister(this.laneGeneration + by, this.#place.clock());
    this.#place.registers.set(new Map([[LANE_KEY, register]]));
  }

  byName(name: string): LiveRoom | undefined {
    return this.all().find(({ room }) => room.name === name);
  }

  /** The room that was first created under this name, whatever its present name. */
  byFirstName(name: string): LiveRoom | undefined {
    return this.all().find(({ firstName }) => firstName === name);
  }

  /** The room that a declaration means. */
  #present(name: string): LiveRoom | undefined {
    return this.byName(name) ?? this.byFirstName(name);
  }

  all(): readonly LiveRoom[] {
    return [...this.#live.values()];
  }

  /** Rooms whose admissions must be kept: deleted ones as well. */
  kept(): readonly LiveRoom[] {
    return [...this.#live.values(), ...this.#deleted.values()];
  }

  /** Creates a room from a document. */
  create(document: unknown, author?: Author): Changed<LiveRoom> {
    const parsed = parseRoom(document);
    if (!parsed.ok) return invalid(parsed.problems);
    const { name } = parsed.value;
    if (this.byName(name) !== undefined) {
      return refused(
        "exists",
        `Cannot create room ${name} as there is one of that name: update it, or choose another name`,
      );
    }
    return this.#put([{ live: undefined, room: parsed.value }], ([live]) => live, { author });
  }

  /** The room called `name`, or a refusal that names those there are. */
  named(name: string): Changed<LiveRoom> {
    const live = this.byName(name);
    if (live !== undefined) return { ok: true, value: live };
    const unreadable = this.unreadable.find((room) => room.name === name);
    return unreadable === undefined ? this.#unknown(name) : cannotRead(unreadable);
  }

  #unknown(name: string): Refused {
    const known = this.all().map(({ room }) => room.name);
    return { ok: false, refusal: unknownRoom(name, known) };
  }

  /** Changes the fields that `patch` names. */
  update(name: string, patch: unknown, also: Alongside = {}): Changed<LiveRoom> {
    const named = this.named(name);
    if (!named.ok) return named;
    const live = named.value;
    const parsed = patchRoom(live.declared, patch);
    const fixed = fixedFieldProblems(apiDocument(live), patch);
    if (!parsed.ok || fixed.length > 0) return invalid([...fixed, ...(parsed.ok ? [] : parsed.problems)]);
    return this.replace(live, inSteps({ live, room: parsed.value }).room, also);
  }

  /** Replaces the present room by `room`. */
  replace(live: LiveRoom, room: Room, { beside, author }: Alongside = {}): Changed<LiveRoom> {
    return this.#put([{ live, room }], ([changed]) => changed, { beside: beside?.(room), author });
  }

  /** Replaces several rooms at once, and writes what is kept beside them. */
  replaceAll(changes: readonly RoomChange[], beside: RegisterWrites): Changed<readonly LiveRoom[]> {
    return this.#put(changes, (live) => live, { beside });
  }

  /** What is kept beside rooms under `key`. */
  beside(key: RegisterKey): Register | undefined {
    return this.#place.registers.get(key);
  }

  /**
   * Removes a room: its visitors pass like those of no room. Returns the room as it was; undefined if it could not be
   * read.
   */
  remove(name: string): Changed<LiveRoom | undefined> {
    const id = this.byName(name)?.id ?? [...this.#unreadable].find(([, room]) => room.name === name)?.[0];
    const register = id === undefined ? undefined : this.#place.registers.all().get(id);
    if (id === undefined || register === undefined) return this.#unknown(name);
    const { firstName, createdMs } = register;
    const live = this.#live.get(id);
    const members = this.all().filter((other) => live !== undefined && this.#siteOf(other) === live);
    if (members.length > 0) {
      const names = members.map(({ room }) => room.name).join(", ");
      return refused(
        "conflict",
        `Cannot delete room ${name} as it is the site of ${names}: change their field site first`,
      );
    }
    const values = new Map<RegisterKey, Omit<Register, "stamp">>([[id, { firstName, document: undefined, createdMs }]]);
    // A room that is created again begins as its document says.
    if (this.#orderOf(id) !== undefined)
      values.set(orderKey(id), orderRegister(firstName, undefined, this.#place.clock()));
    this.#place.registers.set(values);
    live?.command(undefined, this.#place.clock());
    this.#takeOut(id);
    this.#connect();
    return { ok: true, value: live };
  }

  /**
   * Gives an order about a room on all nodes, or lifts it. It stays until the next one, or until the room is deleted;
   * repeating it changes nothing.
   */
  order(name: string, kind: OrderKind | undefined): Changed<LiveRoom> {
    const named = this.named(name);
    if (!named.ok || named.value.order?.kind === kind) return named;
    const { id, firstName } = named.value;
    const key = orderKey(id);
    const register = this.#place.registers
      .set(new Map([[key, orderRegister(firstName, kind, this.#place.clock())]]))
      .get(key);
    if (register !== undefined) this.followOrder(id, register);
    return named;
  }

  /** Declares rooms as a rooms file does: creates or replaces the named ones, leaves others alone. */
  apply(
    rooms: readonly Room[],
    { isTrial = false, author }: { readonly isTrial?: boolean; readonly author?: Author | undefined } = {},
  ): Changed<readonly Applied[]> {
    const changes = declaredChanges(rooms, (name) => this.#present(name));
    const outcomes = changes.map((change) => outcomeOf(change, ({ id }) => this.#expected.has(id)));
    const objection = isTrial ? this.#objectionTo(this.#placed(changes), author) : undefined;
    if (isTrial) return objection ?? { ok: true, value: outcomes };
    return this.#put(changes.map(inSteps), () => outcomes, { file: rooms, author });
  }

  /**
   * Makes the gate hold visitors of rooms that are declared and not stored, until it is known what the mesh has of
   * them. They are in memory only, until they are applied, a register of them is heard, or they are dropped.
   */
  expect(rooms: readonly Room[]): void {
    const nowMs = this.#place.clock();
    const { registers, defaultOrigin } = this.#place;
    const changes = rooms.map((room) => ({ live: this.#present(room.name), room }));
    const now = { live: this.all(), registers: registers.all(), defaultOrigin: defaultOrigin?.authority };
    if (problemsOfChanges(this.#placed(changes), now).length > 0) return;
    for (const { live, room } of changes) {
      const id = roomIdOf(room.name);
      if (live !== undefined || registers.get(id) !== undefined) continue;
      const beside = { drawKey: undefined, outside: [] };
      this.#inForce({ id, firstName: room.name, room, createdMs: nowMs, modifiedMs: nowMs, ...beside });
      this.#expected.add(id);
    }
    this.#connect();
  }

  /** Drops rooms that were expected and are not stored. */
  dropExpected(): void {
    if (this.#expected.size === 0) return;
    for (const id of this.#expected) this.#takeOut(id);
    this.#connect();
  }

  #put<Value>(
    wanted: readonly RoomChange[],
    result: (live: LiveRoom[]) => Value | undefined,
    also: Stored = {},
  ): Changed<Value> {
    const changes = this.#placed(wanted);
    const objection = this.#objectionTo(changes, also.author);
    if (objection !== undefined) return objection;
    // Everything that could still fail comes before the commit.
    for (const { room } of changes) originPlan(room, this.#place.defaultOrigin);
    const table = this.#tableOf([...this.#others(changes), ...changes]);
    const live = this.#stored(changes, also).map((stored) => this.#inForce(stored));
    this.#connect(table);
    const value = result(live);
    if (value === undefined) throw new Error("Cannot change rooms as nothing was asked for");
    return { ok: true, value };
  }

  #placed(changes: readonly RoomChange[]): readonly Placed[] {
    return placed(changes, this.#place.registers.all());
  }

  #objectionTo(changes: readonly Placed[], author: Author | undefined): Refused | undefined {
    const defaultOrigin = this.#place.defaultOrigin?.authority;
    const registers = this.#place.registers.all();
    const excess = author === undefined ? [] : this.#beyond(author, changes);
    const places = new Set(excess.map(({ path }) => path));
    const found = problemsOfChanges(changes, { live: this.all(), registers, defaultOrigin });
    const problems = [...excess, ...found.filter(({ path }) => !places.has(path))];
    return problems.length > 0 ? invalid(problems) : undefined;
  }

  /** What its author may not change. */
  #beyond(author: Author, changes: readonly Placed[]): readonly Problem[] {
    const all = this.#place.registers.all();
    const nameOf = (id: RoomId): string =>
      this.#live.get(id)?.declared.name ?? this.#unreadable.get(id)?.name ?? all.get(id)?.firstName ?? "";
    const own = new Map([...all].filter(([id]) => author.sees(nameOf(id))));
    return [
      ...claimProblems(author, changes, this.#claimed()),
      ...changes.flatMap((change) => reachProblems(author, change)),
      ...shareProblems(changes, { own, all }),
    ];
  }

  #claimed(): readonly ClaimedRoom[] {
    const readable = this.all().map(({ declared }) => claimedRoom(declared));
    return [...readable, ...this.unreadable.map((room) => ({ ...room, cookieDomain: "", sites: [] }))];
  }

  #others(changes: readonly RoomChange[]): readonly LiveRoom[] {
    const changed = new Set(changes.map(({ live }) => live));
    return this.all().filter((live) => !changed.has(live));
  }

  /**
   * The rooms as changed, sent to all nodes with the file that declares them and what is kept beside them; an unchanged
   * one is left as it is.
   */
  #stored(changes: readonly Placed[], { file = [], beside = new Map(), author }: Stored): readonly StoredRoom[] {
    const rooms = changes.map((change) => {
      const { id, live, room } = change;
      const firstName = live?.firstName ?? room.name;
      const createdMs = live?.createdMs ?? this.#place.clock();
      const modifiedMs = live !== undefined && this.#isStored(live, room) ? live.modifiedMs : undefined;
      const drawKey = live?.drawKey ?? (hasDraw(room) ? (this.#place.newRoomKey ?? newRoomKey)() : undefined);
      return { id, firstName, room, createdMs, modifiedMs, drawKey, outside: outsideOrigins(author, change) };
    });
    const documents = rooms
      .filter(({ modifiedMs }) => modifiedMs === undefined)
      .map(({ id, firstName, createdMs, ...stored }) => {
        return [id, { firstName, document: storedText(stored), createdMs }] as const;
      });
    const values = new Map<RegisterKey, Omit<Register, "stamp">>([
      ...documents,
      ...this.#fileRegister(file),
      ...beside,
    ]);
    const written = values.size === 0 ? new Map<RegisterKey, Register>() : this.#place.registers.set(values);
    for (const { id } of rooms) {
      const { stamp } = written.get(id) ?? {};
      if (stamp !== undefined) this.#ownChanges.made(id, stamp);
    }
    return rooms.map((room) => ({
      ...room,
      modifiedMs: room.modifiedMs ?? written.get(room.id)?.stamp.wallMs ?? room.createdMs,
    }));
  }

  /** Where requests go, for present or planned rooms; last those that cannot be read. */
  #tableOf(rooms: Iterable<{ readonly id: RoomId; readonly room: Room }> = this.#live.values()): RouteTable<RoomId> {
    const readable = new Map([...rooms].map(({ id, room }) => [id, routesOf(room)] as const));
    const closed = [...this.#unreadable].filter(([id]) => !readable.has(id));
    const all = [...readable, ...closed.map(([id, { routes }]) => [id, routes] as const)];
    return new RouteTable(all.flatMap(([id, routes]) => routes.map(({ host, path }) => ({ host, path, value: id }))));
  }

  /** Finds requests by the rooms as they are, and connects each room with its site. Deleted rooms still count in theirs. */
  #connect(table = this.#tableOf()): void {
    this.#table = table;
    const kept = this.kept();
    const sites = new Map(kept.map((live) => [live, this.#siteOf(live)]));
    const members = Map.groupBy(kept, (live) => sites.get(live));
    for (const live of kept) {
      const found = sites.get(live);
      const isThere = found !== undefined && this.#live.has(found.id);
      const site = live.declared.site === "" ? undefined : isThere ? found.meshRoom.asSite : () => UNKNOWN_SITE;
      const asMembers = (members.get(live) ?? []).map(({ meshRoom }) => meshRoom.asMember);
      this.#leave(live.id, live.meshRoom.link({ site, siteId: found?.id, members: asMembers }));
    }
  }

  /** What a room holds that its site of before does not count any more: that one holds as many slots until they end. */
  #leave(room: RoomId, record: AdmissionRecord | undefined): void {
    if (record?.site !== undefined) this.#place.holdAtSite({ room, record });
  }

  /** The room whose slots a room takes beside its own: one that has no site itself; perhaps a deleted one. */
  #siteOf({ declared: { site } }: LiveRoom): LiveRoom | undefined {
    if (site === "") return undefined;
    const isMeant = ({ declared, firstName }: LiveRoom): boolean => declared.name === site || firstName === site;
    const found = this.#present(site) ?? this.#deleted.values().find(isMeant);
    return found?.declared.site === "" ? found : undefined;
  }

  #isStored(live: LiveRoom, room: Room): boolean {
    return isSame(live.declared, room) && !this.#expected.has(live.id);
  }

  /** What is remembered of a file that is being applied; nothing if it was the last one anyway. */
  #fileRegister(file: readonly Room[]): [RegisterKey, Omit<Register, "stamp">][] {
    const files = filesIn(this.#place.registers.get(FILES_KEY));
    const digest = fileDigest(file);
    if (file.length === 0 || files[0]?.digest === digest) return [];
    return [[FILES_KEY, filesRegister(files, { digest, atMs: this.#place.clock() })]];
  }

  #inForce(stored: StoredRoom): LiveRoom {
    const known = this.#live.get(stored.id) ?? this.#deleted.get(stored.id);
    this.#still = undefined;
    this.#deleted.delete(stored.id);
    this.#unreadable.delete(stored.id);
    this.#expected.delete(stored.id);
    if (known === undefined) {
      const fresh = this.#start(stored);
      this.#live.set(stored.id, fresh);
      return fresh;
    }
    this.#live.set(stored.id, known);
    const order = this.#orderOf(stored.id);
    if (order?.kind !== known.order?.kind) known.command(order, stored.modifiedMs);
    known.configure(stored, this.#place.clock());
    return known;
  }

  #load(id: RoomId, register: Register): void {
    const { firstName, document } = register;
    if (document === undefined) {
      this.#takeOut(id);
      return;
    }
    const stored = readStoredRoom(id, { ...register, document });
    if (stored.ok) this.#inForce(stored.value);
    else {
      // What a file says of it is not what the mesh has.
      if (this.#expected.has(id)) this.#takeOut(id);
      const routes = closedRoutes({ ...register, document });
      this.#unreadable.set(id, { name: firstName, problems: stored.problems, routes });
    }
  }

  #orderOf(id: RoomId): RoomOrder | undefined {
    return orderIn(this.#place.registers.get(orderKey(id)));
  }

  #takeOut(id: RoomId): void {
    this.#expected.delete(id);
    this.#unreadable.delete(id);
    const live = this.#live.get(id);
    if (live === undefined) return;
    this.#live.delete(id);
    this.#deleted.set(id, live);
    live.meshRoom.contacts.forgetAll();
    live.retire();
  }

  #start(stored: StoredRoom): LiveRoom {
    const now = {
      nowMs: this.#place.clock(),
      order: this.#orderOf(stored.id),
      restored: this.#place.restored(stored.id),
    };
    const live = new LiveRoom(stored, this.#place, now);
    this.#place.attach(live.meshRoom);
    return live;
  }
}

function isWithin({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }, nowMs: number): boolean {
  return sinceMs <= nowMs && nowMs < untilMs;
}
