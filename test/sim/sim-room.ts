/**
 * A room of the simulated world: its operator's last order, the visitors in its lines, and its judge.
 */

import type { Minute, RoomId } from "../../mesh/core/ids.ts";
import { drawIdOf, drawnKeyOf } from "../../node/admission/draw/draw-seed.ts";
import { KEYS_PER_MS, orderOfRoom } from "../../node/admission/queue-order.ts";
import type { Room } from "../../node/config/room.ts";
import { parseRoom } from "../../node/config/room-document.ts";
import { roomAt } from "../../node/rooms/event-in-force.ts";
import { roomIdOf } from "../../node/rooms/stored-room.ts";
import { EarlyWatch } from "./early-watch.ts";
import type { Oracle, Seen } from "./oracle.ts";
import { RichestWatch } from "./richest-watch.ts";
import type { RoomJudge } from "./room-judge.ts";
import { SlotUse } from "./slot-use.ts";
import type { Visitor } from "./visitor.ts";
import type { World } from "./world.ts";

const NOBODY_WAITS: Seen = { waiting: 0, taken: 0, early: 0, idle: 0, use: { used: 0, usable: 0 } };

export class SimRoom {
  readonly id: RoomId;
  readonly judge: RoomJudge;
  readonly early: EarlyWatch;
  readonly richest: RichestWatch;
  readonly use: SlotUse;
  /** By locality: those of its visitors who wait in line. */
  readonly lines = new Map<string, Set<Visitor>>();
  /** Since when an operator holds it, in ms of the world's time; infinite while nobody does. */
  heldMs = Number.POSITIVE_INFINITY;
  /** The rooms whose visitors take slots of this one too. */
  readonly members: SimRoom[] = [];
  #settings: Room;
  readonly #watched: World;
  readonly name: string;

  constructor({
    name,
    isNamed,
    ...parts
  }: { name: string; isNamed: boolean; room: Partial<Room>; oracle: Oracle; watched: World }) {
    const { room, oracle, watched } = parts;
    this.#watched = watched;
    const parsed = parseRoom({
      name,
      host: isNamed ? `${name}.example` : "*",
      total_active_users: 1,
      new_users_per_minute: 1,
      // Its visitors are programs that ask for JSON, and its origin ends and extends sessions.
      json_response_enabled: true,
      enabled_origin_commands: ["revoke", "extend"],
    });
    if (!parsed.ok) throw new Error("unreachable");
    this.id = roomIdOf(name);
    this.name = name;
    this.judge = oracle.room(isNamed ? name : "", {
      isRefused: (session) => watched.nodes.every((node) => node.refuses(this.id, session)),
      isEndStored: (session) => watched.nodes.some((node) => node.hasStoredEnd(this.id, session)),
    });
    this.#settings = { ...parsed.value, ...room };
    this.#noteLimits();
    this.early = new EarlyWatch(watched, this);
    this.richest = new RichestWatch(watched.nodes, this);
    this.use = new SlotUse(watched, this);
  }

  /** As last ordered anywhere. */
  get settings(): Room {
    return this.#settings;
  }

  /** Where a visitor with a place stands in its line. */
  placeOf({ id, key }: { readonly id: string; readonly key: number }): number {
    const { draw } =
      this.#watched.nodes.find((node) => node.rooms.of(this.id)?.draw?.seed !== undefined)?.rooms.of(this.id) ?? {};
    if (draw?.seed !== undefined && key < draw.startMs * KEYS_PER_MS) return drawnKeyOf(draw.seed, drawIdOf(id));
    return orderOfRoom(this.#now, this.id).placeOf(key);
  }

  /** As it works by a clock that is right. */
  get #now(): Room {
    const settings = this.#settings;
    return settings.events === undefined ? settings : roomAt(settings, this.#watched.time.nowMs).room;
  }

  change(change: Partial<Room>): void {
    this.#settings = { ...this.#settings, ...change };
    this.#noteLimits();
  }

  /** Has its visitors take slots of that room too, of which the judge and the use of slots are looked at instead. */
  join(site: SimRoom): void {
    site.members.push(this);
    this.judge.join(site.judge);
    this.use.join(site.use);
  }

  /** Visitors who wait in line, also those of members. */
  get waiting(): number {
    let waiting = this.members.reduce((sum, member) => sum + member.waiting, 0);
    for (const line of this.lines.values()) for (const { behaviour } of line) if (behaviour.keepsCookies) waiting += 1;
    return waiting;
  }

  /** Once a second: who waits, and for what. */
  look(minute: Minute): Seen {
    const { waiting } = this;
    if (this.#settings.site !== "") return NOBODY_WAITS;
    if (this.#settings.events !== undefined) this.#noteLimits();
    // Nobody is let in where the room is held, whatever is free.
    const isHeld = this.#watched.nodes.some(
      (node) => node.rooms.isHeld(this.id) || node.rooms.of(this.id)?.queueAll === true,
    );
    if (waiting === 0 || isHeld) return NOBODY_WAITS;
    const { called, ...look } = this.early.look();
    const all = called + this.members.reduce((sum, member) => sum + member.early.look().called, 0);
    const use = this.use.look({ waiting, called: all }, minute);
    return { waiting, ...look, use };
  }

  #noteLimits(): void {
    // A node whose clock is ahead begins an event earlier: its limits may be used from now on.
    for (const { totalActiveUsers, newUsersPerMinute } of this.#settings.events ?? [])
      if (totalActiveUsers !== undefined && newUsersPerMinute !== undefined)
        this.judge.limit({ active: totalActiveUsers, arrivals: newUsersPerMinute });
    const { totalActiveUsers: active, newUsersPerMinute: arrivals } = this.#now;
    this.judge.limit({ active, arrivals });
  }
}
