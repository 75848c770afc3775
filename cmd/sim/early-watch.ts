/**
 * Who waits although a slot is free that they could have: visitors not yet called, beyond the free slots that called ones
 * will take, for more than a second in one locality, or for more than a minute when the slot is another locality's reserve.
 */

import { ROOM, type SimNode } from "./sim-node.ts";
import type { Visitor } from "./visitor.ts";

interface Watched {
  readonly options: { readonly minuteMs: number };
  readonly nodes: readonly SimNode[];
  readonly visitors: Iterable<Visitor>;
}

interface Side {
  /** Slots held by sessions. */
  held: number;
  free: number;
  called: number;
  uncalled: number;
}

export interface Look {
  /** Visitors that wait early in this second. */
  readonly early: number;
  /** Slots that are held, or free and called for somebody. */
  readonly taken: number;
}

/** Looks once a second while somebody waits. */
export class EarlyWatch {
  readonly #world: Watched;
  #before = new Map<string, number>();
  /** Of the last minute, one per look. */
  readonly #everywhere: number[] = [];

  constructor(world: Watched) {
    this.#world = world;
  }

  look(): Look {
    const sides = this.#sides();
    return { early: this.#early(sides), taken: takenOf([...sides.values()]) };
  }

  /** Whether anybody has waited in a locality for more than `ms` and has not been called. */
  isLine(locality: string, { nowMs, ms }: { readonly nowMs: number; readonly ms: number }): boolean {
    const waiting = [...this.#world.visitors].filter(
      (visitor) => visitor.locality === locality && visitor.behaviour.keepsCookies && nowMs - visitor.arrivedMs > ms,
    );
    if (waiting.every(({ cookie }) => cookie?.kind !== "waiting")) return false;
    let horizon = 0;
    for (const { peer, isRunning, identity, locality: place } of this.#world.nodes) {
      const room = peer?.rooms.get(ROOM);
      if (place !== locality || !isRunning || room?.counters()[0] !== identity) continue;
      horizon = room.admission.lineSummary.horizon;
    }
    return waiting.some(({ cookie }) => cookie?.kind === "waiting" && cookie.key > horizon);
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
    const horizons = new Map<string, number>();
    for (const node of this.#world.nodes) this.#addNode(node, sides, horizons);
    for (const { cookie, locality } of this.#world.visitors) {
      const side = sides.get(locality);
      if (cookie?.kind !== "waiting" || side === undefined) continue;
      if (cookie.key <= (horizons.get(locality) ?? 0)) side.called += 1;
      else side.uncalled += 1;
    }
    return sides;
  }

  #addNode(node: SimNode, sides: Map<string, Side>, horizons: Map<string, number>): void {
    const { peer, locality } = node;
    const room = peer?.rooms.get(ROOM);
    if (!node.isRunning || peer === undefined || room === undefined) return;
    const side = sides.getOrInsertComputed(locality, () => ({ held: 0, free: 0, called: 0, uncalled: 0 }));
    const { active, arrivals, inside } = room.gauge(peer.roomMs);
    side.held += inside;
    if (!peer.mesh.mayAct(ROOM)) return;
    side.free += Math.min(active, arrivals);
    if (room.counters()[0] === node.identity) horizons.set(locality, room.admission.lineSummary.horizon);
  }
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
