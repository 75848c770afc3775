/**
 * Visitors who wait although a slot is free that they could have: those not yet called, beyond the free slots that
 * called ones will take, for more than a second in one locality, or for more than a minute when the slot is another
 * locality's reserve.
 *
 * A slot is called for a place in line. Nodes cannot know that the visitor of a place has left, or has a new place
 * elsewhere: the place is called all the same, until it has been silent for longer than any present visitor would be.
 */

import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";
import type { World } from "./world.ts";

interface Side {
  /** Slots held by sessions. */
  held: number;
  free: number;
  called: number;
  uncalled: number;
}

/** Up to where a line is called. */
interface Horizon {
  readonly place: number;
  /** Where a visitor stands in that line. */
  readonly placeOf: MeshRoom["placeOf"];
}

/** A visitor's place, as the cookie has it. */
interface Place {
  readonly id: string;
  readonly key: number;
}

export interface Look {
  /** Visitors that wait early in this second. */
  readonly early: number;
  /** Slots that are held, or free and called for a visitor. */
  readonly taken: number;
  /** Of these, free ones. */
  readonly called: number;
  /** Slots that are free for visitors who wait there and are not called, at this moment. */
  readonly idle: number;
}

/**
 * Refresh intervals without a poll after which a place keeps no slot from the next one: visitors here poll within 1.2.
 */
const SILENT_INTERVALS = 1.25;

/** Checks once a second a room with waiting visitors. */
export class EarlyWatch {
  readonly #world: World;
  readonly #room: SimRoom;
  #before = new Map<string, number>();
  /**
   * By locality and queue key: the places in its line, whose each is, and when it was last shown. A visitor who moves
   * leaves one behind.
   */
  readonly #places = new Map<string, Map<number, { readonly id: string; readonly atMs: number }>>();
  /** Of the last minute, one per look. */
  readonly #everywhere: number[] = [];

  constructor(world: World, room: SimRoom) {
    this.#world = world;
    this.#room = room;
  }

  /** A visitor was asked to wait, in the line of a locality. */
  waits({ id, key }: Place, locality: string): void {
    this.#places.getOrInsertComputed(locality, () => new Map()).set(key, { id, atMs: this.#world.time.nowMs });
  }

  /** The place with this key was used there. */
  used(key: number, locality: string): void {
    this.#places.get(locality)?.delete(key);
  }

  look(): Look {
    const sides = this.#sides();
    const all = [...sides.values()];
    const idle = all.reduce((sum, side) => sum + earlyOf([side]), 0);
    const called = all.reduce((sum, side) => sum + Math.min(side.free, side.called), 0);
    return { early: this.#early(sides), taken: takenOf(all), called, idle };
  }

  /** Whether a visitor has waited in a locality for more than `ms` without being called. */
  isLine(locality: string, { nowMs, ms }: { readonly nowMs: number; readonly ms: number }): boolean {
    const waiting = [...(this.#room.lines.get(locality) ?? [])].filter(
      (visitor) => visitor.behaviour.keepsCookies && nowMs - visitor.arrivedMs > ms,
    );
    if (waiting.length === 0) return false;
    let horizon: Horizon | undefined;
    for (const { peer, isRunning, identity } of this.#world.nodesIn(locality)) {
      const room = peer?.rooms.get(this.#room.id);
      if (!isRunning || room?.counters()[0] !== identity) continue;
      horizon = horizonOf(room);
    }
    return waiting.some(({ cookie }) => cookie?.kind === "waiting" && !isCalled(cookie, horizon));
  }

  #early(sides: ReadonlyMap<string, Side>): number {
    const now = new Map(Array.from(sides, ([locality, side]) => [locality, earlyOf([side])]));
    const near = [...now].reduce((sum, [locality, early]) => sum + Math.min(early, this.#before.get(locality) ?? 0), 0);
    this.#before = now;
    this.#everywhere.push(earlyOf([...sides.values()]));
    const perMinute = Math.ceil(this.#world.options.minuteMs / 1_000);
    if (this.#everywhere.length <= perMinute) return near;
    this.#everywhere.shift();
    return Math.max(near, Math.min(...this.#everywhere));
  }

  #sides(): Map<string, Side> {
    const sides = new Map<string, Side>();
    const horizons = new Map<string, Horizon>();
    for (const node of this.#world.nodes) this.#addNode(node, sides, horizons);
    const { settings, lines } = this.#room;
    const { nowMs } = this.#world.time;
    const silentMs = SILENT_INTERVALS * settings.refreshIntervalSeconds * 1_000;
    for (const [locality, places] of this.#places)
      for (const [key, { id, atMs }] of places) {
        const side = sides.get(locality);
        if (nowMs - atMs > silentMs) places.delete(key);
        else if (side !== undefined && isCalled({ id, key }, horizons.get(locality))) side.called += 1;
      }
    for (const [locality, line] of lines) {
      const side = sides.get(locality);
      if (side === undefined) continue;
      for (const { cookie, behaviour } of line)
        if (cookie?.kind === "waiting" && behaviour.keepsCookies && !isCalled(cookie, horizons.get(locality)))
          side.uncalled += 1;
    }
    return sides;
  }

  #addNode(node: SimNode, sides: Map<string, Side>, horizons: Map<string, Horizon>): void {
    const { peer, locality } = node;
    const room = peer?.rooms.get(this.#room.id);
    if (!node.isRunning || peer === undefined || room === undefined || !node.rooms.has(room.id)) return;
    const side = sides.getOrInsertComputed(locality, () => ({ held: 0, free: 0, called: 0, uncalled: 0 }));
    const { active, arrivals, inside } = room.gauge(peer.roomMs);
    side.held += inside;
    if (!peer.roomNode.mayAct(room.id)) return;
    side.free += Math.min(active, arrivals);
    if (room.counters()[0] === node.identity) horizons.set(locality, horizonOf(room));
  }
}

function horizonOf(room: MeshRoom): Horizon {
  return { place: room.admission.lineSummary.horizon, placeOf: (id, key) => room.placeOf(id, key) };
}

function isCalled({ id, key }: Place, horizon: Horizon | undefined): boolean {
  return horizon !== undefined && horizon.placeOf(id, key) <= horizon.place;
}

function takenOf(sides: readonly Side[]): number {
  return sides.reduce((taken, { held, free, called }) => taken + held + Math.min(free, called), 0);
}

function earlyOf(sides: readonly Side[]): number {
  const sum = (of: (side: Side) => number) => sides.reduce((total, side) => total + of(side), 0);
  return Math.min(
    sum(({ uncalled }) => uncalled),
    Math.max(
      0,
      sum(({ free, called }) => free - called),
    ),
  );
}
