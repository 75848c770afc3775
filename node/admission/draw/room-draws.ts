/** What a room needs of the lists of its draws: see node/peer/draws.ts. */

import type { DrawList } from "./draw-document.ts";
import type { Entry } from "./roll.ts";

/** A draw whose pre-queue has begun. */
export interface DrawPlan {
  /** Names the draw among those of all rooms. */
  readonly key: string;
  /** The room as statements name it. */
  readonly room: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface RoomDraws {
  /** Collects who is drawn, from now on. */
  follow(plan: DrawPlan): void;
  /** A room, as statements name it, has no draw now. */
  leave(room: string): void;
  /** Visitors who are known to a draw. */
  countOf(draw: string): number;
  /** The list of those who are drawn, as this node closed it; undefined before, and where this node keeps none. */
  listOf(draw: string): DrawList | undefined;
  /** A visitor of this locality's line was answered here: `id` is of the place's cookie. */
  note(draw: string, key: number, id: string): void;
  /** The visitors of this locality's line that are known to a draw. */
  entries(draw: string): Iterable<Entry>;
}
