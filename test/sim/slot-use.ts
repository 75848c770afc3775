/**
 * How much of one room is in use while visitors wait.
 *
 * A slot is in use while a visitor holds it with a good cookie, for the grace of clocks after that, and while it is
 * called for a visitor in line. As many could be in use as the limits allow and there are visitors for. A slot that is
 * held without any cookie is idle: a mesh that holds everything admits nobody.
 */

import type { Minute, RoomId } from "../../mesh/core/ids.ts";
import type { SimRoom } from "./sim-room.ts";
import type { World } from "./world.ts";

/** A second of a room with waiting visitors. */
export interface Use {
  /** Slots in use. */
  readonly used: number;
  /** As many as could be. */
  readonly usable: number;
}

export class SlotUse {
  readonly #world: Pick<World, "nodes">;
  readonly #room: Pick<SimRoom, "id" | "judge">;
  /** The rooms whose sessions count here, too. */
  readonly #members: RoomId[] = [];

  constructor(world: Pick<World, "nodes">, room: Pick<SimRoom, "id" | "judge">) {
    this.#world = world;
    this.#room = room;
  }

  /** Has its sessions count there, too. */
  join(site: SlotUse): void {
    site.#members.push(this.#room.id);
  }

  /** Checks once a second. `called`: free slots that are called for a visitor. */
  look({ waiting, called }: { waiting: number; called: number }, minute: Minute): Use {
    const { judge } = this.#room;
    const { active, arrivals } = judge.limits;
    const inside = Math.min(active, judge.inside(minute) + this.#ended(minute));
    const used = Math.min(active, inside + called);
    const left = Math.max(0, arrivals - judge.admittedIn(minute));
    const usable = Math.max(used, Math.min(active, inside + Math.min(waiting, left)));
    return { used, usable };
  }

  /** Slots held for sessions whose last minute has just ended. */
  #ended(minute: Minute): number {
    const rooms = [this.#room.id, ...this.#members];
    const slots = this.#world.nodes.flatMap(({ isRunning, peer }) =>
      rooms.flatMap((room) => (isRunning ? peer?.rooms.get(room)?.admission.sessions.record.slots : undefined) ?? []),
    );
    return slots.reduce((sum, [lastGood, held]) => sum + (lastGood < minute ? held : 0), 0);
  }
}
